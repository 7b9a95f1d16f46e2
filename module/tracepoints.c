// SPDX-License-Identifier: GPL-2.0-only
/*
 * The probes of task.c: their memory, registering them with the tracepoints, and
 * what is read of them.
 */
#include "task.h"

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/spinlock.h>
#include <linux/tracepoint.h>
#include <linux/vmalloc.h>
#include <trace/events/sched.h>

#include "clock.h"
#include "compat.h"

#define MEASURE_PAIRS	1000

/* Pointers: a module's static per-CPU space is 8 KiB. */
static DEFINE_PER_CPU(struct task_stats *, task_stats);

static struct task_probes probes = {
	.stats = &task_stats,
};

static enum clock clock;
static u32 probe_ns;
static bool probing;

/*
 * Not exported, so found by name. In the order of registering and of
 * unregistering: without sched_switch nobody ends a wait, and what is in the
 * table then goes. Without the wakeups an old one could be taken for the last.
 */
static struct {
	const char *name;
	void *probe[2];		/* by clock */
	struct tracepoint *tracepoint;
} events[] = {
	{ "sched_switch", { wakelat_switch_kernel, wakelat_switch_counter } },
	{ "sched_wakeup_new", { wakelat_wakeup_new_kernel, wakelat_wakeup_new_counter } },
	{ "sched_waking", { wakelat_waking_kernel, wakelat_waking_counter } },
};

/* Fails to compile if the kernel calls one of them otherwise. */
static inline void __maybe_unused check_probes(void)
{
	check_trace_callback_type_sched_switch(wakelat_switch_kernel);
	check_trace_callback_type_sched_wakeup_new(wakelat_wakeup_new_kernel);
	check_trace_callback_type_sched_waking(wakelat_waking_kernel);
}

static void find_event(struct tracepoint *tracepoint, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!strcmp(tracepoint->name, events[i].name))
			events[i].tracepoint = tracepoint;
	}
}

/* Returns when no probe runs any more. */
static void unregister_events(unsigned int registered)
{
	unsigned int i;

	for (i = 0; i < registered; i++) {
		tracepoint_probe_unregister(events[i].tracepoint, events[i].probe[clock],
					    &probes);
		tracepoint_synchronize_unregister();
	}
}

/*
 * Events on a CPU that is not online are not told, so that wakeups go by between
 * its first and its last step of coming or going. The steps are serialised by
 * the lock, as CPUs that come side by side call these two on different ones.
 */
static DEFINE_SPINLOCK(blind_lock);

static int blind_begin(unsigned int cpu)
{
	spin_lock(&blind_lock);
	wakelat_pairing_blind_begin(&probes.pairing);
	spin_unlock(&blind_lock);
	return 0;
}

static int blind_end(unsigned int cpu)
{
	spin_lock(&blind_lock);
	wakelat_pairing_blind_end(&probes.pairing);
	spin_unlock(&blind_lock);
	return 0;
}

static enum cpuhp_state online_state, prepare_state;

/* No CPU may come or go between the two, or it would be counted once. */
static int watch_hotplug(void)
{
	int state;

	cpus_read_lock();
	probes.pairing.blind = 0;
	state = __cpuhp_setup_state_cpuslocked(CPUHP_BP_PREPARE_DYN, "wakelat/task:prepare",
					       false, blind_begin, blind_end, false);
	if (state < 0)
		goto out_unlock;
	prepare_state = state;
	state = __cpuhp_setup_state_cpuslocked(CPUHP_AP_ONLINE_DYN, "wakelat/task:online",
					       false, blind_end, blind_begin, false);
	if (state < 0)
		__cpuhp_remove_state_cpuslocked(prepare_state, false);
	online_state = state;
out_unlock:
	cpus_read_unlock();
	return min(state, 0);
}

static void unwatch_hotplug(void)
{
	cpus_read_lock();
	__cpuhp_remove_state_cpuslocked(online_state, false);
	__cpuhp_remove_state_cpuslocked(prepare_state, false);
	cpus_read_unlock();
}

/* Interrupts off: nothing is switched here meanwhile. */
static void forget_switched(void *data)
{
	struct task_stats *this = data;

	this->switched = 0;
	memset(this->long_run, 0, sizeof(this->long_run));
}

static void *data_of(unsigned int cpu)
{
	return per_cpu(task_stats, cpu);
}

static size_t table_bytes(void)
{
	return (probes.pairing.mask + 1) * sizeof(*probes.pairing.bucket);
}

int wakelat_task_start(void)
{
	unsigned int i;
	int err;

	err = watch_hotplug();
	if (err)
		return err;
	memset(probes.pairing.bucket, 0, table_bytes());
	wakelat_on_each_cpu(forget_switched, data_of);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		err = tracepoint_probe_register(events[i].tracepoint, events[i].probe[clock],
						&probes);
		if (err) {
			unregister_events(i);
			unwatch_hotplug();
			return err;
		}
	}
	probing = true;
	return 0;
}

void wakelat_task_stop(void)
{
	if (!probing)
		return;
	unregister_events(ARRAY_SIZE(events));
	unwatch_hotplug();
	probing = false;
}

static void reset_cpu(void *data)
{
	struct task_stats *this = data;
	unsigned int i;

	memset(&this->counters, 0, sizeof(this->counters));
	for (i = 0; i < TASK_POPS; i++)
		wakelat_pop_reset(&this->pop[i]);
}

void wakelat_task_reset(void)
{
	wakelat_on_each_cpu(reset_cpu, data_of);
}

struct wakelat_pop *wakelat_task_pop(enum wakelat_population population, unsigned int cpu)
{
	unsigned int nth = population - WAKELAT_TASK;

	return &per_cpu(task_stats, cpu)->pop[pop_of(nth / WAKELAT_CLASSES,
						     nth % WAKELAT_CLASSES)];
}

void wakelat_task_counters(unsigned int cpu, struct wakelat_task_counters *counters)
{
	*counters = per_cpu(task_stats, cpu)->counters;
}

u32 wakelat_task_waiting(void)
{
	return probing ? wakelat_pairing_waiting(&probes.pairing) : 0;
}

void wakelat_task_forget(const struct task_struct *task)
{
	if (probing)
		wakelat_pairing_forget(&probes.pairing, task->pid);
}

u32 wakelat_task_probe_ns(void)
{
	return probe_ns;
}

const char *wakelat_task_clock(void)
{
	return clock == CLOCK_COUNTER ? "cntvct_el0" : "ktime_get_mono_fast_ns";
}

size_t wakelat_task_bytes(void)
{
	return num_possible_cpus() *
	       (PAGE_ALIGN(sizeof(struct task_stats)) +
		TASK_POPS * wakelat_worst.value * sizeof(struct wakelat_wait)) +
	       table_bytes();
}

static void switch_to_current(void)
{
	wakelat_switch_fn *probe = events[0].probe[clock];

	CALL_SWITCH(probe, &probes, false, &init_task, current, 0);
}

/*
 * The probes' own time, before they are registered. This task plays all parts:
 * woken it would count as running, so it is new each time.
 */
static void measure_probes(void)
{
	wakelat_wakeup_fn *wakeup_new = events[1].probe[clock];
	u64 start_ns;
	unsigned int i;

	preempt_disable();
	start_ns = ktime_get_ns();
	for (i = 0; i < MEASURE_PAIRS; i++) {
		local_irq_disable();
		wakeup_new(&probes, current);
		switch_to_current();
		local_irq_enable();
	}
	probe_ns = div_u64(ktime_get_ns() - start_ns, MEASURE_PAIRS);
	preempt_enable();
}

static void free_memory(void)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		struct task_stats *that = per_cpu(task_stats, cpu);

		for (i = 0; that && i < TASK_POPS; i++)
			wakelat_pop_destroy(&that->pop[i]);
		vfree(that);
		per_cpu(task_stats, cpu) = NULL;
	}
	vfree(probes.pairing.bucket);
}

static int alloc_memory(void)
{
	unsigned int buckets = roundup_pow_of_two(wakelat_task_waits.value) /
			       WAKELAT_PAIRING_SLOTS;
	unsigned int cpu, i;

	/* Page by page, so aligned to cache lines. */
	probes.pairing.bucket = vzalloc(buckets * sizeof(*probes.pairing.bucket));
	probes.pairing.mask = buckets - 1;
	if (!probes.pairing.bucket)
		return -ENOMEM;
	for_each_possible_cpu(cpu) {
		struct task_stats *that = vzalloc_node(sizeof(*that), cpu_to_node(cpu));

		per_cpu(task_stats, cpu) = that;
		if (!that)
			return -ENOMEM;
		for (i = 0; i < TASK_POPS; i++) {
			if (wakelat_pop_init(&that->pop[i], true, false))
				return -ENOMEM;
		}
	}
	return 0;
}

int wakelat_task_init(void)
{
	unsigned int i;
	int err;

	for_each_kernel_tracepoint(find_event, NULL);
	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (!events[i].tracepoint) {
			pr_err("this kernel has no tracepoint %s (error %d)\n",
			       events[i].name, -ENOENT);
			return -ENOENT;
		}
	}
	clock = clock_choose(&probes.mult, &probes.shift);
	for (i = 0; i < ARRAY_SIZE(probes.pop_at); i++)
		probes.pop_at[i] = offsetof(struct task_stats,
					    pop[pop_of(i % WAKELAT_KINDS,
						       wakelat_class_of(i / WAKELAT_KINDS))]);
	err = alloc_memory();
	if (err) {
		free_memory();
		return err;
	}
	measure_probes();
	wakelat_task_reset();
	return 0;
}

/* After stop, which has waited for the probes. */
void wakelat_task_exit(void)
{
	free_memory();
}
