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
#include <linux/sched/task_stack.h>
#include <linux/smpboot.h>
#include <linux/stacktrace.h>
#include <linux/vmalloc.h>
#include <asm/irq_regs.h>

#include "compat.h"

/*
 * Most samples that one late handler or thread adds with interrupts off, some
 * 10 ms of work; what a longer stop of the whole machine missed is dropped.
 */
#define CATCH_UP_MAX	1000000

#define THREADS		2

/* The frames of the interrupt itself, which are left out, have to fit too. */
#define TRACE_DEPTH	(WAKELAT_STACK_DEPTH + 24)

struct timer_thread {
	/* Expiries not yet seen by the thread: first_ns, then every step_ns. */
	u64 first_ns;
	u64 step_ns;
	unsigned long waiting;
	/* What the interrupt found that came when, or lately while, it waited. */
	struct wakelat_wait wait;
	struct wakelat_stack stack;
	struct wakelat_pop pop;
};

/* All of it belongs to its CPU, which touches it with interrupts off. */
struct timer_cpu {
	struct hrtimer timer;
	u64 period_ns;
	u64 expiries;		/* the parity decides whose turn it is */
	struct wakelat_stack stack;
	unsigned long trace[TRACE_DEPTH];
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

/* In an interrupt: whom did it find? */
static void find_interrupted(struct wakelat_wait *wait)
{
	struct pt_regs *regs = get_irq_regs();

	wakelat_who_is(&wait->instead, current);
	wait->in_user = regs && user_mode(regs);
}

/*
 * In an interrupt: the kernel code that it found, without the interrupt's own
 * frames. Some thousand instructions, so only for a wait that is long already.
 */
static void find_stack(struct timer_cpu *this, struct wakelat_stack *stack)
{
	struct pt_regs *regs = get_irq_regs();
	unsigned int depth, i;

	stack->depth = 0;
	if (!regs || user_mode(regs) || is_idle_task(current))
		return;
	stack->entry[stack->depth++] = instruction_pointer(regs);
	depth = stack_trace_save(this->trace, TRACE_DEPTH, 0);
	for (i = 0; i < depth; i++) {
		if (this->trace[i] == instruction_pointer(regs))
			break;
	}
	for (i++; i < depth && stack->depth < WAKELAT_STACK_DEPTH; i++)
		stack->entry[stack->depth++] = this->trace[i];
}

static void irq_was_late(struct timer_cpu *this, u64 late_ns, u64 now_ns)
{
	struct wakelat_wait wait = {
		.wait_ns = late_ns,
		.ended_ns = now_ns,
		.irq_late_ns = late_ns,
	};

	find_interrupted(&wait);
	find_stack(this, &this->stack);
	wakelat_worst_note(&this->irq, WAKELAT_TIMER_IRQ, &wait, &this->stack);
}

/* Hard interrupt. */
static enum hrtimer_restart timer_expired(struct hrtimer *timer)
{
	struct timer_cpu *this = container_of(timer, struct timer_cpu, timer);
	u64 expiry_ns = ktime_to_ns(hrtimer_get_expires(timer));
	ktime_t now = ktime_get();
	u64 now_ns = ktime_to_ns(now);
	unsigned int i;
	u64 n;

	n = hrtimer_forward(timer, now, ns_to_ktime(this->period_ns));
	record(&this->irq, expiry_ns, this->period_ns, max_t(u64, n, 1), now_ns);
	for (i = 0; i < THREADS; i++) {
		struct timer_thread *thread = &this->thread[i];
		bool skips_first = (this->expiries ^ i) & 1;
		u64 mine = (n + !skips_first) / 2;
		bool was_waiting = thread->waiting;

		if (!mine)
			continue;
		if (!was_waiting) {
			thread->first_ns = expiry_ns +
					   (skips_first ? this->period_ns : 0);
			thread->wait.irq_late_ns = now_ns - thread->first_ns;
			thread->stack.depth = 0;
			find_interrupted(&thread->wait);
		}
		WRITE_ONCE(thread->waiting, thread->waiting + mine);
		if (!was_waiting) {
			struct task_struct *task = *this_cpu_ptr(thread_tasks[i]);

			wake_up_process(task);
			wakelat_task_forget(task);
		}
	}
	this->expiries += n;
	for (i = 0; i < THREADS; i++) {
		struct timer_thread *thread = &this->thread[i];

		/*
		 * It may become one of the worst, and now the culprit runs. To
		 * wait until it is sure may be to wait for the last expiry.
		 */
		if (thread->waiting && !thread->stack.depth &&
		    now_ns - thread->first_ns > thread->pop.slow_ns / 2) {
			find_interrupted(&thread->wait);
			find_stack(this, &thread->stack);
		}
	}
	if (now_ns - expiry_ns > this->irq.slow_ns && now_ns >= expiry_ns)
		irq_was_late(this, now_ns - expiry_ns, now_ns);
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
		struct wakelat_wait *wait = &thread->wait;

		wait->ended_ns = ktime_get_ns();
		wait->wait_ns = wait->ended_ns - thread->first_ns;
		record(&thread->pop, thread->first_ns, thread->step_ns,
		       thread->waiting, wait->ended_ns);
		/* Of a wait over several expiries, the first is the worst. */
		if (wait->wait_ns > thread->pop.slow_ns &&
		    wait->ended_ns >= thread->first_ns) {
			wakelat_who_is(&wait->victim, current);
			wakelat_worst_note(&thread->pop, WAKELAT_TIMER_RT + i, wait,
					   &thread->stack);
		}
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

/* On the CPU itself with interrupts off, or for one that is offline. */
static void reset_cpu(void *data)
{
	struct timer_cpu *this = data;
	unsigned int i;

	wakelat_pop_reset(&this->irq);
	for (i = 0; i < THREADS; i++) {
		/* These expired before the reset. */
		WRITE_ONCE(this->thread[i].waiting, 0);
		wakelat_pop_reset(&this->thread[i].pop);
	}
}

static void *data_of(unsigned int cpu)
{
	return per_cpu(timer_cpu, cpu);
}

void wakelat_timer_reset(void)
{
	wakelat_on_each_cpu(reset_cpu, data_of);
}

struct wakelat_pop *wakelat_timer_pop(enum wakelat_population population, unsigned int cpu)
{
	struct timer_cpu *that = per_cpu(timer_cpu, cpu);

	if (population == WAKELAT_TIMER_IRQ)
		return &that->irq;
	return &that->thread[population - WAKELAT_TIMER_RT].pop;
}

unsigned long wakelat_timer_waiting(enum wakelat_population population, unsigned int cpu)
{
	if (population == WAKELAT_TIMER_IRQ)
		return 0;
	return READ_ONCE(per_cpu(timer_cpu, cpu)->thread[population - WAKELAT_TIMER_RT].waiting);
}

bool wakelat_timer_owns(const struct task_struct *task)
{
	return task == __this_cpu_read(rt_thread) || task == __this_cpu_read(fair_thread);
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
	return PAGE_ALIGN(sizeof(struct timer_cpu)) + 3 * wakelat_worst.value *
	       (sizeof(struct wakelat_wait) + sizeof(struct wakelat_stack));
}

static void free_cpus(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct timer_cpu *that = per_cpu(timer_cpu, cpu);

		if (!that)
			continue;
		wakelat_pop_destroy(&that->irq);
		for (i = 0; i < THREADS; i++)
			wakelat_pop_destroy(&that->thread[i].pop);
		vfree(that);
		per_cpu(timer_cpu, cpu) = NULL;
	}
}

static int alloc_cpu(unsigned int cpu)
{
	struct timer_cpu *that = vzalloc_node(sizeof(*that), cpu_to_node(cpu));
	unsigned int i;
	int err;

	if (!that)
		return -ENOMEM;
	per_cpu(timer_cpu, cpu) = that;
	hrtimer_setup(&that->timer, timer_expired, CLOCK_MONOTONIC,
		      HRTIMER_MODE_ABS_PINNED_HARD);
	err = wakelat_pop_init(&that->irq, true, true);
	for (i = 0; !err && i < THREADS; i++)
		err = wakelat_pop_init(&that->thread[i].pop, true, true);
	return err;
}

static int alloc_cpus(void)
{
	unsigned int cpu;
	int err;

	for_each_possible_cpu(cpu) {
		err = alloc_cpu(cpu);
		if (err) {
			free_cpus();
			return err;
		}
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
