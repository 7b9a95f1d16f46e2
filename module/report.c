// SPDX-License-Identifier: GPL-2.0-only
/* The text of summary, for people. */
#include "wakelat.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>

#include "compat.h"
#include "rule.h"

/* Quantiles that summary shows, in parts per million. */
static const u32 shown_ppm[] = { 500000, 900000, 990000, 999000, 999900 };

/* Too large for the stack. */
struct summary {
	struct wakelat_samples samples;
	struct wakelat_samples total;	/* over the sampled CPUs */
	u64 over, backwards, dropped;	/* and over all populations */
	u64 waits;			/* of all tasks */
};

/* Microseconds with one decimal, rounded up: a bound stays a bound. */
static void show_us(struct seq_file *m, int width, u64 ns)
{
	u64 tenths = div_u64(ns + 99, 100);
	u64 us = div_u64(tenths, 10);

	seq_printf(m, " %*llu.%u", width - 3, us, (u32)(tenths - us * 10));
}

static void show_figures(struct seq_file *m, const struct wakelat_hist *hist)
{
	u64 low_ns, high_ns;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shown_ppm); i++) {
		if (wakelat_hist_quantile(hist, shown_ppm[i], &low_ns, &high_ns))
			show_us(m, 8, high_ns);
		else
			seq_printf(m, " %7s", "-");
	}
	if (hist->count)
		show_us(m, 8, hist->max_ns);
	else
		seq_printf(m, " %7s", "-");
	seq_putc(m, '\n');
}

static void show_figure_names(struct seq_file *m)
{
	seq_printf(m, " %7s %7s %7s %7s %7s %7s\n", "p50", "p90", "p99", "p99.9", "p99.99", "max");
}

static void show_timer_row(struct seq_file *m, enum wakelat_population population,
			   const char *cpu, const struct wakelat_samples *samples)
{
	seq_printf(m, "%-10s %4s %9llu %6llu", wakelat_population_name[population], cpu,
		   samples->hist.count, samples->missed);
	show_figures(m, &samples->hist);
}

static void add_samples(struct summary *summary, const struct wakelat_pop *pop)
{
	struct wakelat_samples *samples = &summary->samples;

	wakelat_pop_read(pop, samples);
	wakelat_hist_merge(&summary->total.hist, &samples->hist);
	summary->total.missed += samples->missed;
	summary->over += samples->hist.over;
	summary->backwards += samples->backwards;
	summary->dropped += samples->dropped;
}

static void show_timers(struct seq_file *m, struct summary *summary)
{
	unsigned int population, cpu;

	seq_printf(m, "\n%-10s %4s %9s %6s", "population", "cpu", "samples", "missed");
	show_figure_names(m);
	for (population = 0; population < WAKELAT_TASK; population++) {
		memset(&summary->total, 0, sizeof(summary->total));
		for_each_cpu(cpu, &wakelat_cpus)
			add_samples(summary, wakelat_pop(population, cpu));
		show_timer_row(m, population, "all", &summary->total);
	}
	for (population = 0; population < WAKELAT_TASK; population++) {
		seq_putc(m, '\n');
		for_each_cpu(cpu, &wakelat_cpus) {
			char name[12];

			wakelat_pop_read(wakelat_pop(population, cpu), &summary->samples);
			snprintf(name, sizeof(name), "%u", cpu);
			show_timer_row(m, population, name, &summary->samples);
		}
	}
}

static void show_tasks(struct seq_file *m, struct summary *summary)
{
	unsigned int population, cpu, kind, i;
	const char *name;

	seq_printf(m, "\n%-22s %9s", "population, all cpus", "samples");
	show_figure_names(m);
	for (population = WAKELAT_TASK; population < WAKELAT_POPULATIONS; population++) {
		memset(&summary->total, 0, sizeof(summary->total));
		for_each_cpu(cpu, &wakelat_cpus)
			add_samples(summary, wakelat_pop(population, cpu));
		summary->waits += summary->total.hist.count;
		if (!summary->total.hist.count)
			continue;
		seq_printf(m, "%-22s %9llu", wakelat_population_name[population],
			   summary->total.hist.count);
		show_figures(m, &summary->total.hist);
	}
	for (i = 0; (name = wakelat_watch_name(i)); i++) {
		for (kind = 0; kind < WAKELAT_KINDS; kind++) {
			char row[WAKELAT_RULE_NAME + sizeof("/preempted")];

			memset(&summary->total, 0, sizeof(summary->total));
			for_each_cpu(cpu, &wakelat_cpus)
				add_samples(summary, wakelat_watch_pop(i, kind, cpu));
			snprintf(row, sizeof(row), "%s/%s", name, wakelat_kind_name[kind]);
			seq_printf(m, "%-22s %9llu", row, summary->total.hist.count);
			show_figures(m, &summary->total.hist);
		}
	}
}

static void show_losses(struct seq_file *m, const struct summary *summary)
{
	unsigned long waiting = 0;
	unsigned int cpu;

	for_each_cpu(cpu, &wakelat_cpus)
		waiting += wakelat_timer_waiting(WAKELAT_TIMER_RT, cpu) +
			   wakelat_timer_waiting(WAKELAT_TIMER_FAIR, cpu);
	seq_printf(m, "\ntimers: %lu waiting now, %llu dropped; all: %llu over 68.7 s, clock went back %llu times\n",
		   waiting, summary->dropped, summary->over, summary->backwards);
	if (wakelat_has_task && wakelat_task.value) {
		struct wakelat_task_counters counters, total = { 0 };

		for_each_cpu(cpu, &wakelat_cpus) {
			wakelat_task_counters(cpu, &counters);
			total.untracked += counters.untracked;
			total.dropped += counters.dropped;
			total.own += counters.own;
		}
		seq_printf(m, "tasks: %u waiting, %llu dropped (table full), %llu untracked, %llu own left out\n",
			   wakelat_task_waiting(), total.dropped, total.untracked, total.own);
		seq_printf(m, "probes: %llu waits, %u ns each as measured at load\n",
			   summary->waits, wakelat_task_probe_ns());
	}
}

static int summary_show(struct seq_file *m, void *v)
{
	struct summary *summary = vzalloc(sizeof(*summary));

	if (!summary)
		return -ENOMEM;
	mutex_lock(&wakelat_mutex);
	wakelat_header_show(m);
	seq_puts(m, "\nTimes in us. A percentile is the upper bound of its bucket: the true one is at\n"
		 "most 1/32 less. A missed expiry is a sample of its own.\n");
	if (wakelat_timer.value)
		show_timers(m, summary);
	if (wakelat_has_task && wakelat_task.value)
		show_tasks(m, summary);
	show_losses(m, summary);
	mutex_unlock(&wakelat_mutex);
	vfree(summary);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(summary);

void __init wakelat_report_files(struct dentry *root)
{
	debugfs_create_file("summary", 0444, root, NULL, &summary_fops);
}
