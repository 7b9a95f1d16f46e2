// SPDX-License-Identifier: GPL-2.0-only
/* What all populations share: names, memory, reset and the reader's side. */
#include "wakelat.h"

#include <linux/cpu.h>
#include <linux/irqflags.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "compat.h"

const char * const wakelat_population_name[WAKELAT_POPULATIONS] = {
	"timer/irq", "timer/rt", "timer/fair",
	"task/wakeup/dl", "task/wakeup/rt", "task/wakeup/fair",
	"task/wakeup/ext", "task/wakeup/idle",
	"task/preempted/dl", "task/preempted/rt", "task/preempted/fair",
	"task/preempted/ext", "task/preempted/idle",
};

const char * const wakelat_kind_name[WAKELAT_KINDS] = { "wakeup", "preempted" };

const char * const wakelat_class_name[WAKELAT_CLASSES] = {
	"dl", "rt", "fair", "ext", "idle"
};

struct wakelat_pop *wakelat_pop(enum wakelat_population population, unsigned int cpu)
{
	if (population < WAKELAT_TASK)
		return wakelat_timer_pop(population, cpu);
	return wakelat_task_pop(population, cpu);
}

int wakelat_pop_init(struct wakelat_pop *pop, bool worst, bool stacks)
{
	unsigned int waits = worst ? wakelat_worst.value : 0;

	seqcount_init(&pop->seq);
	seqcount_init(&pop->worst_seq);
	if (waits) {
		pop->worst = kcalloc(waits, sizeof(*pop->worst), GFP_KERNEL);
		if (!pop->worst)
			return -ENOMEM;
	}
	if (waits && stacks) {
		pop->stack = kcalloc(waits, sizeof(*pop->stack), GFP_KERNEL);
		if (!pop->stack)
			return -ENOMEM;
	}
	wakelat_pop_reset(pop);
	return 0;
}

void wakelat_pop_destroy(struct wakelat_pop *pop)
{
	kfree(pop->stack);
	kfree(pop->worst);
}

void wakelat_pop_reset(struct wakelat_pop *pop)
{
	unsigned long flags;

	local_irq_save(flags);
	write_seqcount_begin(&pop->worst_seq);
	pop->slow_ns = 0;
	pop->worst_count = 0;
	write_seqcount_end(&pop->worst_seq);
	write_seqcount_begin(&pop->seq);
	memset(&pop->samples, 0, sizeof(pop->samples));
	/* So that the least is found without a look at the count. */
	pop->samples.hist.min_ns = U64_MAX;
	write_seqcount_end(&pop->seq);
	local_irq_restore(flags);
}

void wakelat_pop_read(const struct wakelat_pop *pop, struct wakelat_samples *samples)
{
	struct wakelat_hist *hist = &samples->hist;
	unsigned int seq, i;

	do {
		seq = read_seqcount_begin(&pop->seq);
		*samples = pop->samples;
	} while (read_seqcount_retry(&pop->seq, seq));
	/* Writers in a hurry leave this to readers. */
	hist->count = hist->over;
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++)
		hist->count += hist->bucket[i];
	/* The least of none is not 0, and the first may be in its bucket only. */
	hist->min_ns = min(hist->min_ns, hist->max_ns);
}

void wakelat_on_cpu(unsigned int cpu, void (*act)(void *data), void *data)
{
	if (cpu_online(cpu))
		smp_call_function_single(cpu, act, data, 1);
	else
		act(data);
}

void wakelat_on_each_cpu(void (*act)(void *data), void *(*of)(unsigned int cpu))
{
	unsigned int cpu;

	cpus_read_lock();
	for_each_possible_cpu(cpu) {
		if (of(cpu))
			wakelat_on_cpu(cpu, act, of(cpu));
	}
	cpus_read_unlock();
}

void wakelat_who_is(struct wakelat_who *who, const struct task_struct *task)
{
	who->pid = task->pid;
	who->prio = task->prio;
	who->policy = task->policy;
	/* May change under us: whatever it is, it ends. */
	memcpy(who->comm, task->comm, TASK_COMM_LEN);
	who->comm[TASK_COMM_LEN - 1] = '\0';
}
