/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef WAKELAT_H
#define WAKELAT_H

#ifdef pr_fmt
#undef pr_fmt
#endif
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/cpumask.h>
#include <linux/mutex.h>
#include <linux/seqlock.h>

#include "hist.h"

struct dentry;

#define WAKELAT_VERSION "0.1.0"

/* In the order in which they are shown. */
enum wakelat_population {
	WAKELAT_TIMER_IRQ,
	WAKELAT_TIMER_RT,
	WAKELAT_TIMER_FAIR,
	WAKELAT_POPULATIONS
};

/* What one population collects on one CPU. */
struct wakelat_samples {
	struct wakelat_hist hist;
	u64 missed;	/* expiries that passed while an earlier one waited */
	u64 backwards;	/* negative waits: counted, in no histogram */
	u64 dropped;	/* expiries known to have passed, but not sampled */
};

/*
 * Written by its own CPU alone, with interrupts off; read by anyone, who
 * retries. Neither waits for the other.
 */
struct wakelat_pop {
	seqcount_t seq;
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
	const char *preempt_model;	/* at the last start; NULL before the first */
	u64 started_ns;			/* CLOCK_MONOTONIC of the last start or reset */
	u64 span_ns;			/* time measured, without the current stretch */
};

/* core.c */
extern struct wakelat_knob wakelat_period_us;
extern struct wakelat_knob wakelat_rt_priority;
extern struct wakelat_knob wakelat_stagger;
extern struct cpumask wakelat_cpus;
extern struct wakelat_run wakelat_run;

/* With wakelat_mutex held. Start returns -EBUSY if running, stop is idempotent. */
int wakelat_start(void);
void wakelat_stop(void);
void wakelat_reset(void);

/* timer.c */
int wakelat_timer_init(void);
void wakelat_timer_exit(void);
/* May sleep; with wakelat_mutex held. */
int wakelat_timer_start(void);
void wakelat_timer_stop(void);
void wakelat_timer_reset(void);
/*
 * Copies what @population has on @cpu, consistent in itself, and how many of
 * its expiries still wait for their thread.
 */
void wakelat_timer_read(enum wakelat_population population, unsigned int cpu,
			struct wakelat_samples *samples, unsigned long *waiting);
/*
 * The least and greatest FIFO priority that the threads of sampled CPUs really
 * have; 0 for one that is not real-time. Returns false if there is no thread.
 */
bool wakelat_timer_rt_priority(unsigned int *least, unsigned int *greatest);
/* Bytes of statistics for one CPU, without the two threads' stacks. */
size_t wakelat_timer_cpu_bytes(void);

/* debugfs.c: the files and the controls */
int wakelat_debugfs_init(void);
void wakelat_debugfs_exit(void);

/* report.c: the text of the files that are read, and the files */
void wakelat_report_init(struct dentry *root);

#endif
