// SPDX-License-Identifier: GPL-2.0-only
/* What was measured, on what and how: the head of summary and of dump. */
#include "wakelat.h"

#include <linux/hrtimer.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>

#include "compat.h"

static u64 clock_step_ns;

/*
 * The least difference between two readings of the clock: what a wait can be
 * told apart by, whatever the clock source claims.
 */
void __init wakelat_header_init(void)
{
	unsigned int i;

	clock_step_ns = U64_MAX;
	for (i = 0; i < 1000; i++) {
		u64 start_ns = ktime_get_ns();
		u64 step_ns;

		do {
			step_ns = ktime_get_ns() - start_ns;
		} while (!step_ns);
		clock_step_ns = min(clock_step_ns, step_ns);
	}
}

u64 wakelat_span_ns(void)
{
	u64 span_ns = wakelat_run.span_ns;

	if (wakelat_run.running)
		span_ns += ktime_get_ns() - wakelat_run.started_ns;
	return span_ns;
}

static void show_rt_priority(struct seq_file *m)
{
	unsigned int least, greatest;

	if (!wakelat_timer_rt_priority(&least, &greatest))
		seq_puts(m, "-");
	else if (least == greatest)
		seq_printf(m, "%u", least);
	else
		seq_printf(m, "%u-%u", least, greatest);
}

static const char *task_state(void)
{
	if (!wakelat_has_task)
		return "not available (kernel built without tracepoints)";
	return wakelat_task.value ? "on" : "off";
}

void wakelat_header_show(struct seq_file *m)
{
	u32 hz = wakelat_arch_timer_hz();
	u64 span_ms;
	u32 ms;

	span_ms = div_u64_rem(div_u64(wakelat_span_ns(), NSEC_PER_MSEC), MSEC_PER_SEC, &ms);
	seq_printf(m, "wakelat %s, kernel %s %s\n", WAKELAT_VERSION,
		   init_utsname()->release, init_utsname()->machine);
	seq_printf(m, "preemption model: %s", wakelat_preempt_model());
	if (wakelat_run.preempt_model &&
	    strcmp(wakelat_run.preempt_model, wakelat_preempt_model()))
		seq_printf(m, " (measuring began under %s)", wakelat_run.preempt_model);
	seq_printf(m, "; HZ %u\n", HZ);
	if (hz)
		seq_printf(m, "clock: CLOCK_MONOTONIC on arch_sys_counter, %u Hz", hz);
	else
		seq_puts(m, "clock: CLOCK_MONOTONIC");
	seq_printf(m, "; steps of %llu ns\n", clock_step_ns);
	if (wakelat_timer.value) {
		seq_printf(m, "expiry every %u us%s on CPUs %*pbl (online %*pbl)\n",
			   wakelat_period_us.value,
			   wakelat_stagger.value ? ", staggered," : ", all at once,",
			   cpumask_pr_args(&wakelat_cpus), cpumask_pr_args(cpu_online_mask));
		seq_puts(m, "real-time threads: SCHED_FIFO ");
		show_rt_priority(m);
		seq_printf(m, " (asked %u)\n", wakelat_rt_priority.value);
	} else {
		seq_puts(m, "timer: off\n");
	}
	seq_printf(m, "task: %s\n%s, measured %llu.%03u s; %zu KiB of memory\n",
		   task_state(), wakelat_run.running ? "running" : "stopped", span_ms, ms,
		   wakelat_bytes() / 1024);
}

void wakelat_header_dump(struct seq_file *m)
{
	u32 hz = wakelat_arch_timer_hz();

	seq_printf(m, "# module_version: %s\n", WAKELAT_VERSION);
	seq_printf(m, "# kernel_release: %s\n", init_utsname()->release);
	seq_printf(m, "# kernel_version: %s\n", init_utsname()->version);
	seq_printf(m, "# machine: %s\n", init_utsname()->machine);
	seq_printf(m, "# preempt_model: %s\n", wakelat_preempt_model());
	seq_printf(m, "# preempt_model_at_start: %s\n",
		   wakelat_run.preempt_model ? wakelat_run.preempt_model : "-");
	seq_printf(m, "# hz: %u\n", HZ);
	seq_puts(m, "# clock: CLOCK_MONOTONIC\n");
	seq_printf(m, "# clocksource: %s\n", hz ? "arch_sys_counter" : "-");
	if (hz)
		seq_printf(m, "# clocksource_hz: %u\n", hz);
	else
		seq_puts(m, "# clocksource_hz: -\n");
	seq_printf(m, "# clock_step_ns: %llu\n", clock_step_ns);
	seq_printf(m, "# cpus_possible: %*pbl\n", cpumask_pr_args(cpu_possible_mask));
	seq_printf(m, "# cpus_online: %*pbl\n", cpumask_pr_args(cpu_online_mask));
	seq_printf(m, "# cpus: %*pbl\n", cpumask_pr_args(&wakelat_cpus));
	seq_printf(m, "# timer: %s\n", wakelat_timer.value ? "on" : "off");
	seq_printf(m, "# period_us: %u\n", wakelat_period_us.value);
	seq_printf(m, "# rt_priority: %u\n", wakelat_rt_priority.value);
	seq_puts(m, "# rt_priority_reached: ");
	show_rt_priority(m);
	seq_printf(m, "\n# stagger: %u\n", wakelat_stagger.value);
	seq_printf(m, "# task: %s\n", task_state());
	seq_printf(m, "# task_clock: %s\n", wakelat_task_clock());
	seq_printf(m, "# task_waits: %u\n", wakelat_task_waits.value);
	seq_printf(m, "# task_probe_ns: %u\n", wakelat_task_probe_ns());
	seq_printf(m, "# worst: %u\n", wakelat_worst.value);
	seq_printf(m, "# timeline_ms: %u\n", wakelat_timeline_ms.value);
	seq_printf(m, "# timeline_windows: %u\n", wakelat_timeline_windows.value);
	seq_printf(m, "# running: %u\n", wakelat_run.running);
	seq_printf(m, "# started_ns: %llu\n", wakelat_run.started_ns);
	seq_printf(m, "# span_ns: %llu\n", wakelat_span_ns());
	seq_printf(m, "# cpu_bytes: %zu\n", wakelat_timer_cpu_bytes());
	seq_printf(m, "# bytes: %zu\n", wakelat_bytes());
}
