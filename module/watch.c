// SPDX-License-Identifier: GPL-2.0-only
/*
 * Watches: named subsets of the task populations, by the rules of rule.h.
 *
 * What a task matches is worked out once and kept, with everything that the
 * rules looked at, for as long as none of that changes. A changed set of watches
 * replaces the old one as a whole.
 */
#include "wakelat.h"

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "cgroup.h"
#include "compat.h"
#include "rule.h"

#define WATCHES		16
#define VERDICTS	128	/* a CPU; a power of two */

struct watch {
	struct wakelat_rule rule;
	struct cgroup *cgroup;
	struct wakelat_pop *pop[];	/* a CPU: for each kind */
};

/* What a task matched, and the facts on which that rests. */
struct verdict {
	u64 cgroup_id;
	u32 tid;	/* 0: none yet */
	u32 pid;
	u32 policy;
	int prio;
	u32 matches;	/* a bit for each watch */
	u64 comm[TASK_COMM_LEN / sizeof(u64)];
};

struct wakelat_watches {
	unsigned int count;
	bool by_cgroup;
	struct watch *watch[WATCHES];
	struct verdict verdict[][VERDICTS];	/* a CPU, which alone touches them */
};

/* Changed with wakelat_mutex held. */
struct wakelat_watches __rcu *wakelat_watches;

static struct wakelat_watches *current_set(void)
{
	return rcu_dereference_protected(wakelat_watches, lockdep_is_held(&wakelat_mutex));
}

static u32 judge(const struct wakelat_watches *set, struct task_struct *task)
{
	const struct wakelat_facts facts = {
		.comm = task->comm,
		.tid = task->pid,
		.pid = task->tgid,
		.class = 1 + wakelat_class_of(task->policy),
		.prio = task->prio,
	};
	u32 matches = 0;
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		const struct watch *watch = set->watch[i];

		if (wakelat_rule_matches(&watch->rule, &facts) &&
		    (!watch->cgroup || wakelat_cgroup_has(watch->cgroup, task)))
			matches |= BIT(i);
	}
	return matches;
}

/* Kept apart from the common case below, which needs no frame for it. */
static noinline u32 judge_anew(struct wakelat_watches *set, struct task_struct *task,
			       struct verdict *verdict, u64 cgroup_id)
{
	verdict->tid = task->pid;
	verdict->pid = task->tgid;
	verdict->policy = task->policy;
	verdict->prio = task->prio;
	verdict->cgroup_id = cgroup_id;
	memcpy(verdict->comm, task->comm, TASK_COMM_LEN);
	rcu_read_lock();
	verdict->matches = judge(set, task);
	rcu_read_unlock();
	return verdict->matches;
}

static noinline u64 cgroup_id_of(struct task_struct *task)
{
	u64 id;

	rcu_read_lock();
	id = wakelat_cgroup_id(task);
	rcu_read_unlock();
	return id;
}

static __always_inline u32 matches_of(struct wakelat_watches *set, unsigned int cpu,
				      struct task_struct *task)
{
	struct verdict *verdict = &set->verdict[cpu][task->pid & (VERDICTS - 1)];
	u64 cgroup_id = unlikely(set->by_cgroup) ? cgroup_id_of(task) : 0;
	u64 comm[TASK_COMM_LEN / sizeof(u64)];

	memcpy(comm, task->comm, TASK_COMM_LEN);
	if (likely(verdict->tid == task->pid && verdict->pid == task->tgid &&
		   verdict->policy == task->policy && verdict->prio == task->prio &&
		   verdict->cgroup_id == cgroup_id &&
		   verdict->comm[0] == comm[0] && verdict->comm[1] == comm[1]))
		return verdict->matches;
	return judge_anew(set, task, verdict, cgroup_id);
}

static noinline void add_longest(struct wakelat_pop *pop, u64 ns)
{
	write_seqcount_begin(&pop->seq);
	wakelat_hist_add(&pop->samples.hist, ns);
	write_seqcount_end(&pop->seq);
	pop->slow_ns = min_t(u64, pop->samples.hist.max_ns, BIT_ULL(WAKELAT_HIST_MAX_BITS) - 1);
}

void wakelat_watch_add(struct task_struct *task, enum wakelat_kind kind, u64 ns)
{
	/* With interrupts off this is an RCU read section. */
	struct wakelat_watches *set = rcu_dereference_sched(wakelat_watches);
	unsigned int cpu = smp_processor_id();
	u32 matches = set ? matches_of(set, cpu, task) : 0;

	for (; matches; matches &= matches - 1) {
		struct wakelat_pop *pop = &set->watch[__ffs(matches)]->pop[cpu][kind];

		if (likely(ns <= pop->slow_ns))
			wakelat_pop_add(pop, ns);
		else
			add_longest(pop, ns);
	}
}

static void free_watch(struct watch *watch)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		vfree(watch->pop[cpu]);
	wakelat_cgroup_put(watch->cgroup);
	kfree(watch);
}

static int alloc_pops(struct watch *watch)
{
	unsigned int cpu, kind;

	for_each_possible_cpu(cpu) {
		watch->pop[cpu] = vzalloc_node(WAKELAT_KINDS * sizeof(struct wakelat_pop),
					       cpu_to_node(cpu));
		if (!watch->pop[cpu])
			return -ENOMEM;
		for (kind = 0; kind < WAKELAT_KINDS; kind++)
			wakelat_pop_init(&watch->pop[cpu][kind], false, false);
	}
	return 0;
}

/* A task that does not exist will not come by that number on purpose. */
static bool task_exists(u32 id, enum pid_type type)
{
	bool exists;

	rcu_read_lock();
	exists = !id || pid_task(find_vpid(id), type);
	rcu_read_unlock();
	return exists;
}

/* NULL and an error if it cannot be watched. */
static struct watch *make_watch(const struct wakelat_rule *rule, const char **reason, int *err)
{
	struct watch *watch;

	*reason = "no such task";
	*err = -ESRCH;
	if (!task_exists(rule->tid, PIDTYPE_PID) || !task_exists(rule->pid, PIDTYPE_TGID))
		return NULL;
	*reason = "no memory";
	*err = -ENOMEM;
	watch = kzalloc(struct_size(watch, pop, nr_cpu_ids), GFP_KERNEL);
	if (!watch)
		return NULL;
	/* With its padding: rules are compared as a whole. */
	memcpy(&watch->rule, rule, sizeof(*rule));
	if (alloc_pops(watch))
		goto err_free_watch;
	if (rule->cgroup[0]) {
		struct cgroup *cgroup = wakelat_cgroup_get(rule->cgroup);

		if (IS_ERR(cgroup)) {
			*reason = "no such cgroup";
			*err = PTR_ERR(cgroup);
			goto err_free_watch;
		}
		watch->cgroup = cgroup;
	}
	return watch;

err_free_watch:
	free_watch(watch);
	return NULL;
}

static unsigned int find_watch(const struct wakelat_watches *set, const char *name)
{
	unsigned int i;

	for (i = 0; i < set->count; i++) {
		if (!strcmp(set->watch[i]->rule.name, name))
			break;
	}
	return i;
}

static bool has_watch(const struct wakelat_watches *set, const struct watch *watch)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		if (set->watch[i] == watch)
			return true;
	}
	return false;
}

/* One line: "-NAME" takes a watch away, a rule adds one. */
static int apply_line(struct wakelat_watches *set, const char *line,
		      struct wakelat_rule_error *error)
{
	struct wakelat_rule rule;
	struct watch *watch;
	unsigned int i;
	int err;

	error->column = 1;
	if (line[0] == '-') {
		i = find_watch(set, line + 1);
		error->reason = "no watch of that name";
		if (i == set->count)
			return -ENOENT;
		/* One that a line of the same write has made is nobody else's. */
		if (!has_watch(current_set(), set->watch[i]))
			free_watch(set->watch[i]);
		memmove(&set->watch[i], &set->watch[i + 1],
			(set->count - i - 1) * sizeof(set->watch[0]));
		set->count--;
		return 0;
	}
	err = wakelat_rule_parse(line, &rule, error);
	if (err)
		return err;
	error->column = 1;
	i = find_watch(set, rule.name);
	if (i < set->count) {
		error->reason = "there is another watch of that name";
		return memcmp(&set->watch[i]->rule, &rule, sizeof(rule)) ? -EEXIST : 0;
	}
	error->reason = "there are 16 watches already";
	if (i == WATCHES)
		return -ENOSPC;
	watch = make_watch(&rule, &error->reason, &err);
	if (!watch)
		return err;
	set->watch[set->count++] = watch;
	return 0;
}

/* Frees @set, and its watches but for those that @keep has too. */
static void free_set(struct wakelat_watches *set, const struct wakelat_watches *keep)
{
	unsigned int i;

	for (i = 0; set && i < set->count; i++) {
		if (!has_watch(keep, set->watch[i]))
			free_watch(set->watch[i]);
	}
	vfree(set);
}

static struct wakelat_watches *copy_set(const struct wakelat_watches *set)
{
	struct wakelat_watches *copy = vzalloc(struct_size(copy, verdict, nr_cpu_ids));

	if (copy && set) {
		copy->count = set->count;
		memcpy(copy->watch, set->watch, sizeof(copy->watch));
	}
	return copy;
}

static void replace_set(struct wakelat_watches *set)
{
	struct wakelat_watches *old = current_set();
	unsigned int i;

	for (i = 0; set && i < set->count; i++)
		set->by_cgroup |= !!set->watch[i]->cgroup;
	wakelat_run.layout++;
	rcu_assign_pointer(wakelat_watches, set);
	synchronize_rcu();
	free_set(old, set);
}

/* With wakelat_mutex held; changes nothing if a line is refused. */
static int apply_lines(char *text)
{
	struct wakelat_watches *set = copy_set(current_set());
	unsigned int number = 0;
	char *line;

	if (!set)
		return -ENOMEM;
	while ((line = strsep(&text, "\n"))) {
		struct wakelat_rule_error error;
		int err;

		number++;
		if (!line[strspn(line, " \t")] || line[0] == '#')
			continue;
		err = apply_line(set, line, &error);
		if (err) {
			pr_err("watch: line %u, column %u of \"%s\": %s (error %d)\n", number,
			       error.column, line, error.reason, err);
			free_set(set, current_set());
			return err;
		}
	}
	if (!set->count) {
		vfree(set);
		set = NULL;
	}
	replace_set(set);
	return 0;
}

static ssize_t watch_write(struct file *file, const char __user *data, size_t size,
			   loff_t *pos)
{
	char *text;
	int err;

	if (size > PAGE_SIZE) {
		pr_err("watch: wrote %zu bytes, want %lu at most (error %d)\n", size, PAGE_SIZE,
		       -E2BIG);
		return -E2BIG;
	}
	text = memdup_user_nul(data, size);
	if (IS_ERR(text))
		return PTR_ERR(text);
	mutex_lock(&wakelat_mutex);
	err = apply_lines(text);
	mutex_unlock(&wakelat_mutex);
	kfree(text);
	return err ? err : size;
}

static int watch_show(struct seq_file *m, void *v)
{
	const struct wakelat_watches *set;
	char text[WAKELAT_RULE_TEXT];
	unsigned int i;

	mutex_lock(&wakelat_mutex);
	set = current_set();
	for (i = 0; set && i < set->count; i++) {
		wakelat_rule_format(&set->watch[i]->rule, text, sizeof(text));
		seq_printf(m, "%s\n", text);
	}
	mutex_unlock(&wakelat_mutex);
	return 0;
}

static int watch_open(struct inode *inode, struct file *file)
{
	return single_open(file, watch_show, NULL);
}

static const struct file_operations watch_fops = {
	.owner = THIS_MODULE,
	.open = watch_open,
	.read = seq_read,
	.write = watch_write,
	.llseek = seq_lseek,
	.release = single_release,
};

const char *wakelat_watch_name(unsigned int i)
{
	const struct wakelat_watches *set = current_set();

	return set && i < set->count ? set->watch[i]->rule.name : NULL;
}

struct wakelat_pop *wakelat_watch_pop(unsigned int i, enum wakelat_kind kind,
				      unsigned int cpu)
{
	return &current_set()->watch[i]->pop[cpu][kind];
}

static void reset_pops(void *data)
{
	struct wakelat_pop *pop = data;
	unsigned int kind;

	for (kind = 0; kind < WAKELAT_KINDS; kind++)
		wakelat_pop_reset(&pop[kind]);
}

void wakelat_watch_reset(void)
{
	unsigned int cpu, i;

	cpus_read_lock();
	for (i = 0; wakelat_watch_name(i); i++) {
		for_each_possible_cpu(cpu)
			wakelat_on_cpu(cpu, reset_pops, wakelat_watch_pop(i, 0, cpu));
	}
	cpus_read_unlock();
}

size_t wakelat_watch_bytes(void)
{
	const struct wakelat_watches *set = current_set();

	if (!set)
		return 0;
	return struct_size(set, verdict, nr_cpu_ids) + set->count * num_possible_cpus() *
	       PAGE_ALIGN(WAKELAT_KINDS * sizeof(struct wakelat_pop));
}

void __init wakelat_watch_files(struct dentry *root)
{
	if (wakelat_has_task)
		debugfs_create_file("watch", 0600, root, NULL, &watch_fops);
}

/* After the probes have stopped. */
void wakelat_watch_exit(void)
{
	mutex_lock(&wakelat_mutex);
	replace_set(NULL);
	mutex_unlock(&wakelat_mutex);
}
