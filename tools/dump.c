// SPDX-License-Identifier: GPL-2.0-only
/* A capture as a whole: its lines, its header and its end. */
#define _GNU_SOURCE
#include "dump.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "dump_reader.h"

#define DUMP_VERSION	2
#define VERSION_LINE	"# wakelat dump "
#define END_LINE	"# end of "

/* In the order in which they come. */
static const struct record_kind * const record_kinds[] = {
	&samples_kind, &counters_kind, &worst_kind, &window_kind,
};

bool refuse(const struct reader *reader, const char *format, ...)
{
	va_list arguments;

	fprintf(stderr, "%s:%u: ", reader->path, reader->line);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputc('\n', stderr);
	return false;
}

static void *must_have(void *memory)
{
	if (!memory) {
		perror("wakelat");
		exit(EXIT_FAILURE);
	}
	return memory;
}

void *add_one(void *array, size_t *count, size_t size)
{
	/* A power of two has just been filled. */
	if (!(*count & (*count - 1)))
		array = must_have(reallocarray(array, *count ? 2 * *count : 1, size));
	memset((char *)array + *count * size, 0, size);
	++*count;
	return array;
}

char *copy_text(const char *text)
{
	return must_have(strdup(text));
}

bool parse_number(const char *text, u64 *number)
{
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &end, 10);
	return !errno && !*end;
}

bool unexpected(const struct reader *reader, const struct line *line)
{
	return refuse(reader, "did not expect a line of this kind here: %s", line->word[0]);
}

static bool finish_record(struct reader *reader)
{
	bool good = !reader->kind || reader->kind->finish(reader);

	reader->kind = NULL;
	return good;
}

static bool read_end(struct reader *reader, const char *text)
{
	u64 records;

	if (!parse_number(text, &records))
		return refuse(reader, "not a number of records: %s", text);
	if (!finish_record(reader))
		return false;
	if (records != reader->dump->records)
		return refuse(reader, "%zu records of %" PRIu64, reader->dump->records, records);
	reader->ended = true;
	return true;
}

static bool read_header(struct reader *reader, char *text)
{
	struct dump *dump = reader->dump;
	struct dump_field *field;
	char *colon = strstr(text, ": ");

	if (!strncmp(text, END_LINE, strlen(END_LINE)))
		return read_end(reader, text + strlen(END_LINE));
	if (strncmp(text, "# ", 2) || !colon || colon == text + 2 || dump->records)
		return refuse(reader, "not a header line: %s", text);
	*colon = '\0';
	for (size_t i = 0; i < dump->fields; i++) {
		if (!strcmp(dump->field[i].name, text + 2))
			return refuse(reader, "told twice: %s", text + 2);
	}
	dump->field = add_one(dump->field, &dump->fields, sizeof(*dump->field));
	field = &dump->field[dump->fields - 1];
	field->name = copy_text(text + 2);
	field->value = copy_text(colon + 2);
	return true;
}

static struct line split(char *text)
{
	struct line line = { .words = 0 };

	while (text && line.words < LINE_WORDS)
		line.word[line.words++] = strsep(&text, " ");
	return line;
}

static bool begin_record(struct reader *reader, const struct line *line, size_t kind)
{
	if (!finish_record(reader))
		return false;
	for (size_t k = kind + 1; k < COUNT(record_kinds); k++) {
		if (reader->reached == record_kinds[k])
			return refuse(reader, "%s after %s", record_kinds[kind]->name,
				      record_kinds[k]->name);
	}
	reader->reached = record_kinds[kind];
	reader->kind = record_kinds[kind];
	reader->lines = 0;
	reader->dump->records++;
	return reader->kind->begin(reader, line);
}

static bool read_line(struct reader *reader, char *text)
{
	struct line line;

	if (reader->ended)
		return refuse(reader, "text after the end");
	if (text[0] == '#')
		return read_header(reader, text);
	line = split(text);
	for (size_t kind = 0; kind < COUNT(record_kinds); kind++) {
		if (!strcmp(line.word[0], record_kinds[kind]->name))
			return begin_record(reader, &line, kind);
	}
	if (!reader->kind)
		return refuse(reader, "samples were to come first: %s", text);
	return reader->kind->next(reader, &line);
}

static bool read_version(struct reader *reader, const char *text)
{
	u64 version;

	if (strncmp(text, VERSION_LINE, strlen(VERSION_LINE)) ||
	    !parse_number(text + strlen(VERSION_LINE), &version))
		return refuse(reader, "not a wakelat dump");
	if (version != DUMP_VERSION)
		return refuse(reader, "dump version %" PRIu64 ", this tool reads %u", version,
			      DUMP_VERSION);
	return true;
}

static bool read_lines(struct reader *reader, FILE *file)
{
	char *text = NULL;
	size_t size = 0;
	ssize_t length;
	bool good = true;

	while (good && (length = getline(&text, &size, file)) > 0) {
		reader->line++;
		if (text[length - 1] != '\n') {
			good = refuse(reader, "cut short in a line");
			break;
		}
		text[length - 1] = '\0';
		if (strlen(text) != (size_t)length - 1)
			good = refuse(reader, "not text");
		else if (reader->line > 1)
			good = read_line(reader, text);
		else
			good = read_version(reader, text);
	}
	free(text);
	if (good && ferror(file))
		good = refuse(reader, "cannot be read on: %s", strerror(errno));
	if (good && !reader->ended)
		good = refuse(reader, "cut short: the end is missing");
	return good;
}

struct dump *dump_read_from(FILE *file, const char *path)
{
	struct reader reader = { .path = path };

	reader.dump = must_have(calloc(1, sizeof(*reader.dump)));
	if (read_lines(&reader, file))
		return reader.dump;
	dump_free(reader.dump);
	return NULL;
}

struct dump *dump_read(const char *path)
{
	FILE *file = fopen(path, "r");
	struct dump *dump;

	if (!file) {
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return NULL;
	}
	dump = dump_read_from(file, path);
	fclose(file);
	return dump;
}

static void free_worst(struct dump_worst *worst)
{
	for (size_t w = 0; w < worst->waits; w++) {
		for (size_t i = 0; i < worst->wait[w].depth; i++)
			free(worst->wait[w].stack[i]);
	}
	free(worst->wait);
}

void dump_free(struct dump *dump)
{
	if (!dump)
		return;
	for (size_t i = 0; i < dump->fields; i++) {
		free(dump->field[i].name);
		free(dump->field[i].value);
	}
	for (size_t i = 0; i < dump->worst_count; i++)
		free_worst(&dump->worst[i]);
	for (size_t i = 0; i < dump->windows; i++)
		free(dump->window[i].row);
	free(dump->field);
	free(dump->samples);
	free(dump->counters);
	free(dump->worst);
	free(dump->window);
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
