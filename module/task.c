// SPDX-License-Identifier: GPL-2.0-only
/*
 * The task populations: how long did every task wait, from the wakeup or from
 * being switched out while runnable, until it ran? pairing.h has the rules.
 *
 * The probes run in any context in which tasks are woken. All of sched_switch
 * and every wakeup of another task have interrupts off; only a task that wakes
 * itself has not, and nothing starts there. They take no lock, and share with
 * other CPUs only the cache line that carries a start from waker to wakee.
 */
#include "task.h"

#include "clock.h"
#include "compat.h"

#define LONG_RUN_NS	200000

static __always_inline u64 to_ns(const struct task_probes *probes, u64 difference)
{
	return difference * probes->mult >> probes->shift;
}

/* Interrupts off: where they may be on, nothing starts. */
static void lost(const struct task_probes *probes)
{
	__this_cpu_read(*probes->stats)->counters.dropped++;
}

static __always_inline struct wakelat_pop *
pop_of_wait(const struct task_probes *probes, struct task_stats *this,
	    const struct task_struct *task, u64 start)
{
	unsigned int nth = (task->policy & 7) * WAKELAT_KINDS + wakelat_start_kind(start);

	return (void *)this + probes->pop_at[nth];
}

/*
 * Only what goes the slow way is seen here. That is enough: whoever ran for long
 * was preempted, or is followed by one that waited for long or by an own thread.
 */
static void note_long_run(const struct task_probes *probes, struct task_stats *this,
			  const struct task_struct *prev, u64 now)
{
	u64 ran_ns = to_ns(probes, now - this->switched);
	struct long_run *run;

	if (!this->switched || ran_ns < LONG_RUN_NS || !prev->pid)
		return;
	run = &this->long_run[this->long_runs++ % LONG_RUNS];
	run->ended = now;
	run->ran_ns = ran_ns;
	wakelat_who_is(&run->who, prev);
}

/* Who ran longest at a stretch on this CPU since @start: @prev or one before. */
static void find_culprit(const struct task_probes *probes, const struct task_stats *this,
			 const struct task_struct *prev, u64 start, u64 now,
			 struct wakelat_wait *wait)
{
	unsigned int i;

	wait->ran_ns = this->switched ? to_ns(probes, now - this->switched) : 0;
	wakelat_who_is(&wait->instead, prev);
	for (i = 0; i < LONG_RUNS; i++) {
		const struct long_run *run = &this->long_run[i];

		if (run->ended > start && (run->ran_ns > wait->ran_ns || !wait->instead.pid)) {
			wait->ran_ns = run->ran_ns;
			wait->instead = run->who;
		}
	}
}

/* A wait longer than pop->slow_ns: among the worst so far, or out of range. */
static void add_slow_wait(const struct task_probes *probes, const struct task_stats *this,
			  struct wakelat_pop *pop, const struct task_struct *prev,
			  const struct task_struct *next, u64 start, u64 now)
{
	unsigned int nth = wakelat_start_kind(start) * WAKELAT_CLASSES +
			   wakelat_class_of(next->policy);
	struct wakelat_wait wait = {
		.wait_ns = to_ns(probes, now - wakelat_start_time(start)),
		.ended_ns = ktime_get_mono_fast_ns(),
	};

	write_seqcount_begin(&pop->seq);
	wakelat_hist_add(&pop->samples.hist, wait.wait_ns);
	write_seqcount_end(&pop->seq);
	wakelat_who_is(&wait.victim, next);
	find_culprit(probes, this, prev, wakelat_start_time(start), now, &wait);
	wakelat_worst_note(pop, WAKELAT_TASK + nth, &wait, NULL);
}

/* The task that is switched out: gone for good, or does its wait start? */
static void switched_out(const struct task_probes *probes, bool preempt,
			 struct task_struct *prev, unsigned int state, u64 now)
{
	if (state & TASK_DEAD) {
		wakelat_pairing_forget(&probes->pairing, prev->pid);
		return;
	}
	/* Idle is not a task, and always runnable. */
	if (!prev->pid || wakelat_timer_owns(prev) ||
	    !wakelat_could_go_on(preempt, state, READ_ONCE(prev->on_rq),
				 wakelat_task_delayed(prev), WAKELAT_SWITCH_STATE_IS_RIGHT))
		return;
	if (!wakelat_pairing_wait(&probes->pairing, prev->pid, now, WAKELAT_PREEMPTED))
		lost(probes);
}

static void switched_in(const struct task_probes *probes, struct task_stats *this,
			const struct task_struct *prev, struct task_struct *next, u64 now)
{
	u64 start = wakelat_pairing_run(&probes->pairing, next->pid);
	u64 ns = to_ns(probes, now - wakelat_start_time(start));
	struct wakelat_pop *pop = pop_of_wait(probes, this, next, start);

	if (!start) {
		if (wakelat_timer_owns(next))
			this->counters.own++;
		else
			this->counters.untracked++;
		return;
	}
	if (now < wakelat_start_time(start)) {
		pop->samples.backwards++;
		return;
	}
	if (ns <= pop->slow_ns)
		wakelat_pop_add(pop, ns);
	else
		add_slow_wait(probes, this, pop, prev, next, start, now);
	if (rcu_access_pointer(wakelat_watches))
		wakelat_watch_add(next, wakelat_start_kind(start), ns);
}

/* As switched() below, in all cases. */
static __always_inline void switched_slowly(const struct task_probes *probes, u64 now,
					    bool preempt, struct task_struct *prev,
					    struct task_struct *next, unsigned int state)
{
	struct task_stats *this = __this_cpu_read(*probes->stats);

	note_long_run(probes, this, prev, now);
	if (prev->on_rq || state & TASK_DEAD)
		switched_out(probes, preempt, prev, state, now);
	/* Idle is not a task. */
	if (next->pid)
		switched_in(probes, this, prev, next, now);
	this->switched = now;
}

/*
 * Interrupts off, runqueue locked. Of the common case, a task that went to sleep
 * and one whose wait is nothing special; else it does nothing and returns false.
 * Of idle, whose id is that of a free place, the start would be anything.
 */
static __always_inline bool switched(const struct task_probes *probes, u64 now,
				     const struct task_struct *prev,
				     struct task_struct *next, unsigned int state)
{
	struct wakelat_bucket *bucket;
	struct task_stats *this;
	struct wakelat_pop *pop;
	u32 id = next->pid;
	u64 start, ns;

	if (unlikely(READ_ONCE(prev->on_rq)) || unlikely(state & TASK_DEAD) || unlikely(!id))
		return false;
	bucket = wakelat_pairing_bucket(&probes->pairing, id);
	start = wakelat_pairing_peek(bucket, id);
	if (unlikely(!start))
		return false;
	ns = to_ns(probes, now - wakelat_start_time(start));
	this = __this_cpu_read(*probes->stats);
	pop = pop_of_wait(probes, this, next, start);
	if (unlikely(ns > pop->slow_ns))
		return false;
	wakelat_pairing_free(bucket);
	wakelat_pop_add(pop, ns);
	this->switched = now;
	if (unlikely(rcu_access_pointer(wakelat_watches)))
		wakelat_watch_add(next, wakelat_start_kind(start), ns);
	return true;
}

static noinline void woken_slowly(const struct task_probes *probes, struct task_struct *task,
				  u64 now)
{
	bool queued = READ_ONCE(task->on_rq);

	/* A task that wakes itself goes on; interrupts may be on. */
	if (task == current)
		return;
	if (!wakelat_wakes_sleeper(queued, wakelat_task_delayed(task),
				   wakelat_task_running(task)))
		wakelat_pairing_maybe(&probes->pairing, task->pid, now);
	else if (!wakelat_pairing_wait(&probes->pairing, task->pid, now, WAKELAT_WAKEUP))
		lost(probes);
}

static __always_inline void woken(const struct task_probes *probes, struct task_struct *task,
				  u64 now)
{
	/* The state was read before; see try_to_wake_up(). */
	smp_rmb();
	if (unlikely(READ_ONCE(task->on_rq)) ||
	    !wakelat_pairing_claim(wakelat_pairing_bucket(&probes->pairing, task->pid), task->pid,
				   now << 1 | WAKELAT_WAKEUP))
		woken_slowly(probes, task, now);
}

static __always_inline void woken_new(const struct task_probes *probes,
				      struct task_struct *task, u64 now)
{
	if (!wakelat_pairing_wait(&probes->pairing, task->pid, now, WAKELAT_WAKEUP))
		lost(probes);
}

/*
 * Each probe for each clock, so that none has to ask. What is rare is called with
 * the arguments as they came, so that the common case need not keep them.
 */
#define DEFINE_PROBES(clock)							\
void wakelat_waking_##clock(void *data, struct task_struct *task)		\
{										\
	woken(data, task, clock_read_##clock());				\
}										\
void wakelat_wakeup_new_##clock(void *data, struct task_struct *task)		\
{										\
	woken_new(data, task, clock_read_##clock());				\
}										\
void wakelat_switch_slowly_##clock(void *data, SWITCH_PROTO)			\
{										\
	switched_slowly(data, clock_read_##clock(), preempt, prev, next, SWITCH_STATE); \
}										\
void wakelat_switch_##clock(void *data, SWITCH_PROTO)				\
{										\
	if (unlikely(!switched(data, clock_read_##clock(), prev, next, SWITCH_STATE))) \
		CALL_SWITCH(wakelat_switch_slowly_##clock, data, preempt, prev, next, state); \
}

DEFINE_PROBES(kernel)
DEFINE_PROBES(counter)
