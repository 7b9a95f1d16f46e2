/* SPDX-License-Identifier: GPL-2.0-only */
/* What dump.c, which reads lines, and dump_records.c and dump_worst.c share. */
#ifndef WAKELAT_TOOLS_DUMP_READER_H
#define WAKELAT_TOOLS_DUMP_READER_H

#include "dump.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))

/* The longest line but for the header's, and one more. */
#define LINE_WORDS	(2 + DUMP_COARSE + 1)

/* A line, taken apart at each blank. */
struct line {
	char *word[LINE_WORDS];
	size_t words;
};

struct reader;

/* One kind of record; dump has them in the order of record_kinds[]. */
struct record_kind {
	const char *name;	/* the first word of its first line */
	bool (*begin)(struct reader *reader, const struct line *line);
	bool (*next)(struct reader *reader, const struct line *line);
	bool (*finish)(struct reader *reader);
};

struct reader {
	const char *path;
	unsigned int line;
	struct dump *dump;
	const struct record_kind *kind;	/* of the record that is being read, or NULL */
	const struct record_kind *reached;	/* of the last record that began */
	size_t lines;		/* of it, or of its part, that have been read */
	u64 in_buckets;		/* of samples */
	u64 next_lower;
	u64 window_end_ns;	/* of the last one that was there */
	bool ended;
};

/* A number that a record has at this place, and nowhere else. */
struct number {
	const char *name;
	u64 *value;
};

extern const struct record_kind samples_kind, counters_kind, worst_kind, window_kind;

/* Always false, after a message with file and line. */
bool refuse(const struct reader *reader, const char *format, ...);
/* Adds a zeroed element of @size to @array of @count. */
void *add_one(void *array, size_t *count, size_t size);
char *copy_text(const char *text);

/* Digits and nothing else, below 2^64. */
bool parse_number(const char *text, u64 *number);
/* "NAME cpu N" after the first word. @watches: also "watch/NAME/KIND". */
bool parse_place(const struct reader *reader, const struct line *line, bool watches,
		 char *population, unsigned int *cpu);
/* The place of a population in the order of the dump, or -1. */
int population_order(const char *name);
/* The line is number[reader->lines], which counts on. */
bool read_number(struct reader *reader, const struct line *line, const struct number *number,
		 size_t numbers);
/* What the line begins with was not expected. */
bool unexpected(const struct reader *reader, const struct line *line);

#endif
