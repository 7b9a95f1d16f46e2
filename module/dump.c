// SPDX-License-Identifier: GPL-2.0-only
/*
 * dump: everything, for machines. Documentation/dump.md is the grammar; its
 * version changes with every change that a reader could notice.
 *
 * It is a sequence of records, each of one show() and so of one snapshot: the
 * header, the samples of every population and watch of every sampled CPU, the
 * counters of the task probes, the worst waits, the windows, and the end.
 */
#include "wakelat.h"

#include <linux/debugfs.h>
#include <linux/err.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "compat.h"

#define DUMP_VERSION	2

enum part { PART_HEADER, PART_SAMPLES, PART_WATCHES, PART_COUNTERS, PART_WORST, PART_WINDOWS,
	    PART_END, PARTS };

/* One reader. */
struct dump {
	u32 layout;		/* wakelat_run.layout when it began */
	u64 count[PARTS];	/* records of each part */
	u64 first_window;
	union {
		struct wakelat_samples samples;
		struct wakelat_window window;
		struct {
			struct wakelat_wait wait;
			struct wakelat_stack stack;
		};
	};
};

static void lay_out(struct dump *dump)
{
	unsigned int cpus = cpumask_weight(&wakelat_cpus);
	bool task = wakelat_has_task && wakelat_task.value;
	unsigned int populations = task ? WAKELAT_POPULATIONS : WAKELAT_TASK;
	unsigned int watches = 0;
	u64 end_window;

	while (wakelat_watch_name(watches))
		watches++;
	wakelat_timeline_range(&dump->first_window, &end_window);
	dump->layout = wakelat_run.layout;
	dump->count[PART_HEADER] = 1;
	dump->count[PART_SAMPLES] = populations * cpus;
	dump->count[PART_WATCHES] = watches * WAKELAT_KINDS * cpus;
	dump->count[PART_COUNTERS] = task ? cpus : 0;
	dump->count[PART_WORST] = wakelat_worst.value ? populations * cpus : 0;
	dump->count[PART_WINDOWS] = end_window - dump->first_window;
	dump->count[PART_END] = 1;
}

static void show_samples(struct seq_file *m, const struct wakelat_samples *samples,
			 unsigned long waiting)
{
	const struct wakelat_hist *hist = &samples->hist;
	unsigned int i;

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

static void dump_samples(struct seq_file *m, struct dump *dump, unsigned int population,
			 unsigned int cpu)
{
	unsigned long waiting = 0;

	if (population < WAKELAT_TASK)
		waiting = wakelat_timer_waiting(population, cpu);
	wakelat_pop_read(wakelat_pop(population, cpu), &dump->samples);
	seq_printf(m, "samples %s cpu %u\n", wakelat_population_name[population], cpu);
	show_samples(m, &dump->samples, waiting);
}

static void dump_watch(struct seq_file *m, struct dump *dump, unsigned int nth, unsigned int cpu)
{
	unsigned int kind = nth % WAKELAT_KINDS;

	nth /= WAKELAT_KINDS;
	wakelat_pop_read(wakelat_watch_pop(nth, kind, cpu), &dump->samples);
	seq_printf(m, "samples watch/%s/%s cpu %u\n", wakelat_watch_name(nth),
		   wakelat_kind_name[kind], cpu);
	show_samples(m, &dump->samples, 0);
}

static void dump_counters(struct seq_file *m, unsigned int cpu)
{
	struct wakelat_task_counters counters = { 0 };

	wakelat_task_counters(cpu, &counters);
	seq_printf(m, "counters task cpu %u\nuntracked %llu\ndropped %llu\nown %llu\n", cpu,
		   counters.untracked, counters.dropped, counters.own);
}

static void dump_who(struct seq_file *m, const char *what, const struct wakelat_who *who)
{
	seq_printf(m, "%s %d %s %d ", what, who->pid,
		   wakelat_class_name[wakelat_class_of(who->policy)], who->prio);
	wakelat_show_comm(m, who->comm);
	seq_putc(m, '\n');
}

static void dump_worst(struct seq_file *m, struct dump *dump, unsigned int population,
		       unsigned int cpu)
{
	const struct wakelat_pop *pop = wakelat_pop(population, cpu);
	struct wakelat_wait *wait = &dump->wait;
	unsigned int nth, i;

	seq_printf(m, "worst %s cpu %u\n", wakelat_population_name[population], cpu);
	for (nth = 0; wakelat_worst_read(pop, nth, wait, &dump->stack); nth++) {
		seq_printf(m, "wait_ns %llu\nended_ns %llu\n", wait->wait_ns, wait->ended_ns);
		dump_who(m, "victim", &wait->victim);
		dump_who(m, "instead", &wait->instead);
		if (population < WAKELAT_TASK)
			seq_printf(m, "irq_late_ns %llu\nfound_in %s\n", wait->irq_late_ns,
				   wait->in_user ? "user" : "kernel");
		else
			seq_printf(m, "ran_ns %llu\n", wait->ran_ns);
		for (i = 0; i < dump->stack.depth; i++) {
			seq_puts(m, "stack ");
			wakelat_show_symbol(m, dump->stack.entry[i]);
			seq_putc(m, '\n');
		}
	}
}

static void dump_window(struct seq_file *m, struct dump *dump, u64 nth)
{
	struct wakelat_window *window = &dump->window;
	unsigned int population, i;

	if (!wakelat_timeline_read(nth, window)) {
		/* Newer ones have taken its place since this reader began. */
		seq_printf(m, "window %llu - -\n", nth);
		return;
	}
	seq_printf(m, "window %llu %llu %llu\n", nth, window->start_ns, window->end_ns);
	for (population = 0; population < WAKELAT_POPULATIONS; population++) {
		const u32 *count = window->count[population];

		if (!memchr_inv(count, 0, sizeof(window->count[population])))
			continue;
		seq_printf(m, "coarse %s", wakelat_population_name[population]);
		for (i = 0; i < WAKELAT_COARSE; i++)
			seq_printf(m, " %u", count[i]);
		seq_putc(m, '\n');
	}
}

static unsigned int nth_cpu(unsigned int nth)
{
	unsigned int cpu;

	for_each_cpu(cpu, &wakelat_cpus) {
		if (!nth--)
			break;
	}
	return cpu;
}

static int dump_show(struct seq_file *m, void *v)
{
	unsigned int cpus = cpumask_weight(&wakelat_cpus);
	struct dump *dump = m->private;
	u64 record = *(loff_t *)v;
	enum part part;
	unsigned int row, cpu;
	u64 records = 0;

	for (part = PART_SAMPLES; part < PART_END; part++)
		records += dump->count[part];
	for (part = PART_HEADER; record >= dump->count[part]; part++)
		record -= dump->count[part];
	if (part == PART_HEADER) {
		seq_printf(m, "# wakelat dump %u\n", DUMP_VERSION);
		wakelat_header_dump(m);
	} else if (part == PART_WINDOWS) {
		dump_window(m, dump, dump->first_window + record);
	} else if (part == PART_END) {
		seq_printf(m, "# end of %llu\n", records);
	} else {
		row = (u32)record / cpus;
		cpu = nth_cpu((u32)record % cpus);
		if (part == PART_SAMPLES)
			dump_samples(m, dump, row, cpu);
		else if (part == PART_WATCHES)
			dump_watch(m, dump, row, cpu);
		else if (part == PART_COUNTERS)
			dump_counters(m, cpu);
		else
			dump_worst(m, dump, row, cpu);
	}
	return 0;
}

static void *dump_at(struct seq_file *m, loff_t *pos)
{
	const struct dump *dump = m->private;
	u64 records = 0;
	enum part part;

	for (part = 0; part < PARTS; part++)
		records += dump->count[part];
	return *pos < records ? pos : NULL;
}

/* The records must be the same from the first read to the last. */
static void *dump_start(struct seq_file *m, loff_t *pos)
{
	struct dump *dump = m->private;

	mutex_lock(&wakelat_mutex);
	if (!*pos)
		lay_out(dump);
	if (dump->layout != wakelat_run.layout)
		return ERR_PTR(-EAGAIN);
	return dump_at(m, pos);
}

static void *dump_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return dump_at(m, pos);
}

static void dump_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&wakelat_mutex);
}

static const struct seq_operations dump_ops = {
	.start = dump_start,
	.next = dump_next,
	.stop = dump_stop,
	.show = dump_show,
};

static int dump_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &dump_ops, sizeof(struct dump));
}

static const struct file_operations dump_fops = {
	.owner = THIS_MODULE,
	.open = dump_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

void __init wakelat_dump_files(struct dentry *root)
{
	debugfs_create_file("dump", 0444, root, NULL, &dump_fops);
}
