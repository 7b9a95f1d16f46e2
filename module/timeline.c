// SPDX-License-Identifier: GPL-2.0-only
/*
 * The timeline: a ring of windows of time, each with a coarse histogram of every
 * population over the sampled CPUs. It costs a sample nothing: when a window
 * ends, a worker takes what the histograms have gained since the last one. A
 * worker that runs late makes a longer window, which says so.
 */
#include "wakelat.h"

#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/vmalloc.h>
#include <linux/workqueue.h>

#include "compat.h"

/* Histogram buckets that make one coarse bucket from 1.024 us on: an octave. */
#define OCTAVE		BIT(WAKELAT_HIST_SUB_BITS)
/* The octave, counted so, that ends at 1.024 us. */
#define FIRST_OCTAVE	(10 - WAKELAT_HIST_SUB_BITS)

/* All of it under the mutex, which the worker takes too. */
static DEFINE_MUTEX(timeline_mutex);
static struct wakelat_window *ring;
static unsigned int windows;	/* size of the ring; 0: no timeline */
static u64 taken;		/* windows since load or reset */
static u64 started_ns;		/* of the window that is under way */

/* What all histograms had at the end of the last window. */
static struct {
	u64 sum_ns;
	u64 count[WAKELAT_COARSE];
} before[WAKELAT_POPULATIONS];

static u64 count_octave(const struct wakelat_hist *hist, unsigned int octave)
{
	const u64 *bucket = &hist->bucket[octave * OCTAVE];
	u64 count = 0;
	unsigned int i;

	for (i = 0; i < OCTAVE; i++)
		count += bucket[i];
	return count;
}

/*
 * Adds what one CPU has. This is all that the timeline costs, some thousand
 * instructions, in a task that others have to wait for: no copy, no detour.
 */
static void add_octaves(const struct wakelat_pop *pop, u64 *count)
{
	const struct wakelat_hist *hist = &pop->samples.hist;
	u64 here[WAKELAT_COARSE];
	unsigned int octave, seq, i;

	do {
		seq = read_seqcount_begin(&pop->seq);
		memset(here, 0, sizeof(here));
		for (octave = 0; octave < WAKELAT_HIST_BUCKETS / OCTAVE; octave++)
			here[octave > FIRST_OCTAVE ? octave - FIRST_OCTAVE : 0] +=
				count_octave(hist, octave);
		here[WAKELAT_COARSE - 1] += hist->over;
	} while (read_seqcount_retry(&pop->seq, seq));
	for (i = 0; i < WAKELAT_COARSE; i++)
		count[i] += here[i];
}

static void take_population(struct wakelat_window *window, unsigned int population)
{
	u64 count[WAKELAT_COARSE] = { 0 };
	u64 sum_ns = 0;
	unsigned int cpu, i;

	for_each_cpu(cpu, &wakelat_cpus)
		sum_ns += READ_ONCE(wakelat_pop(population, cpu)->samples.hist.sum_ns);
	if (sum_ns == before[population].sum_ns)
		return;
	for_each_cpu(cpu, &wakelat_cpus) {
		add_octaves(wakelat_pop(population, cpu), count);
		cond_resched();
	}
	for (i = 0; i < WAKELAT_COARSE; i++)
		window->count[population][i] = min_t(u64, U32_MAX,
						     count[i] - before[population].count[i]);
	memcpy(before[population].count, count, sizeof(count));
	before[population].sum_ns = sum_ns;
}

static void end_window(void)
{
	struct wakelat_window *window;
	unsigned int population;
	u64 nth;

	nth = taken;
	window = &ring[do_div(nth, windows)];
	memset(window, 0, sizeof(*window));
	window->start_ns = started_ns;
	for (population = 0; population < WAKELAT_POPULATIONS; population++) {
		if (wakelat_pop(population, cpumask_first(&wakelat_cpus)))
			take_population(window, population);
	}
	started_ns = ktime_get_ns();
	window->end_ns = started_ns;
	taken++;
}

static void window_ends(struct work_struct *work);
static DECLARE_DELAYED_WORK(window_work, window_ends);

/* The next one ends on the beat, however late this one was. */
static void next_window(void)
{
	u64 window_ns = (u64)wakelat_timeline_ms.value * NSEC_PER_MSEC;
	u64 in_ns;

	div64_u64_rem(started_ns, window_ns, &in_ns);
	queue_delayed_work(system_unbound_wq, &window_work,
			   nsecs_to_jiffies(window_ns - in_ns) + 1);
}

static void window_ends(struct work_struct *work)
{
	mutex_lock(&timeline_mutex);
	end_window();
	next_window();
	mutex_unlock(&timeline_mutex);
}

void wakelat_timeline_start(void)
{
	if (!windows)
		return;
	mutex_lock(&timeline_mutex);
	started_ns = ktime_get_ns();
	next_window();
	mutex_unlock(&timeline_mutex);
}

void wakelat_timeline_stop(void)
{
	if (!windows)
		return;
	cancel_delayed_work_sync(&window_work);
	mutex_lock(&timeline_mutex);
	end_window();
	mutex_unlock(&timeline_mutex);
}

/* After the histograms have been reset. */
void wakelat_timeline_reset(void)
{
	mutex_lock(&timeline_mutex);
	memset(before, 0, sizeof(before));
	taken = 0;
	started_ns = ktime_get_ns();
	mutex_unlock(&timeline_mutex);
}

void wakelat_timeline_range(u64 *first, u64 *end)
{
	mutex_lock(&timeline_mutex);
	*first = taken > windows ? taken - windows : 0;
	*end = taken;
	mutex_unlock(&timeline_mutex);
}

bool wakelat_timeline_read(u64 nth, struct wakelat_window *window)
{
	bool there;

	mutex_lock(&timeline_mutex);
	there = nth < taken && taken - nth <= windows;
	if (there)
		*window = ring[do_div(nth, windows)];
	mutex_unlock(&timeline_mutex);
	return there;
}

static void show_row(struct seq_file *m, const struct wakelat_window *window,
		     unsigned int population)
{
	const u32 *count = window->count[population];
	u32 ns, i, all = 0;
	u64 s = div_u64_rem(window->start_ns, NSEC_PER_SEC, &ns);

	for (i = 0; i < WAKELAT_COARSE; i++)
		all += count[i];
	if (!all)
		return;
	seq_printf(m, "%6llu.%03u %6llu %-19s", s, ns / (u32)NSEC_PER_MSEC,
		   div_u64(window->end_ns - window->start_ns, NSEC_PER_MSEC),
		   wakelat_population_name[population]);
	for (i = 0; i < WAKELAT_COARSE; i++) {
		if (count[i])
			seq_printf(m, " <%u:%u", 1u << i, count[i]);
	}
	seq_putc(m, '\n');
}

static void *timeline_seq_start(struct seq_file *m, loff_t *pos)
{
	u64 first, end;

	wakelat_timeline_range(&first, &end);
	if (!*pos)
		return SEQ_START_TOKEN;
	/* Positions are windows, counted from 1, so that one that goes is skipped. */
	*pos = max_t(loff_t, *pos, first + 1);
	return *pos <= end ? pos : NULL;
}

static void *timeline_seq_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return timeline_seq_start(m, pos);
}

static void timeline_seq_stop(struct seq_file *m, void *v)
{
}

static int timeline_seq_show(struct seq_file *m, void *v)
{
	struct wakelat_window *window = m->private;
	unsigned int population;

	if (v == SEQ_START_TOKEN) {
		seq_puts(m, "# start_s span_ms population <us:count (below that, and not below half of it) ...\n");
		return 0;
	}
	if (!wakelat_timeline_read(*(loff_t *)v - 1, window))
		return 0;
	for (population = 0; population < WAKELAT_POPULATIONS; population++)
		show_row(m, window, population);
	return 0;
}

static const struct seq_operations timeline_ops = {
	.start = timeline_seq_start,
	.next = timeline_seq_next,
	.stop = timeline_seq_stop,
	.show = timeline_seq_show,
};

static int timeline_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &timeline_ops, sizeof(struct wakelat_window));
}

static const struct file_operations timeline_fops = {
	.owner = THIS_MODULE,
	.open = timeline_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release_private,
};

size_t wakelat_timeline_bytes(void)
{
	return windows * sizeof(*ring) + sizeof(before);
}

int __init wakelat_timeline_init(void)
{
	if (!wakelat_timeline_ms.value)
		return 0;
	ring = vzalloc(wakelat_timeline_windows.value * sizeof(*ring));
	if (!ring)
		return -ENOMEM;
	windows = wakelat_timeline_windows.value;
	return 0;
}

void __init wakelat_timeline_files(struct dentry *root)
{
	if (windows)
		debugfs_create_file("timeline", 0444, root, NULL, &timeline_fops);
}

/* After stop. */
void wakelat_timeline_exit(void)
{
	vfree(ring);
}
