/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Every difference between kernels, 5.10 to 7.x. Kbuild looks into the tree for
 * what it has and defines WAKELAT_HAS_*; a version number would not know of
 * backports. Callers use the newest kernel's names.
 */
#ifndef WAKELAT_COMPAT_H
#define WAKELAT_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/version.h>
#include <uapi/linux/sched/types.h>

/* hrtimer_setup() came in v6.13, hrtimer_init() went in v6.15. */
#ifndef WAKELAT_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock_id, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock_id, mode);
	timer->function = function;
}
#endif

/*
 * Modules lost sched_setscheduler() in v5.9. sched_set_fifo() is always there,
 * at the fixed priority 50; sched_setattr_nocheck(), which takes any, was
 * exported later.
 */
static inline void wakelat_set_fifo(struct task_struct *task, unsigned int priority)
{
#ifdef WAKELAT_HAS_SCHED_SETATTR
	struct sched_attr attr = {
		.size = sizeof(attr),
		.sched_policy = SCHED_FIFO,
		.sched_priority = priority,
	};

	if (!sched_setattr_nocheck(task, &attr))
		return;
#endif
	sched_set_fifo(task);
}

/*
 * The model as it is now: with PREEMPT_DYNAMIC it can change at run time. The
 * accessors came in v5.18, lazy in v6.13. On RT lazy is a second choice, which
 * normal tasks feel.
 */
static inline const char *wakelat_preempt_model(void)
{
#ifdef WAKELAT_HAS_PREEMPT_LAZY
	if (preempt_model_lazy())
		return IS_ENABLED(CONFIG_PREEMPT_RT) ? "rt+lazy" : "lazy";
#endif
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		return "rt";
#ifdef WAKELAT_HAS_PREEMPT_MODEL
	if (preempt_model_full())
		return "full";
	if (preempt_model_voluntary())
		return "voluntary";
	if (preempt_model_none())
		return "none";
	return "unknown";
#else
	/* v5.12 to v5.17 can switch, but do not tell a module. */
	if (IS_ENABLED(CONFIG_PREEMPT_DYNAMIC))
		return "unknown";
	if (IS_ENABLED(CONFIG_PREEMPTION))
		return "full";
	return IS_ENABLED(CONFIG_PREEMPT_VOLUNTARY) ? "voluntary" : "none";
#endif
}

/* v5.14 renamed task_struct.state. */
static inline unsigned int wakelat_task_state(const struct task_struct *task)
{
#ifdef WAKELAT_HAS___STATE
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

/* From v6.12 on a blocked task may be left on its queue for a while. */
static inline bool wakelat_task_delayed(const struct task_struct *task)
{
#ifdef WAKELAT_HAS_SCHED_DELAYED
	return READ_ONCE(task->se.sched_delayed);
#else
	return false;
#endif
}

static inline bool wakelat_task_running(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/*
 * Until v6.16 sched_switch told a state of sleep also for a task that a pending
 * signal had kept running. The fix cannot be seen in a header; it went back to
 * v6.12.34. On what lies between the two, a task that is woken in the moment
 * between going to sleep and being switched out counts as preempted.
 */
#define WAKELAT_SWITCH_STATE_IS_RIGHT					\
	(LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0) ||		\
	 (LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 34) &&		\
	  LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)))

/*
 * Is the clock source that feeds CLOCK_MONOTONIC the architected timer? Its
 * name is not exported, its reading is: one that lies between two readings of
 * the architected counter can only be that counter. Returns its frequency in
 * Hz, or 0 for any other clock source.
 */
#if IS_ENABLED(CONFIG_ARM_ARCH_TIMER)
#include <clocksource/arm_arch_timer.h>
#include <asm/arch_timer.h>

static inline u32 wakelat_arch_timer_hz(void)
{
	struct system_time_snapshot snapshot;
	u64 before, after;

	before = arch_timer_read_counter();
	/* v7.3 wants to be told which clock. */
#ifdef WAKELAT_HAS_SNAPSHOT_ID
	ktime_get_snapshot_id(CLOCK_MONOTONIC, &snapshot);
#else
	ktime_get_snapshot(&snapshot);
#endif
	after = arch_timer_read_counter();
	if (snapshot.cycles < before || snapshot.cycles > after)
		return 0;
	return arch_timer_get_cntfrq();
}
#else
static inline u32 wakelat_arch_timer_hz(void)
{
	return 0;
}
#endif

#endif
