/* SPDX-License-Identifier: GPL-2.0-only */
/* Which cgroup (v2) is a task in? Stubs where the kernel has no cgroups. */
#ifndef WAKELAT_CGROUP_H
#define WAKELAT_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>

#ifdef CONFIG_CGROUPS
static inline struct cgroup *wakelat_cgroup_get(const char *path)
{
	return cgroup_get_from_path(path);
}

static inline void wakelat_cgroup_put(struct cgroup *cgroup)
{
	if (cgroup)
		cgroup_put(cgroup);
}

/* In an RCU read section. */
static inline u64 wakelat_cgroup_id(struct task_struct *task)
{
	return cgroup_id(task_dfl_cgroup(task));
}

/* In an RCU read section: in @cgroup or below it? */
static inline bool wakelat_cgroup_has(struct cgroup *cgroup, struct task_struct *task)
{
	return cgroup_is_descendant(task_dfl_cgroup(task), cgroup);
}
#else
static inline struct cgroup *wakelat_cgroup_get(const char *path)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void wakelat_cgroup_put(struct cgroup *cgroup) {}
static inline u64 wakelat_cgroup_id(struct task_struct *task) { return 0; }
static inline bool wakelat_cgroup_has(struct cgroup *cgroup, struct task_struct *task)
{
	return false;
}
#endif

#endif
