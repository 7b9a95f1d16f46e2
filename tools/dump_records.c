// SPDX-License-Identifier: GPL-2.0-only
/* The records of a capture that count: samples, counters and windows. */
#include "dump_reader.h"

#include <inttypes.h>
#include <string.h>

static const char * const population_name[] = {
	"timer/irq", "timer/rt", "timer/fair",
	"task/wakeup/dl", "task/wakeup/rt", "task/wakeup/fair",
	"task/wakeup/ext", "task/wakeup/idle",
	"task/preempted/dl", "task/preempted/rt", "task/preempted/fair",
	"task/preempted/ext", "task/preempted/idle",
};

int population_order(const char *name)
{
	for (size_t i = 0; i < COUNT(population_name); i++) {
		if (!strcmp(name, population_name[i]))
			return i;
	}
	return -1;
}

/* "watch/NAME/wakeup" or "watch/NAME/preempted" */
static bool is_watch(const char *name)
{
	const char *kind = strrchr(name, '/');

	return !strncmp(name, "watch/", 6) && kind > name + 6 && kind - name <= 6 + 12 &&
	       !memchr(name + 6, '/', kind - name - 6) &&
	       (!strcmp(kind, "/wakeup") || !strcmp(kind, "/preempted"));
}

bool parse_place(const struct reader *reader, const struct line *line, bool watches,
		 char *population, unsigned int *cpu)
{
	u64 number;

	if (line->words != 4 || strcmp(line->word[2], "cpu") ||
	    !parse_number(line->word[3], &number) || number > UINT32_MAX)
		return refuse(reader, "want %s, a population, cpu and its number", line->word[0]);
	if (population_order(line->word[1]) < 0 && !(watches && is_watch(line->word[1])))
		return refuse(reader, "not a population: %s", line->word[1]);
	strcpy(population, line->word[1]);
	*cpu = number;
	return true;
}

bool read_number(struct reader *reader, const struct line *line, const struct number *number,
		 size_t numbers)
{
	if (reader->lines == numbers)
		return unexpected(reader, line);
	number += reader->lines++;
	if (strcmp(line->word[0], number->name))
		return refuse(reader, "want %s, not %s", number->name, line->word[0]);
	if (line->words != 2 || !parse_number(line->word[1], number->value))
		return refuse(reader, "%s is not a number", number->name);
	return true;
}

static struct dump_samples *last_samples(const struct reader *reader)
{
	return &reader->dump->samples[reader->dump->count - 1];
}

static bool begin_samples(struct reader *reader, const struct line *line)
{
	struct dump *dump = reader->dump;
	struct dump_samples *samples;

	dump->samples = add_one(dump->samples, &dump->count, sizeof(*dump->samples));
	samples = last_samples(reader);
	if (!parse_place(reader, line, true, samples->population, &samples->cpu))
		return false;
	for (size_t i = 0; i + 1 < dump->count; i++) {
		if (dump->samples[i].cpu == samples->cpu &&
		    !strcmp(dump->samples[i].population, samples->population))
			return refuse(reader, "told twice: %s cpu %u", samples->population,
				      samples->cpu);
	}
	reader->in_buckets = 0;
	reader->next_lower = 0;
	return true;
}

static bool read_bucket(struct reader *reader, const struct line *line)
{
	u64 lower, upper, count;
	u32 index;

	if (line->words != 4 || !parse_number(line->word[1], &lower) ||
	    !parse_number(line->word[2], &upper) || !parse_number(line->word[3], &count))
		return refuse(reader, "not a bucket: want three numbers");
	index = wakelat_hist_index(lower);
	if (index >= WAKELAT_HIST_BUCKETS || wakelat_hist_lower(index) != lower ||
	    wakelat_hist_lower(index + 1) != upper || lower < reader->next_lower || !count)
		return refuse(reader,
			      "not a bucket, or not in order: %" PRIu64 " %" PRIu64 " %" PRIu64,
			      lower, upper, count);
	reader->next_lower = upper;
	last_samples(reader)->hist.bucket[index] = count;
	reader->in_buckets += count;
	return true;
}

#define SAMPLES_NUMBERS	9

static bool next_samples(struct reader *reader, const struct line *line)
{
	struct dump_samples *samples = last_samples(reader);
	struct wakelat_hist *hist = &samples->hist;
	const struct number numbers[SAMPLES_NUMBERS] = {
		{ "count", &hist->count },
		{ "sum_ns", &hist->sum_ns },
		{ "min_ns", &hist->min_ns },
		{ "max_ns", &hist->max_ns },
		{ "over", &hist->over },
		{ "missed", &samples->missed },
		{ "waiting", &samples->waiting },
		{ "backwards", &samples->backwards },
		{ "dropped", &samples->dropped },
	};
	const u64 *next;

	if (reader->lines == SAMPLES_NUMBERS && !strcmp(line->word[0], "bucket"))
		return read_bucket(reader, line);
	next = reader->lines < SAMPLES_NUMBERS ? numbers[reader->lines].value : NULL;
	if ((next == &hist->min_ns || next == &hist->max_ns) && !hist->count) {
		/* Of no samples there is none. */
		if (line->words != 2 || strcmp(line->word[0], numbers[reader->lines].name) ||
		    strcmp(line->word[1], "-"))
			return refuse(reader, "want %s -", numbers[reader->lines].name);
		reader->lines++;
		return true;
	}
	return read_number(reader, line, numbers, SAMPLES_NUMBERS);
}

/* The record that ends here must add up. */
static bool finish_samples(struct reader *reader)
{
	const struct dump_samples *samples = last_samples(reader);
	const struct wakelat_hist *hist = &samples->hist;

	if (reader->lines != SAMPLES_NUMBERS)
		return refuse(reader, "%s cpu %u is not complete", samples->population,
			      samples->cpu);
	if (reader->in_buckets + hist->over != hist->count)
		return refuse(reader,
			      "%s cpu %u: buckets add up to %" PRIu64 ", count is %" PRIu64,
			      samples->population, samples->cpu,
			      reader->in_buckets + hist->over, hist->count);
	if (hist->count && hist->min_ns > hist->max_ns)
		return refuse(reader, "%s cpu %u: min_ns is above max_ns", samples->population,
			      samples->cpu);
	return true;
}

const struct record_kind samples_kind = {
	"samples", begin_samples, next_samples, finish_samples,
};

static struct dump_counters *last_counters(const struct reader *reader)
{
	return &reader->dump->counters[reader->dump->counters_count - 1];
}

static bool begin_counters(struct reader *reader, const struct line *line)
{
	struct dump *dump = reader->dump;
	struct dump_counters *counters;
	u64 cpu;

	if (line->words != 4 || strcmp(line->word[1], "task") || strcmp(line->word[2], "cpu") ||
	    !parse_number(line->word[3], &cpu) || cpu > UINT32_MAX)
		return refuse(reader, "want counters task cpu and its number");
	dump->counters = add_one(dump->counters, &dump->counters_count, sizeof(*counters));
	counters = last_counters(reader);
	counters->cpu = cpu;
	for (size_t i = 0; i + 1 < dump->counters_count; i++) {
		if (dump->counters[i].cpu == cpu)
			return refuse(reader, "told twice: counters of cpu %u", counters->cpu);
	}
	return true;
}

#define COUNTERS_NUMBERS	3

static bool next_counters(struct reader *reader, const struct line *line)
{
	struct dump_counters *counters = last_counters(reader);
	const struct number numbers[COUNTERS_NUMBERS] = {
		{ "untracked", &counters->untracked },
		{ "dropped", &counters->dropped },
		{ "own", &counters->own },
	};

	return read_number(reader, line, numbers, COUNTERS_NUMBERS);
}

static bool finish_counters(struct reader *reader)
{
	if (reader->lines != COUNTERS_NUMBERS)
		return refuse(reader, "counters of cpu %u are not complete",
			      last_counters(reader)->cpu);
	return true;
}

const struct record_kind counters_kind = {
	"counters", begin_counters, next_counters, finish_counters,
};

static struct dump_window *last_window(const struct reader *reader)
{
	return &reader->dump->window[reader->dump->windows - 1];
}

static bool begin_window(struct reader *reader, const struct line *line)
{
	struct dump *dump = reader->dump;
	struct dump_window *window;

	dump->window = add_one(dump->window, &dump->windows, sizeof(*dump->window));
	window = last_window(reader);
	if (line->words != 4 || !parse_number(line->word[1], &window->nth))
		return refuse(reader, "want window, its number, its start and its end");
	window->gone = !strcmp(line->word[2], "-") && !strcmp(line->word[3], "-");
	if (!window->gone && (!parse_number(line->word[2], &window->start_ns) ||
			      !parse_number(line->word[3], &window->end_ns)))
		return refuse(reader, "window %" PRIu64 ": want two times, or - -", window->nth);
	if (window->end_ns < window->start_ns)
		return refuse(reader, "window %" PRIu64 " ends before it starts", window->nth);
	if (dump->windows > 1 && window->nth != window[-1].nth + 1)
		return refuse(reader, "window %" PRIu64 " after window %" PRIu64, window->nth,
			      window[-1].nth);
	if (window->gone)
		return true;
	if (window->start_ns < reader->window_end_ns)
		return refuse(reader, "window %" PRIu64 " starts before the last one ends",
			      window->nth);
	reader->window_end_ns = window->end_ns;
	return true;
}

static bool next_window(struct reader *reader, const struct line *line)
{
	struct dump_window *window = last_window(reader);
	struct dump_coarse *row;
	u64 count, all = 0;

	if (strcmp(line->word[0], "coarse") || window->gone)
		return unexpected(reader, line);
	if (line->words != 2 + DUMP_COARSE)
		return refuse(reader, "want coarse, a population and %u numbers", DUMP_COARSE);
	if (population_order(line->word[1]) < 0)
		return refuse(reader, "not a population: %s", line->word[1]);
	if (window->rows && population_order(line->word[1]) <=
			    population_order(window->row[window->rows - 1].population))
		return refuse(reader, "not in order: %s", line->word[1]);
	window->row = add_one(window->row, &window->rows, sizeof(*window->row));
	row = &window->row[window->rows - 1];
	strcpy(row->population, line->word[1]);
	for (size_t i = 0; i < DUMP_COARSE; i++) {
		if (!parse_number(line->word[2 + i], &count) || count > UINT32_MAX)
			return refuse(reader, "%s is not a count below 2^32", line->word[2 + i]);
		row->count[i] = count;
		all += count;
	}
	return all || refuse(reader, "no samples of %s", row->population);
}

static bool finish_window(struct reader *reader)
{
	(void)reader;
	return true;
}

const struct record_kind window_kind = {
	"window", begin_window, next_window, finish_window,
};
