/* SPDX-License-Identifier: GPL-2.0-only */
/* What the probes (task.c) and their setup (tracepoints.c) share. */
#ifndef WAKELAT_TASK_H
#define WAKELAT_TASK_H

#include <linux/percpu.h>

#include "wakelat.h"

#define TASK_POPS	(WAKELAT_KINDS * WAKELAT_CLASSES)
#define LONG_RUNS	8	/* a power of two */

/* A task that ran for long at a stretch: whom others may have waited for. */
struct long_run {
	u64 ended;	/* clock's unit */
	u64 ran_ns;
	struct wakelat_who who;
};

/* Belongs to its CPU, which writes it in sched_switch. */
struct task_stats {
	u64 switched;	/* when the task that runs was switched in; clock's unit */
	struct wakelat_task_counters counters;
	struct long_run long_run[LONG_RUNS];	/* the last ones, in turns */
	unsigned int long_runs;
	struct wakelat_pop pop[TASK_POPS];	/* of each class, of each kind */
};

/* What every probe needs, and gets with its call. */
struct task_probes {
	struct wakelat_pairing pairing;
	struct task_stats * __percpu *stats;
	u32 mult;	/* the clock's unit to nanoseconds */
	u32 shift;
	u32 pop_at[8 * WAKELAT_KINDS];	/* by policy and kind: offset in task_stats */
};

static inline unsigned int pop_of(enum wakelat_kind kind, enum wakelat_class class)
{
	return class * WAKELAT_KINDS + kind;
}

/* sched_switch tells @state from v5.18 on; before, a race is caught by on_rq. */
#ifdef WAKELAT_HAS_PREV_STATE
typedef void wakelat_switch_fn(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next, unsigned int state);
#define SWITCH_PROTO	bool preempt, struct task_struct *prev, struct task_struct *next, \
			unsigned int state
#define SWITCH_STATE	state
#define CALL_SWITCH(probe, data, preempt, prev, next, state) \
	probe(data, preempt, prev, next, state)
#else
typedef void wakelat_switch_fn(void *data, bool preempt, struct task_struct *prev,
			       struct task_struct *next);
#define SWITCH_PROTO	bool preempt, struct task_struct *prev, struct task_struct *next
#define CALL_SWITCH(probe, data, preempt, prev, next, state) \
	probe(data, preempt, prev, next)
#define SWITCH_STATE	wakelat_task_state(prev)
#endif
typedef void wakelat_wakeup_fn(void *data, struct task_struct *task);

/* The probes, for each clock; @data is the struct task_probes. */
wakelat_wakeup_fn wakelat_waking_kernel, wakelat_waking_counter;
wakelat_wakeup_fn wakelat_wakeup_new_kernel, wakelat_wakeup_new_counter;
wakelat_switch_fn wakelat_switch_kernel, wakelat_switch_counter;
wakelat_switch_fn wakelat_switch_slowly_kernel, wakelat_switch_slowly_counter;

#endif
