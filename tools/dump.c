// SPDX-License-Identifier: GPL-2.0-only
#define _GNU_SOURCE
#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DUMP_VERSION 1

struct reader {
	const char *path;
	unsigned int line;
	struct dump *dump;
	u64 in_buckets;		/* of the record that is being read */
	u64 next_lower;
	bool ended;
};

static bool refuse(const struct reader *reader, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: ", reader->path, reader->line);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return false;
}

static void *grow(void *array, size_t count, size_t size)
{
	void *grown = reallocarray(array, count, size);

	if (!grown) {
		perror("wakelat");
		exit(EXIT_FAILURE);
	}
	return grown;
}

static struct dump_samples *last(struct reader *reader)
{
	return &reader->dump->samples[reader->dump->count - 1];
}

/* The record that ends here must add up. */
static bool finish_samples(struct reader *reader)
{
	const struct dump_samples *samples;

	if (!reader->dump->count)
		return true;
	samples = last(reader);
	if (reader->in_buckets + samples->hist.over != samples->hist.count)
		return refuse(reader,
			      "%s cpu %u: buckets add up to %" PRIu64 ", count is %" PRIu64,
			      samples->population, samples->cpu,
			      reader->in_buckets + samples->hist.over,
			      samples->hist.count);
	return true;
}

static bool read_header(struct reader *reader, char *line)
{
	struct dump *dump = reader->dump;
	struct dump_field *field;
	unsigned int records;
	char *colon;

	if (sscanf(line, "# end of %u", &records) == 1) {
		if (!finish_samples(reader))
			return false;
		if (records != dump->count)
			return refuse(reader, "%zu records of %u", dump->count, records);
		reader->ended = true;
		return true;
	}
	colon = strstr(line, ": ");
	if (!colon || dump->count)
		return refuse(reader, "not a header line: %s", line);
	*colon = '\0';
	dump->field = grow(dump->field, dump->fields + 1, sizeof(*dump->field));
	field = &dump->field[dump->fields++];
	field->name = strdup(line + 2);
	field->value = strdup(colon + 2);
	return true;
}

static bool read_bucket(struct reader *reader, u64 lower, u64 upper, u64 count)
{
	u32 index = wakelat_hist_index(lower);

	if (index >= WAKELAT_HIST_BUCKETS || wakelat_hist_lower(index) != lower ||
	    wakelat_hist_lower(index + 1) != upper || lower < reader->next_lower || !count)
		return refuse(reader,
			      "not a bucket, or not in order: %" PRIu64 " %" PRIu64 " %" PRIu64,
			      lower, upper, count);
	reader->next_lower = upper;
	last(reader)->hist.bucket[index] = count;
	reader->in_buckets += count;
	return true;
}

static bool read_number(struct reader *reader, const char *name, const char *text)
{
	struct dump_samples *samples = last(reader);
	const struct {
		const char *name;
		u64 *number;
	} numbers[] = {
		{ "count", &samples->hist.count },
		{ "sum_ns", &samples->hist.sum_ns },
		{ "min_ns", &samples->hist.min_ns },
		{ "max_ns", &samples->hist.max_ns },
		{ "over", &samples->hist.over },
		{ "missed", &samples->missed },
		{ "waiting", &samples->waiting },
		{ "backwards", &samples->backwards },
		{ "dropped", &samples->dropped },
	};
	char *end;

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(name, numbers[i].name))
			continue;
		/* What is not defined, like the least of no samples. */
		if (!strcmp(text, "-") && !samples->hist.count)
			return true;
		errno = 0;
		*numbers[i].number = strtoull(text, &end, 10);
		if (errno || end == text || *end || *text == '-')
			return refuse(reader, "%s is not a number: %s", name, text);
		return true;
	}
	return refuse(reader, "unknown name: %s", name);
}

static bool read_line(struct reader *reader, char *line)
{
	struct dump *dump = reader->dump;
	struct dump_samples samples = { 0 };
	u64 lower, upper, count;
	char name[32], text[32];

	if (reader->ended)
		return refuse(reader, "text after the end");
	if (line[0] == '#')
		return read_header(reader, line);
	if (sscanf(line, "samples %31s cpu %u", samples.population, &samples.cpu) == 2) {
		if (!finish_samples(reader))
			return false;
		dump->samples = grow(dump->samples, dump->count + 1, sizeof(samples));
		dump->samples[dump->count++] = samples;
		reader->in_buckets = 0;
		reader->next_lower = 0;
		return true;
	}
	if (!dump->count)
		return refuse(reader, "samples were to come first: %s", line);
	if (sscanf(line, "bucket %" SCNu64 " %" SCNu64 " %" SCNu64, &lower, &upper, &count) == 3)
		return read_bucket(reader, lower, upper, count);
	if (sscanf(line, "%31s %31s", name, text) == 2)
		return read_number(reader, name, text);
	return refuse(reader, "not a line of a dump: %s", line);
}

static bool read_lines(struct reader *reader, FILE *file)
{
	char *line = NULL;
	size_t size = 0;
	unsigned int version;
	bool good = true;

	while (good && getline(&line, &size, file) > 0) {
		reader->line++;
		line[strcspn(line, "\n")] = '\0';
		if (reader->line > 1)
			good = read_line(reader, line);
		else if (sscanf(line, "# wakelat dump %u", &version) != 1)
			good = refuse(reader, "not a wakelat dump");
		else if (version != DUMP_VERSION)
			good = refuse(reader, "dump version %u, this tool reads %u",
				      version, DUMP_VERSION);
	}
	free(line);
	if (good && !reader->ended)
		good = refuse(reader, "cut short: the end is missing");
	return good;
}

struct dump *dump_read(const char *path)
{
	struct reader reader = { .path = path };
	FILE *file = fopen(path, "r");
	bool good;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return NULL;
	}
	reader.dump = grow(NULL, 1, sizeof(*reader.dump));
	memset(reader.dump, 0, sizeof(*reader.dump));
	good = read_lines(&reader, file);
	fclose(file);
	if (good)
		return reader.dump;
	dump_free(reader.dump);
	return NULL;
}

void dump_free(struct dump *dump)
{
	if (!dump)
		return;
	for (size_t i = 0; i < dump->fields; i++) {
		free(dump->field[i].name);
		free(dump->field[i].value);
	}
	free(dump->field);
	free(dump->samples);
	free(dump);
}

const char *dump_field(const struct dump *dump, const char *name)
{
	for (size_t i = 0; i < dump->fields; i++) {
		if (!strcmp(dump->field[i].name, name))
			return dump->field[i].value;
	}
	return "-";
}

bool dump_merge(const struct dump *dump, const char *population,
		struct dump_samples *all)
{
	bool found = false;

	memset(all, 0, sizeof(*all));
	for (size_t i = 0; i < dump->count; i++) {
		const struct dump_samples *samples = &dump->samples[i];

		if (strcmp(samples->population, population))
			continue;
		found = true;
		wakelat_hist_merge(&all->hist, &samples->hist);
		all->missed += samples->missed;
		all->waiting += samples->waiting;
		all->backwards += samples->backwards;
		all->dropped += samples->dropped;
	}
	return found;
}
