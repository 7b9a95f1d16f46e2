/* SPDX-License-Identifier: GPL-2.0-only */
/* A capture: what the module's dump file said (Documentation/dump.md). */
#ifndef WAKELAT_TOOLS_DUMP_H
#define WAKELAT_TOOLS_DUMP_H

#include <stddef.h>
#include <stdio.h>

#include "../module/hist.h"

#define DUMP_NAME	32	/* more than the longest population has */
#define DUMP_COMM	64	/* more than 15 characters, each as \ooo */
#define DUMP_STACK	16
#define DUMP_COARSE	27

struct dump_field {
	char *name;
	char *value;
};

struct dump_samples {
	char population[DUMP_NAME];
	unsigned int cpu;
	u64 missed;
	u64 waiting;
	u64 backwards;
	u64 dropped;
	struct wakelat_hist hist;
};

/* Of the task probes. */
struct dump_counters {
	unsigned int cpu;
	u64 untracked;
	u64 dropped;
	u64 own;
};

struct dump_who {
	unsigned int pid;
	const char *class;
	int prio;
	char comm[DUMP_COMM];	/* as it is written, with \ooo; empty of nobody */
};

/* irq_late_ns, in_user and the stack are of timers, ran_ns is of tasks. */
struct dump_wait {
	u64 wait_ns;
	u64 ended_ns;
	u64 irq_late_ns;
	u64 ran_ns;
	bool in_user;
	struct dump_who victim;
	struct dump_who instead;
	char *stack[DUMP_STACK];	/* innermost first */
	size_t depth;
};

struct dump_worst {
	char population[DUMP_NAME];
	unsigned int cpu;
	struct dump_wait *wait;	/* the longest first */
	size_t waits;
};

struct dump_coarse {
	char population[DUMP_NAME];
	u32 count[DUMP_COARSE];	/* below 1.024 us, then one an octave */
};

/* One that was gone when it was to be read has no times and no rows. */
struct dump_window {
	u64 nth;
	bool gone;
	u64 start_ns;
	u64 end_ns;
	struct dump_coarse *row;	/* only of populations with samples */
	size_t rows;
};

struct dump {
	struct dump_field *field;
	size_t fields;
	struct dump_samples *samples;
	size_t count;
	struct dump_counters *counters;
	size_t counters_count;
	struct dump_worst *worst;
	size_t worst_count;
	struct dump_window *window;
	size_t windows;
	size_t records;		/* of all kinds */
};

/*
 * dump_read - read a capture
 * Accepts only a complete one whose numbers agree with each other. Returns NULL
 * after a message with file and line on standard error.
 */
struct dump *dump_read(const char *path);
/* The same from @file, which @path names in messages. */
struct dump *dump_read_from(FILE *file, const char *path);
void dump_free(struct dump *dump);

/* The header's value of @name, or "-" if it has none. */
const char *dump_field(const struct dump *dump, const char *name);

/*
 * Merges all CPUs of @population into @all. Returns false if there are none.
 */
bool dump_merge(const struct dump *dump, const char *population,
		struct dump_samples *all);

#endif
