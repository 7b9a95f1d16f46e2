// SPDX-License-Identifier: GPL-2.0-only
/*
 * The longest waits of each population, and what a wait past a threshold does.
 * Each CPU keeps its own; a reader merges them.
 */
#include "wakelat.h"

#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "compat.h"
#ifdef CONFIG_TRACEPOINTS
#define CREATE_TRACE_POINTS
#include "wakelat_trace.h"
#else
static inline void trace_over_threshold(const char *population,
					const struct wakelat_wait *wait) {}
#endif

/* 0: none. Read by any CPU in the path of its samples. */
static u64 threshold_ns[WAKELAT_POPULATIONS];
#define THRESHOLD_US_MAX	60000000

static void keep(struct wakelat_pop *pop, const struct wakelat_wait *wait,
		 const struct wakelat_stack *stack)
{
	unsigned int keep_at = pop->worst_count;

	while (keep_at && pop->worst[keep_at - 1].wait_ns < wait->wait_ns)
		keep_at--;
	if (keep_at == wakelat_worst.value)
		return;
	write_seqcount_begin(&pop->worst_seq);
	if (pop->worst_count < wakelat_worst.value)
		pop->worst_count++;
	memmove(&pop->worst[keep_at + 1], &pop->worst[keep_at],
		(pop->worst_count - keep_at - 1) * sizeof(*wait));
	pop->worst[keep_at] = *wait;
	if (pop->stack) {
		memmove(&pop->stack[keep_at + 1], &pop->stack[keep_at],
			(pop->worst_count - keep_at - 1) * sizeof(*stack));
		pop->stack[keep_at].depth = 0;
		if (stack)
			pop->stack[keep_at] = *stack;
	}
	write_seqcount_end(&pop->worst_seq);
}

void wakelat_worst_note(struct wakelat_pop *pop, enum wakelat_population population,
			const struct wakelat_wait *wait, const struct wakelat_stack *stack)
{
	u64 slow_ns = pop->samples.hist.max_ns;
	u64 least_ns = population < WAKELAT_POPULATIONS ? READ_ONCE(threshold_ns[population]) : 0;

	if (pop->worst) {
		keep(pop, wait, stack);
		slow_ns = pop->worst_count < wakelat_worst.value ? 0 :
			  pop->worst[wakelat_worst.value - 1].wait_ns;
	}
	if (least_ns) {
		if (wait->wait_ns >= least_ns) {
			trace_over_threshold(wakelat_population_name[population], wait);
			if (wakelat_stop_tracing.value)
				tracing_off();
		}
		slow_ns = min(slow_ns, least_ns - 1);
	}
	pop->slow_ns = min(slow_ns, BIT_ULL(WAKELAT_HIST_MAX_BITS) - 1);
}

bool wakelat_worst_read(const struct wakelat_pop *pop, unsigned int nth,
			struct wakelat_wait *wait, struct wakelat_stack *stack)
{
	unsigned int seq;
	bool found;

	stack->depth = 0;
	do {
		seq = read_seqcount_begin(&pop->worst_seq);
		found = nth < pop->worst_count;
		if (found) {
			*wait = pop->worst[nth];
			if (pop->stack)
				*stack = pop->stack[nth];
		}
	} while (read_seqcount_retry(&pop->worst_seq, seq));
	return found;
}

/* An address that has no name would be printed as it is. */
void wakelat_show_symbol(struct seq_file *m, unsigned long address)
{
	char name[KSYM_SYMBOL_LEN];

	snprintf(name, sizeof(name), "%pS", (void *)address);
	seq_puts(m, IS_ENABLED(CONFIG_KALLSYMS) && strncmp(name, "0x", 2) ? name : "?");
}

/* A task may put anything into its name, and a terminal may obey it. */
void wakelat_show_comm(struct seq_file *m, const char *comm)
{
	seq_escape(m, comm, " \\#\x7f"
		   "\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10"
		   "\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f");
}

struct worst_row {
	struct wakelat_wait wait;
	struct wakelat_stack stack;
	unsigned int cpu;
};

/* The longest wait over all CPUs that comes after @taken[cpu] of each. */
static bool next_worst(enum wakelat_population population, unsigned int *taken,
		       struct worst_row *longest, struct worst_row *row)
{
	bool found = false;

	for_each_cpu(row->cpu, &wakelat_cpus) {
		struct wakelat_pop *pop = wakelat_pop(population, row->cpu);

		if (!pop || !wakelat_worst_read(pop, taken[row->cpu], &row->wait, &row->stack))
			continue;
		if (!found || row->wait.wait_ns > longest->wait.wait_ns) {
			*longest = *row;
			found = true;
		}
	}
	if (found)
		taken[longest->cpu]++;
	return found;
}

static void show_who(struct seq_file *m, const struct wakelat_who *who)
{
	wakelat_show_comm(m, who->comm);
	seq_printf(m, "[%d]", who->pid);
	if (who->pid)
		seq_printf(m, " %s prio %d", wakelat_class_name[wakelat_class_of(who->policy)],
			   who->prio);
}

static void show_row(struct seq_file *m, enum wakelat_population population,
		     const struct worst_row *row)
{
	const struct wakelat_wait *wait = &row->wait;
	u32 ns, i;
	u64 us = div_u64_rem(wait->wait_ns, NSEC_PER_USEC, &ns);
	u64 s = div_u64_rem(wait->ended_ns, NSEC_PER_SEC, &i);

	seq_printf(m, "%10llu.%03u us  at %llu.%06u s  CPU %u  ", us, ns, s,
		   i / (u32)NSEC_PER_USEC, row->cpu);
	if (population != WAKELAT_TIMER_IRQ)
		show_who(m, &wait->victim);
	if (population == WAKELAT_TIMER_IRQ)
		seq_puts(m, "\n    interrupted, late: ");
	else if (population < WAKELAT_TASK)
		seq_printf(m, "\n    timer interrupt late by %llu ns; it found ",
			   wait->irq_late_ns);
	else
		seq_puts(m, "\n    ran longest meanwhile: ");
	show_who(m, &wait->instead);
	if (population >= WAKELAT_TASK)
		seq_printf(m, ", %llu us at a stretch", div_u64(wait->ran_ns, NSEC_PER_USEC));
	else if (wait->instead.pid)
		seq_puts(m, wait->in_user ? " in user mode" : " in the kernel");
	seq_putc(m, '\n');
	for (i = 0; i < row->stack.depth; i++) {
		seq_puts(m, "      ");
		wakelat_show_symbol(m, row->stack.entry[i]);
		seq_putc(m, '\n');
	}
}

static int worst_show(struct seq_file *m, void *v)
{
	struct worst_row *rows = kcalloc(2, sizeof(*rows), GFP_KERNEL);
	unsigned int *taken = kcalloc(nr_cpu_ids, sizeof(*taken), GFP_KERNEL);
	enum wakelat_population population;
	unsigned int i;
	int err = -ENOMEM;

	if (!rows || !taken)
		goto out_free;
	mutex_lock(&wakelat_mutex);
	seq_puts(m, "# longest waits since load or reset; at: CLOCK_MONOTONIC when the wait ended\n");
	for (population = 0; population < WAKELAT_POPULATIONS; population++) {
		memset(taken, 0, nr_cpu_ids * sizeof(*taken));
		for (i = 0; i < wakelat_worst.value; i++) {
			if (!next_worst(population, taken, &rows[0], &rows[1]))
				break;
			if (!i)
				seq_printf(m, "\n%s\n", wakelat_population_name[population]);
			show_row(m, population, &rows[0]);
		}
	}
	mutex_unlock(&wakelat_mutex);
	err = 0;
out_free:
	kfree(taken);
	kfree(rows);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(worst);

/* The next long wait on each CPU sets slow_ns anew. */
static void forget_slow(void *data)
{
	struct wakelat_pop *pop = data;

	pop->slow_ns = 0;
}

static int threshold_show(struct seq_file *m, void *v)
{
	unsigned int i;

	for (i = 0; i < WAKELAT_POPULATIONS; i++)
		seq_printf(m, "%s %llu\n", wakelat_population_name[i],
			   div_u64(threshold_ns[i], NSEC_PER_USEC));
	return 0;
}

static int threshold_open(struct inode *inode, struct file *file)
{
	return single_open(file, threshold_show, NULL);
}

/* One line: a population and a number of microseconds, 0 for none. */
static ssize_t threshold_write(struct file *file, const char __user *data, size_t size,
			       loff_t *pos)
{
	char text[64] = "";
	char *number = text;
	unsigned int us, cpu;
	const char *name;
	int population, err;

	if (copy_from_user(text, data, min(size, sizeof(text) - 1)))
		return -EFAULT;
	text[strcspn(text, "\n")] = '\0';
	name = strsep(&number, " ");
	population = match_string(wakelat_population_name, WAKELAT_POPULATIONS, name);
	err = population < 0 || !number || size >= sizeof(text) ? -EINVAL :
		kstrtouint(number, 0, &us);
	if (!err && us > THRESHOLD_US_MAX)
		err = -ERANGE;
	if (err) {
		pr_err("threshold_us: wrote \"%s%s%s\", want a population and a number from 0 to %u (error %d)\n",
		       name, number ? " " : "", number ? number : "", THRESHOLD_US_MAX, err);
		return err;
	}
	mutex_lock(&wakelat_mutex);
	WRITE_ONCE(threshold_ns[population], (u64)us * NSEC_PER_USEC);
	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		struct wakelat_pop *pop = wakelat_pop(population, cpu);

		if (pop)
			wakelat_on_cpu(cpu, forget_slow, pop);
	}
	cpus_read_unlock();
	mutex_unlock(&wakelat_mutex);
	return size;
}

static const struct file_operations threshold_fops = {
	.owner = THIS_MODULE,
	.open = threshold_open,
	.read = seq_read,
	.write = threshold_write,
	.llseek = seq_lseek,
	.release = single_release,
};

void __init wakelat_worst_files(struct dentry *root)
{
	debugfs_create_file("worst", 0444, root, NULL, &worst_fops);
	debugfs_create_file("threshold_us", 0600, root, NULL, &threshold_fops);
}
