// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timer populations: how late is a hard timer interrupt, and how late do a
 * real-time and a normal thread run that it wakes?
 *
 * Each sampled CPU has one pinned, hard, absolute hrtimer. Its expiries go to
 * the CPU's two threads in turns, so that in a machine that keeps up one thread
 * has long gone back to sleep when the other is woken. All three populations
 * measure from the programmed expiry, also for periods that were missed: a wait
 * of ten periods is ten samples, each with its own length.
 */
#include "wakelat.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/smp.h>
#include <linux/smpboot.h>
#include <linux/vmalloc.h>

#include "compat.h"

/*
 * Most samples that one late handler or thread adds with interrupts off, some
 * 10 ms of work; what a longer stop of the whole machine missed is dropped.
 */
#define CATCH_UP_MAX	1000000

#define THREADS		2

struct timer_thread {
	/* Expiries not yet seen by the thread: first_ns, then every step_ns. */
	u64 first_ns;
	u64 step_ns;
	unsigned long waiting;
	struct wakelat_pop pop;
};

/* All of it belongs to its CPU, which touches it with interrupts off. */
struct timer_cpu {
	struct hrtimer timer;
	u64 period_ns;
	u64 expiries;		/* the parity decides whose turn it is */
	struct wakelat_pop irq;
	struct timer_thread thread[THREADS];	/* real-time, normal */
};

/* Pointers: a module's static per-CPU space is 8 KiB. */
static DEFINE_PER_CPU(struct timer_cpu *, timer_cpu);
static DEFINE_PER_CPU(struct task_struct *, rt_thread);
static DEFINE_PER_CPU(struct task_struct *, fair_thread);

static struct task_struct * __percpu * const thread_tasks[THREADS] = {
	&rt_thread, &fair_thread
};

static enum cpuhp_state online_state;
static u64 epoch_ns;	/* set while nothing runs */

/* @n waits began at @first_ns and every @step_ns after it; all end at @now_ns. */
static void record(struct wakelat_pop *pop, u64 first_ns, u64 step_ns, u64 n,
		   u64 now_ns)
{
	struct wakelat_samples *samples = &pop->samples;
	u64 kept = min_t(u64, n, CATCH_UP_MAX);
	u64 expiry_ns = first_ns;

	write_seqcount_begin(&pop->seq);
	samples->missed += n - 1;
	samples->dropped += n - kept;
	for (; kept; kept--, expiry_ns += step_ns) {
		if (now_ns >= expiry_ns)
			wakelat_hist_add(&samples->hist, now_ns - expiry_ns);
		else
			samples->backwards++;
	}
	write_seqcount_end(&pop->seq);
}

/* Hard interrupt. */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct timer_cpu *this = container_of(timer, struct timer_cpu, timer);
	u64 expiry_ns = ktime_to_ns(hrtimer_get_expires(timer));
	ktime_t now = ktime_get();
	unsigned int i;
	u64 n;

	n = hrtimer_forward(timer, now, ns_to_ktime(this->period_ns));
	record(&this->irq, expiry_ns, this->period_ns, max_t(u64, n, 1),
	       ktime_to_ns(now));
	for (i = 0; i < THREADS; i++) {
		struct timer_thread *thread = &this->thread[i];
		bool skips_first = (this->expiries ^ i) & 1;
		u64 mine = (n + !skips_first) / 2;
		bool was_waiting = thread->waiting;

		if (!mine)
			continue;
		if (!was_waiting)
			thread->first_ns = expiry_ns +
					   (skips_first ? this->period_ns : 0);
		WRITE_ONCE(thread->waiting, thread->waiting + mine);
		if (!was_waiting)
			wake_up_process(*this_cpu_ptr(thread_tasks[i]));
	}
	this->expiries += n;
	return HRTIMER_RESTART;
}

/*
 * A thread calls this with preemption off as the first thing when it has been
 * switched in. All is done here and not in a thread function, before which the
 * thread could be preempted once more.
 */
static int take_samples(unsigned int cpu, unsigned int i)
{
	struct timer_thread *thread = &per_cpu(timer_cpu, cpu)->thread[i];
	unsigned long flags;

	local_irq_save(flags);
	if (thread->waiting) {
		record(&thread->pop, thread->first_ns, thread->step_ns,
		       thread->waiting, ktime_get_ns());
		WRITE_ONCE(thread->waiting, 0);
	}
	local_irq_restore(flags);
	return 0;
}

static int rt_should_run(unsigned int cpu)
{
	return take_samples(cpu, 0);
}

static int fair_should_run(unsigned int cpu)
{
	return take_samples(cpu, 1);
}

/* The last expiries before the CPU goes away have their waits too. */
static void rt_park(unsigned int cpu)
{
	take_samples(cpu, 0);
}

static void fair_park(unsigned int cpu)
{
	take_samples(cpu, 1);
}

static void rt_setup(unsigned int cpu)
{
	wakelat_set_fifo(current, wakelat_rt_priority.value);
}

/* The kernel parks and unparks these as CPUs go and come. */
static struct smp_hotplug_thread threads[THREADS] = {
	{
		.store = &rt_thread,
		.setup = rt_setup,
		.thread_should_run = rt_should_run,
		.park = rt_park,
		.thread_comm = "wakelat_rt/%u",
	}, {
		.store = &fair_thread,
		.thread_should_run = fair_should_run,
		.park = fair_park,
		.thread_comm = "wakelat_fair/%u",
	}
};

/*
 * Runs on @cpu in its hotplug thread, when measuring starts and whenever the
 * CPU comes: a pinned timer belongs to the CPU that starts it.
 */
static int cpu_start(unsigned int cpu)
{
	struct timer_cpu *this = per_cpu(timer_cpu, cpu);
	u64 first_ns, late_ns;
	unsigned int i;

	if (!cpumask_test_cpu(cpu, &wakelat_cpus))
		return 0;

	local_irq_disable();
	this->period_ns = (u64)wakelat_period_us.value * NSEC_PER_USEC;
	for (i = 0; i < THREADS; i++) {
		struct timer_thread *thread = &this->thread[i];

		/* An earlier run was stopped before these could end. */
		write_seqcount_begin(&thread->pop.seq);
		thread->pop.samples.dropped += thread->waiting;
		write_seqcount_end(&thread->pop.seq);
		WRITE_ONCE(thread->waiting, 0);
		thread->step_ns = THREADS * this->period_ns;
	}
	local_irq_enable();

	/* One common beat, on which each CPU has its own place in the period. */
	first_ns = epoch_ns + this->period_ns;
	if (wakelat_stagger.value)
		first_ns += div_u64(this->period_ns * cpu, nr_cpu_ids);
	late_ns = ktime_get_ns();
	if (late_ns > first_ns)
		first_ns += (div64_u64(late_ns - first_ns, this->period_ns) + 1) *
			    this->period_ns;
	hrtimer_start(&this->timer, ns_to_ktime(first_ns),
		      HRTIMER_MODE_ABS_PINNED_HARD);
	return 0;
}

/* Runs on @cpu, before its threads are parked. */
static int cpu_stop(unsigned int cpu)
{
	hrtimer_cancel(&per_cpu(timer_cpu, cpu)->timer);
	return 0;
}

int wakelat_timer_start(void)
{
	unsigned int cpu;
	int state;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		wakelat_set_fifo(per_cpu(rt_thread, cpu), wakelat_rt_priority.value);
	cpus_read_unlock();

	epoch_ns = ktime_get_ns();
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "wakelat:online",
				  cpu_start, cpu_stop);
	if (state < 0)
		return state;
	online_state = state;
	return 0;
}

void wakelat_timer_stop(void)
{
	cpuhp_remove_state(online_state);
}

static void reset_pop(struct wakelat_pop *pop)
{
	write_seqcount_begin(&pop->seq);
	memset(&pop->samples, 0, sizeof(pop->samples));
	write_seqcount_end(&pop->seq);
}

/* On the CPU itself with interrupts off, or for one that is offline. */
static void reset_cpu(void *data)
{
	struct timer_cpu *this = data;
	unsigned int i;

	reset_pop(&this->irq);
	for (i = 0; i < THREADS; i++) {
		/* These expired before the reset. */
		WRITE_ONCE(this->thread[i].waiting, 0);
		reset_pop(&this->thread[i].pop);
	}
}

void wakelat_timer_reset(void)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct timer_cpu *that = per_cpu(timer_cpu, cpu);

		if (cpu_online(cpu)) {
			smp_call_function_single(cpu, reset_cpu, that, 1);
		} else {
			preempt_disable();
			reset_cpu(that);
			preempt_enable();
		}
	}
	cpus_read_unlock();
}

void wakelat_timer_read(enum wakelat_population population, unsigned int cpu,
			struct wakelat_samples *samples, unsigned long *waiting)
{
	struct timer_cpu *that = per_cpu(timer_cpu, cpu);
	struct wakelat_pop *pop = &that->irq;
	unsigned int seq;

	*waiting = 0;
	if (population != WAKELAT_TIMER_IRQ) {
		struct timer_thread *thread =
			&that->thread[population - WAKELAT_TIMER_RT];

		pop = &thread->pop;
		*waiting = READ_ONCE(thread->waiting);
	}
	do {
		seq = read_seqcount_begin(&pop->seq);
		*samples = pop->samples;
	} while (read_seqcount_retry(&pop->seq, seq));
}

bool wakelat_timer_rt_priority(unsigned int *least, unsigned int *greatest)
{
	unsigned int cpu;

	*least = UINT_MAX;
	*greatest = 0;
	for_each_cpu(cpu, &wakelat_cpus) {
		struct task_struct *task = per_cpu(rt_thread, cpu);
		unsigned int priority;

		if (!task)
			continue;
		/* Zero for every policy but FIFO and RR. */
		priority = READ_ONCE(task->rt_priority);
		*least = min(*least, priority);
		*greatest = max(*greatest, priority);
	}
	return *least != UINT_MAX;
}

size_t wakelat_timer_cpu_bytes(void)
{
	return PAGE_ALIGN(sizeof(struct timer_cpu));
}

static void free_cpus(void)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		vfree(per_cpu(timer_cpu, cpu));
		per_cpu(timer_cpu, cpu) = NULL;
	}
}

static int alloc_cpus(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct timer_cpu *that;

		that = vzalloc_node(sizeof(*that), cpu_to_node(cpu));
		if (!that) {
			free_cpus();
			return -ENOMEM;
		}
		hrtimer_setup(&that->timer, timer_expired, CLOCK_MONOTONIC,
			      HRTIMER_MODE_ABS_PINNED_HARD);
		seqcount_init(&that->irq.seq);
		for (i = 0; i < THREADS; i++)
			seqcount_init(&that->thread[i].pop.seq);
		per_cpu(timer_cpu, cpu) = that;
	}
	return 0;
}

/*
 * Before v6.1.113 and v6.11.4 the kernel warns when a per-CPU thread is stopped
 * that was never parked.
 */
static void unregister_threads(unsigned int i)
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_online_cpu(cpu)
		kthread_park(*per_cpu_ptr(thread_tasks[i], cpu));
	cpus_read_unlock();
	smpboot_unregister_percpu_thread(&threads[i]);
}

int wakelat_timer_init(void)
{
	unsigned int i;
	int err;

	err = alloc_cpus();
	if (err)
		return err;
	for (i = 0; i < THREADS; i++) {
		err = smpboot_register_percpu_thread(&threads[i]);
		if (err)
			goto err_unregister_threads;
	}
	return 0;

err_unregister_threads:
	while (i--)
		unregister_threads(i);
	free_cpus();
	return err;
}

void wakelat_timer_exit(void)
{
	unsigned int i = THREADS;

	while (i--)
		unregister_threads(i);
	free_cpus();
}
