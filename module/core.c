// SPDX-License-Identifier: GPL-2.0-only
/*
 * wakelat: how long does a task wait between the moment it should run and the
 * moment it runs? See README.md and Documentation/.
 */
#include "wakelat.h"

#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "compat.h"

DEFINE_MUTEX(wakelat_mutex);	/* wakelat.h says what it protects */
struct wakelat_run wakelat_run;

/*
 * At 100 us even a 1 GHz Cortex-A35 with all CPUs sampled has nine tenths of
 * its time left for others.
 */
struct wakelat_knob wakelat_period_us = { "period_us", 1000, 100, 1000000 };
/* 50 is what every kernel lets a module have, so that kernels compare. */
struct wakelat_knob wakelat_rt_priority = { "rt_priority", 50, 1, 99 };
struct wakelat_knob wakelat_stagger = { "stagger", 1, 0, 1 };
static struct wakelat_knob enable = { "enable", 1, 0, 1 };
struct wakelat_knob wakelat_timer = { "timer", 1, 0, 1 };
struct wakelat_knob wakelat_task = { "task", 1, 0, 1 };
struct wakelat_knob wakelat_worst = { "worst", 8, 0, 32 };
struct wakelat_knob wakelat_task_waits = { "task_waits", 4096, 64, 1048576 };
struct wakelat_knob wakelat_stop_tracing = { "stop_tracing", 0, 0, 1 };
struct wakelat_knob wakelat_timeline_ms = { "timeline_ms", 1000, 0, 60000 };
struct wakelat_knob wakelat_timeline_windows = { "timeline_windows", 128, 1, 4096 };

struct cpumask wakelat_cpus;
/* With wakelat_mutex: sysfs lets knobs be set before load ends and after exit. */
static bool loaded;

/* A sysfs write ends in a newline, which would break the log line. */
static int printable(const char *text)
{
	return strcspn(text, "\n");
}

/*
 * With wakelat_mutex held, before what a header states is changed. Samples taken
 * under the old value would no longer be what it says, so they go.
 */
static int prepare_change(const char *name, const char *text)
{
	if (!wakelat_run.running) {
		if (loaded)
			wakelat_reset();
		return 0;
	}
	pr_err("%s=%.*s: refused while measuring (error %d); write 0 to enable first\n",
	       name, printable(text), text, -EBUSY);
	return -EBUSY;
}

static int knob_set(const char *text, const struct kernel_param *kp)
{
	struct wakelat_knob *knob = kp->arg;
	unsigned int value;
	int err;

	err = kstrtouint(text, 0, &value);
	if (!err && (value < knob->min || value > knob->max))
		err = -ERANGE;
	if (err) {
		pr_err("%s=%.*s: want a number from %u to %u (error %d)\n",
		       knob->name, printable(text), text, knob->min, knob->max, err);
		return err;
	}
	mutex_lock(&wakelat_mutex);
	err = prepare_change(knob->name, text);
	if (!err)
		knob->value = value;
	mutex_unlock(&wakelat_mutex);
	return err;
}

static int knob_get(char *buffer, const struct kernel_param *kp)
{
	const struct wakelat_knob *knob = kp->arg;

	return scnprintf(buffer, PAGE_SIZE, "%u\n", knob->value);
}

static const struct kernel_param_ops knob_ops = {
	.set = knob_set,
	.get = knob_get,
};

static int cpus_set(const char *text, const struct kernel_param *kp)
{
	cpumask_var_t cpus;
	int err;

	if (!alloc_cpumask_var(&cpus, GFP_KERNEL))
		return -ENOMEM;
	err = cpulist_parse(text, cpus);
	if (!err && cpumask_empty(cpus))
		err = -EINVAL;
	else if (!err && !cpumask_subset(cpus, cpu_possible_mask))
		err = -ERANGE;
	if (err) {
		pr_err("cpus=%.*s: want a list of CPUs out of %*pbl (error %d)\n",
		       printable(text), text, cpumask_pr_args(cpu_possible_mask),
		       err);
		goto out_free;
	}
	mutex_lock(&wakelat_mutex);
	err = prepare_change("cpus", text);
	if (!err) {
		cpumask_copy(&wakelat_cpus, cpus);
		wakelat_run.layout++;
	}
	mutex_unlock(&wakelat_mutex);
out_free:
	free_cpumask_var(cpus);
	return err;
}

static int cpus_get(char *buffer, const struct kernel_param *kp)
{
	return scnprintf(buffer, PAGE_SIZE, "%*pbl\n", cpumask_pr_args(&wakelat_cpus));
}

static const struct kernel_param_ops cpus_ops = {
	.set = cpus_set,
	.get = cpus_get,
};

module_param_cb(cpus, &cpus_ops, NULL, 0644);
MODULE_PARM_DESC(cpus, "CPUs to sample, as a list like 0,2-3 (default: all, also those that come later)");
module_param_cb(enable, &knob_ops, &enable, 0444);
MODULE_PARM_DESC(enable, "1: measure from load on (default), 0: wait for a write to debugfs");
module_param_cb(period_us, &knob_ops, &wakelat_period_us, 0644);
MODULE_PARM_DESC(period_us, "microseconds between two expiries on a CPU, 100 to 1000000 (default 1000); each thread gets every second one");
module_param_cb(rt_priority, &knob_ops, &wakelat_rt_priority, 0644);
MODULE_PARM_DESC(rt_priority, "SCHED_FIFO priority of the real-time threads, 1 to 99 (default 50); before v5.17 always 50");
module_param_cb(stop_tracing, &knob_ops, &wakelat_stop_tracing, 0644);
MODULE_PARM_DESC(stop_tracing, "1: a wait past its threshold_us stops ftrace's recording (default 0)");
module_param_cb(task, &knob_ops, &wakelat_task, 0644);
MODULE_PARM_DESC(task, "1: measure every task's wait, where the kernel has tracepoints (default), 0: do not");
module_param_cb(task_waits, &knob_ops, &wakelat_task_waits, 0444);
MODULE_PARM_DESC(task_waits, "tasks that can wait at one time, 64 to 1048576, rounded up to a power of two (default 4096); 16 bytes each");
module_param_cb(timeline_ms, &knob_ops, &wakelat_timeline_ms, 0444);
MODULE_PARM_DESC(timeline_ms, "milliseconds of a window of the timeline, up to 60000; 0: no timeline (default 1000)");
module_param_cb(timeline_windows, &knob_ops, &wakelat_timeline_windows, 0444);
MODULE_PARM_DESC(timeline_windows, "windows that the timeline keeps, 1 to 4096 (default 128); 1420 bytes each");
module_param_cb(timer, &knob_ops, &wakelat_timer, 0644);
MODULE_PARM_DESC(timer, "1: measure from timers (default), 0: do not");
module_param_cb(worst, &knob_ops, &wakelat_worst, 0444);
MODULE_PARM_DESC(worst, "longest waits to keep of each population and CPU, up to 32 (default 8)");
module_param_cb(stagger, &knob_ops, &wakelat_stagger, 0644);
MODULE_PARM_DESC(stagger, "1: spread the CPUs' expiries over the period (default), 0: let them coincide");

/* Timers first, so that the probes do not see their start. */
static int start_timers(void)
{
	unsigned int least, greatest;
	int err;

	if (!wakelat_timer.value)
		return 0;
	err = wakelat_timer_start();
	if (err) {
		pr_err("cannot start the timers (error %d)\n", err);
		return err;
	}
	if (wakelat_timer_rt_priority(&least, &greatest) &&
	    least != wakelat_rt_priority.value)
		pr_warn("rt_priority=%u: this kernel gives a module %u; chrt can raise it\n",
			wakelat_rt_priority.value, least);
	return 0;
}

int wakelat_start(void)
{
	int err;

	if (wakelat_run.running)
		return -EBUSY;
	if (!wakelat_timer.value && !(wakelat_has_task && wakelat_task.value)) {
		pr_err("nothing to measure: timer=0, and task=%u %s (error %d)\n",
		       wakelat_task.value,
		       wakelat_has_task ? "" : "without CONFIG_TRACEPOINTS", -EINVAL);
		return -EINVAL;
	}
	err = start_timers();
	if (err)
		return err;
	if (wakelat_task.value) {
		err = wakelat_task_start();
		if (err) {
			pr_err("cannot register with the tracepoints (error %d)\n", err);
			goto err_stop_timers;
		}
	}
	wakelat_run.running = true;
	wakelat_run.preempt_model = wakelat_preempt_model();
	wakelat_run.started_ns = ktime_get_ns();
	wakelat_timeline_start();
	return 0;

err_stop_timers:
	if (wakelat_timer.value)
		wakelat_timer_stop();
	return err;
}

void wakelat_stop(void)
{
	if (!wakelat_run.running)
		return;
	wakelat_task_stop();
	if (wakelat_timer.value)
		wakelat_timer_stop();
	wakelat_timeline_stop();
	wakelat_run.running = false;
	wakelat_run.span_ns += ktime_get_ns() - wakelat_run.started_ns;
}

void wakelat_reset(void)
{
	wakelat_timer_reset();
	wakelat_task_reset();
	wakelat_watch_reset();
	wakelat_timeline_reset();
	wakelat_run.layout++;
	wakelat_run.span_ns = 0;
	wakelat_run.started_ns = ktime_get_ns();
}

size_t wakelat_bytes(void)
{
	return num_possible_cpus() * wakelat_timer_cpu_bytes() + wakelat_task_bytes() +
	       wakelat_watch_bytes() + wakelat_timeline_bytes();
}

static int __init wakelat_init(void)
{
	int err;

	if (hrtimer_resolution > 1) {
		pr_err("timers have a resolution of %u ns here: this needs CONFIG_HIGH_RES_TIMERS, and no highres=off (error %d)\n",
		       hrtimer_resolution, -EOPNOTSUPP);
		return -EOPNOTSUPP;
	}
	if (cpumask_empty(&wakelat_cpus))
		cpumask_copy(&wakelat_cpus, cpu_possible_mask);
	wakelat_header_init();

	err = wakelat_timer_init();
	if (err) {
		pr_err("cannot set up the timers (error %d)\n", err);
		return err;
	}
	err = wakelat_task_init();
	if (err) {
		pr_err("cannot set up the task probes (error %d)\n", err);
		goto err_timer_exit;
	}
	err = wakelat_timeline_init();
	if (err) {
		pr_err("cannot set up the timeline (error %d)\n", err);
		goto err_task_exit;
	}
	err = wakelat_debugfs_init();
	if (err)
		goto err_timeline_exit;

	mutex_lock(&wakelat_mutex);
	if (enable.value)
		err = wakelat_start();
	loaded = !err;
	mutex_unlock(&wakelat_mutex);
	if (err)
		goto err_debugfs_exit;
	return 0;

err_debugfs_exit:
	wakelat_debugfs_exit();
	wakelat_watch_exit();
err_timeline_exit:
	wakelat_timeline_exit();
err_task_exit:
	wakelat_task_exit();
err_timer_exit:
	wakelat_timer_exit();
	return err;
}

static void __exit wakelat_exit(void)
{
	wakelat_debugfs_exit();
	mutex_lock(&wakelat_mutex);
	wakelat_stop();
	loaded = false;
	mutex_unlock(&wakelat_mutex);
	wakelat_watch_exit();
	wakelat_timeline_exit();
	wakelat_task_exit();
	wakelat_timer_exit();
}

module_init(wakelat_init);
module_exit(wakelat_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(WAKELAT_VERSION);
MODULE_AUTHOR("The wakelat authors");
MODULE_DESCRIPTION("Wakeup latency histograms from timers, with or without tracepoints");
