/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WAKELAT_H
#define WAKELAT_H

#ifdef pr_fmt
#undef pr_fmt
#endif
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/seqlock.h>

#include "hist.h"
#include "pairing.h"

struct dentry;
struct seq_file;

#define WAKELAT_VERSION "0.1.0"

/* By the policy that the task has when its wait ends. */
enum wakelat_class {
	WAKELAT_DL,
	WAKELAT_RT,
	WAKELAT_FAIR,
	WAKELAT_EXT,
	WAKELAT_IDLE,
	WAKELAT_CLASSES
};

/* In the order in which they are shown; the task ones by kind, then by class. */
enum wakelat_population {
	WAKELAT_TIMER_IRQ,
	WAKELAT_TIMER_RT,
	WAKELAT_TIMER_FAIR,
	WAKELAT_TASK,
	WAKELAT_POPULATIONS = WAKELAT_TASK + WAKELAT_KINDS * WAKELAT_CLASSES
};

/* What one population collects on one CPU. */
struct wakelat_samples {
	struct wakelat_hist hist;
	u64 missed;	/* expiries that passed while an earlier one waited */
	u64 backwards;	/* negative waits: counted, in no histogram */
	u64 dropped;	/* expiries known to have passed, but not sampled */
};

/* A task as it was at a moment. */
struct wakelat_who {
	pid_t pid;
	int prio;	/* the scheduler's: below 0 deadline, below 100 real-time */
	unsigned int policy;
	char comm[TASK_COMM_LEN];
};

#define WAKELAT_STACK_DEPTH	16

/* The kernel code that an interrupt found, innermost first. */
struct wakelat_stack {
	unsigned int depth;
	unsigned long entry[WAKELAT_STACK_DEPTH];
};

/* One wait, in all that is known of it. */
struct wakelat_wait {
	u64 wait_ns;
	u64 ended_ns;		/* CLOCK_MONOTONIC */
	u64 irq_late_ns;	/* timer populations: how late their interrupt was */
	u64 ran_ns;		/* task populations: how long @instead ran at a stretch */
	struct wakelat_who victim;
	/* Timers: whom the interrupt found; tasks: who ran longest meanwhile. */
	struct wakelat_who instead;
	bool in_user;		/* timers: it found @instead in user mode */
};

/*
 * Written by its own CPU alone, with interrupts off; read by anyone, who
 * retries. Neither waits for the other.
 */
struct wakelat_pop {
	/* A longer wait is one for wakelat_worst_note(); never 2^36 or more. */
	u64 slow_ns;
	seqcount_t seq;		/* of the samples */
	seqcount_t worst_seq;	/* of the worst waits */
	unsigned int worst_count;
	struct wakelat_wait *worst;	/* the longest first; wakelat_worst.value of them */
	struct wakelat_stack *stack;	/* of each, or NULL: no stacks here */
	struct wakelat_samples samples;
};

/* A number that is set at load or, while nothing is measured, in sysfs. */
struct wakelat_knob {
	const char *name;
	unsigned int value;
	unsigned int min;
	unsigned int max;
};

/*
 * Serialises start, stop, reset and every change of what they depend on: the
 * knobs, wakelat_cpus and wakelat_run.
 */
extern struct mutex wakelat_mutex;

struct wakelat_run {
	bool running;
	u32 layout;			/* grows with what a reader of dump must not miss */
	const char *preempt_model;	/* at the last start; NULL before the first */
	u64 started_ns;			/* CLOCK_MONOTONIC of the last start or reset */
	u64 span_ns;			/* time measured, without the current stretch */
};

/* core.c */
extern struct wakelat_knob wakelat_period_us;
extern struct wakelat_knob wakelat_rt_priority;
extern struct wakelat_knob wakelat_stagger;
extern struct wakelat_knob wakelat_timer;
extern struct wakelat_knob wakelat_task;
extern struct wakelat_knob wakelat_worst;
extern struct wakelat_knob wakelat_task_waits;
extern struct wakelat_knob wakelat_stop_tracing;
extern struct wakelat_knob wakelat_timeline_ms;
extern struct wakelat_knob wakelat_timeline_windows;
extern struct cpumask wakelat_cpus;
extern struct wakelat_run wakelat_run;

/* With wakelat_mutex held. Start returns -EBUSY if running, stop is idempotent. */
int wakelat_start(void);
void wakelat_stop(void);
void wakelat_reset(void);
/* Bytes that the module has allocated, without the threads' stacks. */
size_t wakelat_bytes(void);

/* pop.c: what all populations share */
extern const char * const wakelat_population_name[WAKELAT_POPULATIONS];
extern const char * const wakelat_kind_name[WAKELAT_KINDS];
extern const char * const wakelat_class_name[WAKELAT_CLASSES];
/* NULL if the kernel has no such population. */
struct wakelat_pop *wakelat_pop(enum wakelat_population population, unsigned int cpu);
/* @worst: keep the worst waits too; @stacks: and their kernel stacks. -ENOMEM. */
int wakelat_pop_init(struct wakelat_pop *pop, bool worst, bool stacks);
void wakelat_pop_destroy(struct wakelat_pop *pop);
/* On the CPU that writes it, or when nobody does. */
void wakelat_pop_reset(struct wakelat_pop *pop);
/* Copies the samples as they were at one moment. */
void wakelat_pop_read(const struct wakelat_pop *pop, struct wakelat_samples *samples);
/*
 * Adds a wait that is not longer than pop->slow_ns; on the CPU that writes @pop,
 * interrupts off. Where 64 bits are written at once, a reader sees at most one
 * sample that has its bucket and not yet its part of the sum.
 */
static __always_inline void wakelat_pop_add(struct wakelat_pop *pop, u64 ns)
{
	struct wakelat_hist *hist = &pop->samples.hist;

	if (BITS_PER_LONG < 64)
		write_seqcount_begin(&pop->seq);
	hist->sum_ns += ns;
	if (unlikely(ns < hist->min_ns))
		hist->min_ns = ns;
	hist->bucket[wakelat_hist_index_below(ns)]++;
	if (BITS_PER_LONG < 64)
		write_seqcount_end(&pop->seq);
}

/*
 * Calls @act with @data on @cpu with interrupts off, or here if that is offline.
 * May sleep; with cpus_read_lock() held.
 */
void wakelat_on_cpu(unsigned int cpu, void (*act)(void *data), void *data);
/* The same for every possible CPU, with what @of gives for it; takes the lock. */
void wakelat_on_each_cpu(void (*act)(void *data), void *(*of)(unsigned int cpu));
void wakelat_who_is(struct wakelat_who *who, const struct task_struct *task);

/*
 * The numbers of policies are ABI: NORMAL, FIFO, RR, BATCH, none, IDLE, DEADLINE,
 * EXT, from the lowest digit on. A load less than a table.
 */
static inline enum wakelat_class wakelat_class_of(unsigned int policy)
{
	return 0x30422112u >> (policy & 7) * 4 & 7;
}

/* timer.c */
int wakelat_timer_init(void);
void wakelat_timer_exit(void);
/* May sleep; with wakelat_mutex held. */
int wakelat_timer_start(void);
void wakelat_timer_stop(void);
void wakelat_timer_reset(void);
struct wakelat_pop *wakelat_timer_pop(enum wakelat_population population, unsigned int cpu);
/* How many expiries of @population still wait for their thread. */
unsigned long wakelat_timer_waiting(enum wakelat_population population, unsigned int cpu);
/* Is it one of this CPU's two threads? Interrupts off. */
bool wakelat_timer_owns(const struct task_struct *task);
/*
 * The least and greatest FIFO priority that the threads of sampled CPUs really
 * have; 0 for one that is not real-time. Returns false if there is no thread.
 */
bool wakelat_timer_rt_priority(unsigned int *least, unsigned int *greatest);
/* Bytes of statistics for one CPU, without the two threads' stacks. */
size_t wakelat_timer_cpu_bytes(void);

/* task.c and tracepoints.c, or stubs where the kernel has no tracepoints */
struct wakelat_task_counters {
	u64 untracked;	/* switched in, and nobody knows since when it waited */
	u64 dropped;	/* waits that found no place in the table */
	u64 own;	/* waits of the module's own threads: in no histogram */
};

#define wakelat_has_task	IS_ENABLED(CONFIG_TRACEPOINTS)

#ifdef CONFIG_TRACEPOINTS
int wakelat_task_init(void);
void wakelat_task_exit(void);
/* May sleep; with wakelat_mutex held. */
int wakelat_task_start(void);
void wakelat_task_stop(void);
void wakelat_task_reset(void);
struct wakelat_pop *wakelat_task_pop(enum wakelat_population population, unsigned int cpu);
void wakelat_task_counters(unsigned int cpu, struct wakelat_task_counters *counters);
/* Waits that have started and not ended. */
u32 wakelat_task_waiting(void);
/* Drops the wait of an own thread that was just woken here; interrupts off. */
void wakelat_task_forget(const struct task_struct *task);
/* Nanoseconds for the events of one wait, measured at load. */
u32 wakelat_task_probe_ns(void);
const char *wakelat_task_clock(void);
size_t wakelat_task_bytes(void);
#else
static inline int wakelat_task_init(void) { return 0; }
static inline void wakelat_task_exit(void) {}
static inline int wakelat_task_start(void) { return 0; }
static inline void wakelat_task_stop(void) {}
static inline void wakelat_task_reset(void) {}
static inline struct wakelat_pop *
wakelat_task_pop(enum wakelat_population population, unsigned int cpu) { return NULL; }
static inline void
wakelat_task_counters(unsigned int cpu, struct wakelat_task_counters *counters) {}
static inline u32 wakelat_task_waiting(void) { return 0; }
static inline void wakelat_task_forget(const struct task_struct *task) {}
static inline u32 wakelat_task_probe_ns(void) { return 0; }
static inline const char *wakelat_task_clock(void) { return "-"; }
static inline size_t wakelat_task_bytes(void) { return 0; }
#endif

/* watch.c: named subsets of the task populations */
struct wakelat_watches;
extern struct wakelat_watches __rcu *wakelat_watches;	/* NULL if there are none */

void wakelat_watch_files(struct dentry *root);
void wakelat_watch_exit(void);
void wakelat_watch_reset(void);
/*
 * In the path of a sample, interrupts off: adds it to every watch that @task
 * matches.
 */
void wakelat_watch_add(struct task_struct *task, enum wakelat_kind kind, u64 ns);
/* With wakelat_mutex held: the name of watch @i, or NULL past the last. */
const char *wakelat_watch_name(unsigned int i);
struct wakelat_pop *wakelat_watch_pop(unsigned int i, enum wakelat_kind kind,
				      unsigned int cpu);
size_t wakelat_watch_bytes(void);

/* worst.c: the longest waits, and what happens past a threshold */
/*
 * In the path of a sample, interrupts off: @wait was longer than pop->slow_ns.
 * @stack may be NULL. Keeps it if it is among the worst, and sets pop->slow_ns.
 */
void wakelat_worst_note(struct wakelat_pop *pop, enum wakelat_population population,
			const struct wakelat_wait *wait, const struct wakelat_stack *stack);
/* Copies the @nth longest wait of @pop. Returns false if there are fewer. */
bool wakelat_worst_read(const struct wakelat_pop *pop, unsigned int nth,
			struct wakelat_wait *wait, struct wakelat_stack *stack);
void wakelat_worst_files(struct dentry *root);
/* symbol+offset, and never an address that has no name. */
void wakelat_show_symbol(struct seq_file *m, unsigned long address);
void wakelat_show_comm(struct seq_file *m, const char *comm);

/* timeline.c: the last windows of time, each with a coarse histogram */
#define WAKELAT_COARSE		27	/* below 1.024 us, then one an octave */

struct wakelat_window {
	u64 start_ns;	/* CLOCK_MONOTONIC */
	u64 end_ns;
	u32 count[WAKELAT_POPULATIONS][WAKELAT_COARSE];
};

int wakelat_timeline_init(void);
void wakelat_timeline_exit(void);
/* With wakelat_mutex held. */
void wakelat_timeline_start(void);
void wakelat_timeline_stop(void);
void wakelat_timeline_reset(void);
/* Windows are numbered from load or reset on; the ring has @first up to @end. */
void wakelat_timeline_range(u64 *first, u64 *end);
/* Copies the @nth window. Returns false if it is no longer there. */
bool wakelat_timeline_read(u64 nth, struct wakelat_window *window);
void wakelat_timeline_files(struct dentry *root);
size_t wakelat_timeline_bytes(void);

/* debugfs.c: the files and the controls */
int wakelat_debugfs_init(void);
void wakelat_debugfs_exit(void);

/* header.c: what was measured, on what */
/* Time measured since load or reset, up to now if it still is. */
u64 wakelat_span_ns(void);
void wakelat_header_init(void);
void wakelat_header_show(struct seq_file *m);	/* for people */
void wakelat_header_dump(struct seq_file *m);	/* for machines */

/* report.c: the text of summary */
void wakelat_report_files(struct dentry *root);

/* dump.c: all of it, for machines */
void wakelat_dump_files(struct dentry *root);

#endif
