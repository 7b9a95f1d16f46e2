// SPDX-License-Identifier: GPL-2.0-only
/*
 * The text of summary and dump. Documentation/dump.md is the grammar of the
 * latter; its version changes with every change that a reader could notice.
 */
#include "wakelat.h"

#include <linux/cpumask.h>
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/utsname.h>
#include <linux/vmalloc.h>

#include "compat.h"

#define DUMP_VERSION	1

static const char * const population_name[WAKELAT_POPULATIONS] = {
	[WAKELAT_TIMER_IRQ] = "timer/irq",
	[WAKELAT_TIMER_RT] = "timer/rt",
	[WAKELAT_TIMER_FAIR] = "timer/fair",
};

/* Quantiles that summary shows, in parts per million. */
static const u32 shown_ppm[] = { 500000, 900000, 990000, 999000, 999900 };

static u64 clock_step_ns;

/*
 * The least difference between two readings of the clock: what a wait can be
 * told apart by, whatever the clock source claims.
 */
static u64 measure_clock_step_ns(void)
{
	u64 least_ns = U64_MAX;
	unsigned int i;

	for (i = 0; i < 1000; i++) {
		u64 start_ns = ktime_get_ns();
		u64 step_ns;

		do {
			step_ns = ktime_get_ns() - start_ns;
		} while (!step_ns);
		least_ns = min(least_ns, step_ns);
	}
	return least_ns;
}

/* Time measured since load or reset, up to now if it still is. */
static u64 span_now_ns(void)
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

/* Microseconds with one decimal, rounded up: a bound stays a bound. */
static void show_us(struct seq_file *m, int width, u64 ns)
{
	u64 tenths = div_u64(ns + 99, 100);
	u64 us = div_u64(tenths, 10);

	seq_printf(m, " %*llu.%u", width - 3, us, (u32)(tenths - us * 10));
}

static void show_summary_row(struct seq_file *m, enum wakelat_population population,
			     const char *cpu, const struct wakelat_samples *samples)
{
	const struct wakelat_hist *hist = &samples->hist;
	u64 low_ns, high_ns;
	unsigned int i;

	seq_printf(m, "%-10s %4s %9llu %6llu", population_name[population], cpu,
		   hist->count, samples->missed);
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

static void add_samples(struct wakelat_samples *to, const struct wakelat_samples *from)
{
	wakelat_hist_merge(&to->hist, &from->hist);
	to->missed += from->missed;
	to->backwards += from->backwards;
	to->dropped += from->dropped;
}

static void show_summary_head(struct seq_file *m)
{
	u32 hz = wakelat_arch_timer_hz();
	u64 span_ms;
	u32 ms;

	span_ms = div_u64_rem(div_u64(span_now_ns(), NSEC_PER_MSEC), MSEC_PER_SEC, &ms);
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
	seq_printf(m, "; read in steps of %llu ns\n", clock_step_ns);
	seq_printf(m, "expiry every %u us%s on CPUs %*pbl (online %*pbl)\n",
		   wakelat_period_us.value,
		   wakelat_stagger.value ? ", staggered," : ", all at once,",
		   cpumask_pr_args(&wakelat_cpus), cpumask_pr_args(cpu_online_mask));
	seq_puts(m, "real-time threads: SCHED_FIFO ");
	show_rt_priority(m);
	seq_printf(m, " (asked %u)\n%s, measured %llu.%03u s\n", wakelat_rt_priority.value,
		   wakelat_run.running ? "running" : "stopped", span_ms, ms);
}

/* Too large for the stack. */
struct summary {
	struct wakelat_samples samples;
	struct wakelat_samples total;
};

static int summary_show(struct seq_file *m, void *v)
{
	struct summary *summary = vzalloc(sizeof(*summary));
	unsigned int population, cpu;
	u64 over = 0, backwards = 0, dropped = 0, waiting = 0;
	unsigned long waiting_here;

	if (!summary)
		return -ENOMEM;
	mutex_lock(&wakelat_mutex);
	show_summary_head(m);
	seq_puts(m, "\nTimes in us. A percentile is the upper bound of its bucket: the true one is at\n"
		 "most 1/32 less. A missed expiry is a sample of its own.\n\n");
	seq_printf(m, "%-10s %4s %9s %6s %7s %7s %7s %7s %7s %7s\n", "population", "cpu",
		   "samples", "missed", "p50", "p90", "p99", "p99.9", "p99.99", "max");
	for (population = 0; population < WAKELAT_POPULATIONS; population++) {
		memset(&summary->total, 0, sizeof(summary->total));
		for_each_cpu(cpu, &wakelat_cpus) {
			wakelat_timer_read(population, cpu, &summary->samples,
					   &waiting_here);
			add_samples(&summary->total, &summary->samples);
			waiting += waiting_here;
		}
		show_summary_row(m, population, "all", &summary->total);
		over += summary->total.hist.over;
		backwards += summary->total.backwards;
		dropped += summary->total.dropped;
	}
	for (population = 0; population < WAKELAT_POPULATIONS; population++) {
		seq_putc(m, '\n');
		for_each_cpu(cpu, &wakelat_cpus) {
			char name[12];

			wakelat_timer_read(population, cpu, &summary->samples,
					   &waiting_here);
			snprintf(name, sizeof(name), "%u", cpu);
			show_summary_row(m, population, name, &summary->samples);
		}
	}
	seq_printf(m, "\n%llu waiting now, %llu over 68.7 s, clock went back %llu times, %llu dropped\n",
		   waiting, over, backwards, dropped);
	mutex_unlock(&wakelat_mutex);
	vfree(summary);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(summary);

/*
 * dump is a sequence of records, each of one show() and so of one snapshot:
 * the header, every population of every sampled CPU, and the end.
 */
static unsigned int dump_records(void)
{
	return WAKELAT_POPULATIONS * cpumask_weight(&wakelat_cpus);
}

static void *dump_at(loff_t *pos)
{
	return *pos <= dump_records() + 1 ? pos : NULL;
}

/* The set of CPUs, and with it the records, must not change on the way. */
static void *dump_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&wakelat_mutex);
	return dump_at(pos);
}

static void *dump_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return dump_at(pos);
}

static void dump_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&wakelat_mutex);
}

static void dump_header(struct seq_file *m)
{
	u32 hz = wakelat_arch_timer_hz();

	seq_printf(m, "# wakelat dump %u\n", DUMP_VERSION);
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
	seq_printf(m, "# period_us: %u\n", wakelat_period_us.value);
	seq_printf(m, "# rt_priority: %u\n", wakelat_rt_priority.value);
	seq_puts(m, "# rt_priority_reached: ");
	show_rt_priority(m);
	seq_printf(m, "\n# stagger: %u\n", wakelat_stagger.value);
	seq_printf(m, "# running: %u\n", wakelat_run.running);
	seq_printf(m, "# started_ns: %llu\n", wakelat_run.started_ns);
	seq_printf(m, "# span_ns: %llu\n", span_now_ns());
	seq_printf(m, "# cpu_bytes: %zu\n", wakelat_timer_cpu_bytes());
}

static void dump_samples(struct seq_file *m, unsigned int record)
{
	struct wakelat_samples *samples = m->private;
	const struct wakelat_hist *hist = &samples->hist;
	unsigned int cpus = cpumask_weight(&wakelat_cpus);
	unsigned int nth = record % cpus;
	unsigned int cpu, i;
	unsigned long waiting;

	for_each_cpu(cpu, &wakelat_cpus) {
		if (!nth--)
			break;
	}
	wakelat_timer_read(record / cpus, cpu, samples, &waiting);

	seq_printf(m, "samples %s cpu %u\n", population_name[record / cpus], cpu);
	seq_printf(m, "count %llu\nsum_ns %llu\n", hist->count, hist->sum_ns);
	if (hist->count)
		seq_printf(m, "min_ns %llu\nmax_ns %llu\n", hist->min_ns, hist->max_ns);
	else
		seq_puts(m, "min_ns -\nmax_ns -\n");
	seq_printf(m, "over %llu\nmissed %llu\nwaiting %lu\n", hist->over,
		   samples->missed, waiting);
	seq_printf(m, "backwards %llu\ndropped %llu\n", samples->backwards,
		   samples->dropped);
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++) {
		if (hist->bucket[i])
			seq_printf(m, "bucket %llu %llu %llu\n", wakelat_hist_lower(i),
				   wakelat_hist_lower(i + 1), hist->bucket[i]);
	}
}

static int dump_show(struct seq_file *m, void *v)
{
	loff_t pos = *(loff_t *)v;

	if (pos == 0)
		dump_header(m);
	else if (pos <= dump_records())
		dump_samples(m, pos - 1);
	else
		seq_printf(m, "# end of %u\n", dump_records());
	return 0;
}

static const struct seq_operations dump_ops = {
	.start = dump_start,
	.next = dump_next,
	.stop = dump_stop,
	.show = dump_show,
};

static int dump_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &dump_ops, sizeof(struct wakelat_samples));
}

static const struct file_operations dump_fops = {
	.owner = THIS_MODULE,
	.open = dump_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

void __init wakelat_report_init(struct dentry *root)
{
	clock_step_ns = measure_clock_step_ns();
	debugfs_create_file("summary", 0444, root, NULL, &summary_fops);
	debugfs_create_file("dump", 0444, root, NULL, &dump_fops);
}
