/* SPDX-License-Identifier: GPL-2.0-only */
/* A capture: what the module's dump file said (Documentation/dump.md). */
#ifndef WAKELAT_TOOLS_DUMP_H
#define WAKELAT_TOOLS_DUMP_H

#include <stddef.h>

#include "../module/hist.h"

struct dump_samples {
	char population[32];
	unsigned int cpu;
	u64 missed;
	u64 waiting;
	u64 backwards;
	u64 dropped;
	struct wakelat_hist hist;
};

struct dump_field {
	char *name;
	char *value;
};

struct dump {
	struct dump_field *field;
	size_t fields;
	struct dump_samples *samples;
	size_t count;
};

/*
 * dump_read - read a capture
 * Accepts only a complete one whose numbers agree with each other. Returns NULL
 * after a message with file and line on standard error.
 */
struct dump *dump_read(const char *path);
void dump_free(struct dump *dump);

/* The header's value of @name, or "-" if it has none. */
const char *dump_field(const struct dump *dump, const char *name);

/*
 * Merges all CPUs of @population into @all. Returns false if there are none.
 */
bool dump_merge(const struct dump *dump, const char *population,
		struct dump_samples *all);

#endif
