// SPDX-License-Identifier: GPL-2.0-only
/*
 * A made delay of known length: a kernel thread on one CPU that, again and
 * again, computes in the kernel for hold_us without giving the CPU away. Harm:
 * that CPU runs nothing else meanwhile where the preemption model lets it.
 *
 *   insmod wakelat_hold.ko cpu=1 hold_us=20000 pause_us=80000 kind=loop
 *
 * kind          what the thread does for hold_us
 * irqs          interrupts off
 * preempt       preemption off
 * softirq       a softirq, in the thread that raised it
 * loop          no scheduling point
 * cond_resched  cond_resched() again and again
 * might_sleep   might_sleep() again and again
 *
 * Who must wait for which, selftests/truth-table tells. It holds from load to
 * unload, as a SCHED_NORMAL thread named wakelat_hold; holds tells how often it
 * did.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/interrupt.h>
#include <linux/kernel.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>

#define HOLD_US_MAX	1000000

static unsigned int cpu;
module_param(cpu, uint, 0444);
MODULE_PARM_DESC(cpu, "CPU to hold (default 0)");

static unsigned int hold_us = 20000;
module_param(hold_us, uint, 0444);
MODULE_PARM_DESC(hold_us, "microseconds of one hold, 1 to 1000000 (default 20000)");

static unsigned int pause_us = 80000;
module_param(pause_us, uint, 0444);
MODULE_PARM_DESC(pause_us, "microseconds asleep between two holds, 1000 to 1000000 (default 80000)");

static char *kind = "loop";
module_param(kind, charp, 0444);
MODULE_PARM_DESC(kind, "irqs, preempt, softirq, loop (default), cond_resched or might_sleep");

static unsigned int holds;
module_param(holds, uint, 0444);
MODULE_PARM_DESC(holds, "holds that have ended");

static struct task_struct *holder;

/*
 * A stack has to tell by its function which kind of hold was found. Where an
 * interrupt comes before a function has made its frame, arm64 misses the caller;
 * called from here, that is this function. The barrier() after it keeps the
 * compiler from jumping here instead of calling.
 */
static noinline void compute(void (*point)(void))
{
	u64 end_ns = ktime_get_ns() + hold_us * (u64)NSEC_PER_USEC;

	while (ktime_get_ns() < end_ns)
		point();
}

static void no_point(void)
{
	barrier();
}

static void cond_resched_point(void)
{
	cond_resched();
}

static void might_sleep_point(void)
{
	might_sleep();
}

static noinline void hold_irqs(void)
{
	local_irq_disable();
	compute(no_point);
	local_irq_enable();
}

static noinline void hold_preempt(void)
{
	preempt_disable();
	compute(no_point);
	preempt_enable();
}

static noinline void hold_softirq(struct tasklet_struct *unused)
{
	compute(no_point);
	barrier();
}

static DECLARE_TASKLET(softirq, hold_softirq);

/*
 * With bottom halves off nobody wakes ksoftirqd for it: whoever turns them on
 * again runs it, also with PREEMPT_RT, where that thread stays preemptible.
 */
static void raise_softirq_here(void)
{
	local_bh_disable();
	tasklet_schedule(&softirq);
	local_bh_enable();
}

static noinline void hold_loop(void)
{
	compute(no_point);
	barrier();
}

static noinline void hold_cond_resched(void)
{
	compute(cond_resched_point);
	barrier();
}

static noinline void hold_might_sleep(void)
{
	compute(might_sleep_point);
	barrier();
}

static const struct {
	const char *name;
	void (*hold)(void);
} kinds[] = {
	{ "irqs", hold_irqs },
	{ "preempt", hold_preempt },
	{ "softirq", raise_softirq_here },
	{ "loop", hold_loop },
	{ "cond_resched", hold_cond_resched },
	{ "might_sleep", hold_might_sleep },
};

static int hold_thread(void *data)
{
	void (*hold)(void) = data;

	while (!kthread_should_stop()) {
		hold();
		holds++;
		usleep_range(pause_us, pause_us + 1);
	}
	return 0;
}

static int __init wakelat_hold_init(void)
{
	unsigned int i;

	if (hold_us < 1 || hold_us > HOLD_US_MAX || pause_us < 1000 ||
	    pause_us > HOLD_US_MAX) {
		pr_err("hold_us=%u pause_us=%u: want 1 to %u and 1000 to %u (error %d)\n",
		       hold_us, pause_us, HOLD_US_MAX, HOLD_US_MAX, -ERANGE);
		return -ERANGE;
	}
	if (cpu >= nr_cpu_ids || !cpu_online(cpu)) {
		pr_err("cpu=%u: want one out of %*pbl (error %d)\n", cpu,
		       cpumask_pr_args(cpu_online_mask), -ENODEV);
		return -ENODEV;
	}
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kind, kinds[i].name))
			break;
	}
	if (i == ARRAY_SIZE(kinds)) {
		pr_err("kind=%s: want irqs, preempt, softirq, loop, cond_resched or might_sleep (error %d)\n",
		       kind, -EINVAL);
		return -EINVAL;
	}
	holder = kthread_create(hold_thread, kinds[i].hold, KBUILD_MODNAME);
	if (IS_ERR(holder))
		return PTR_ERR(holder);
	kthread_bind(holder, cpu);
	wake_up_process(holder);
	return 0;
}

static void __exit wakelat_hold_exit(void)
{
	kthread_stop(holder);
	tasklet_kill(&softirq);
}

module_init(wakelat_hold_init);
module_exit(wakelat_hold_exit);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wakelat authors");
MODULE_DESCRIPTION("Holds a CPU in the kernel for a known time, to test wakelat");
