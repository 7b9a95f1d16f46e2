// SPDX-License-Identifier: GPL-2.0-only
/*
 * Known wakeups: kernel threads named wakelat_slpr sleep until a write to the
 * parameter go wakes them, a known number of times, in one of these ways:
 *
 * kind   what a write to go does
 * ping   wakes one sleeper count times, each time when it sleeps for sure
 * move   the same, and moves the sleeper to the next CPU before each wakeup
 * self   the sleeper, about to sleep, is woken by an interrupt on its own CPU
 *        while it computes, count times: nobody waits
 * herd   wakes count sleepers on one CPU at once, from a thread on that CPU that
 *        then computes for hold_us with preemption off: all of them wait
 *
 *   insmod wakelat_wake.ko kind=ping count=1000 cpu=1
 *   echo 1 > /sys/module/wakelat_wake/parameters/go
 *
 * The write returns when all that was woken sleeps again.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "../module/compat.h"

#define SLEEPERS_MAX	4096
#define SELF_WAKE_US	20
#define SELF_WORK_US	200

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "CPU of the sleepers (default 0)");

static unsigned int count = 1000;
module_param(count, uint, 0444);
MODULE_PARM_DESC(count, "wakeups, or sleepers of a herd, 1 to 10000000 and 4096 (default 1000)");

static unsigned int hold_us = 10000;
module_param(hold_us, uint, 0444);
MODULE_PARM_DESC(hold_us, "microseconds that a herd waits (default 10000)");

static char *kind = "ping";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "ping (default), move, self or herd");

static bool fifo;
module_param(fifo, bool, 0444);
MODULE_PARM_DESC(fifo, "sleepers are SCHED_FIFO (default: normal)");

static struct task_struct **sleeper;
static unsigned int sleepers;
static DEFINE_MUTEX(go_mutex);
static struct hrtimer self_timer;
static struct completion self_done;
static unsigned int self_left;

static void compute_us(u64 us)
{
	u64 end_ns = ktime_get_ns() + us * NSEC_PER_USEC;

	while (ktime_get_ns() < end_ns)
		cpu_relax();
}

static enum hrtimer_restart self_expired(struct hrtimer *timer)
{
	wake_up_process(sleeper[0]);
	return HRTIMER_NORESTART;
}

static int sleep_on(void *data)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (READ_ONCE(self_left)) {
			hrtimer_start(&self_timer, ns_to_ktime(SELF_WAKE_US * NSEC_PER_USEC),
				      HRTIMER_MODE_REL_PINNED_HARD);
			compute_us(SELF_WORK_US);
			/* Woken by now, so this does not sleep. */
			schedule();
			WRITE_ONCE(self_left, self_left - 1);
			if (!self_left)
				complete(&self_done);
			continue;
		}
		schedule();
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

/* Off the queue and off its CPU, so that the next wakeup ends a sleep. */
static void until_asleep(struct task_struct *task)
{
	while (wakelat_task_state(task) != TASK_INTERRUPTIBLE ||
	       (READ_ONCE(task->on_rq) && !wakelat_task_delayed(task)) ||
	       wakelat_task_running(task))
		usleep_range(20, 40);
}

static void ping(bool move)
{
	unsigned int at = cpu, i;

	for (i = 0; i < count; i++) {
		until_asleep(sleeper[0]);
		if (move) {
			at = cpumask_next(at, cpu_online_mask);
			if (at >= nr_cpu_ids)
				at = cpumask_first(cpu_online_mask);
			set_cpus_allowed_ptr(sleeper[0], cpumask_of(at));
		}
		wake_up_process(sleeper[0]);
	}
	until_asleep(sleeper[0]);
}

static int herd(void *data)
{
	unsigned int i;

	/* A real-time thread would not do: from v6.12 on normal ones have a share. */
	preempt_disable();
	for (i = 0; i < sleepers; i++)
		wake_up_process(sleeper[i]);
	compute_us(hold_us);
	preempt_enable();
	complete(data);
	return 0;
}

static int wake_herd(void)
{
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *waker;
	unsigned int i;

	for (i = 0; i < sleepers; i++)
		until_asleep(sleeper[i]);
	waker = kthread_create(herd, &done, "wakelat_herd");
	if (IS_ERR(waker))
		return PTR_ERR(waker);
	kthread_bind(waker, cpu);
	sched_set_fifo(waker);
	wake_up_process(waker);
	wait_for_completion(&done);
	for (i = 0; i < sleepers; i++)
		until_asleep(sleeper[i]);
	return 0;
}

static void wake_self(void)
{
	until_asleep(sleeper[0]);
	init_completion(&self_done);
	WRITE_ONCE(self_left, count);
	wake_up_process(sleeper[0]);
	wait_for_completion(&self_done);
	until_asleep(sleeper[0]);
}

static int go_set(const char *text, const struct kernel_param *kp)
{
	int err = 0;

	if (!sleeper)
		return -EINVAL;
	mutex_lock(&go_mutex);
	if (!strcmp(kind, "herd"))
		err = wake_herd();
	else if (!strcmp(kind, "self"))
		wake_self();
	else
		ping(!strcmp(kind, "move"));
	mutex_unlock(&go_mutex);
	return err;
}

static const struct kernel_param_ops go_ops = {
	.set = go_set,
};
module_param_cb(go, &go_ops, NULL, 0200);
MODULE_PARM_DESC(go, "a write wakes the sleepers");

static void stop_sleepers(void)
{
	while (sleepers)
		kthread_stop(sleeper[--sleepers]);
	kfree(sleeper);
}

static int __init wakelat_wake_init(void)
{
	static const char * const kinds[] = { "ping", "move", "self", "herd" };
	bool is_herd = !strcmp(kind, "herd");

	if (match_string(kinds, ARRAY_SIZE(kinds), kind) < 0 || !count ||
	    count > (is_herd ? SLEEPERS_MAX : 10000000) || cpu >= nr_cpu_ids ||
	    !cpu_online(cpu)) {
		pr_err("kind=%s count=%u cpu=%u: out of range (error %d)\n", kind, count, cpu,
		       -EINVAL);
		return -EINVAL;
	}
	hrtimer_setup(&self_timer, self_expired, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	sleeper = kcalloc(is_herd ? count : 1, sizeof(*sleeper), GFP_KERNEL);
	if (!sleeper)
		return -ENOMEM;
	do {
		struct task_struct *task = kthread_create(sleep_on, NULL, "wakelat_slpr");

		if (IS_ERR(task)) {
			stop_sleepers();
			return PTR_ERR(task);
		}
		sleeper[sleepers++] = task;
		/* Who is bound does not move any more. */
		if (strcmp(kind, "move"))
			kthread_bind(task, cpu);
		if (fifo)
			sched_set_fifo(task);
		wake_up_process(task);
	} while (is_herd && sleepers < count);
	return 0;
}

static void __exit wakelat_wake_exit(void)
{
	stop_sleepers();
}

module_init(wakelat_wake_init);
module_exit(wakelat_wake_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wakelat authors");
MODULE_DESCRIPTION("Wakes kernel threads a known number of times, to test wakelat");
