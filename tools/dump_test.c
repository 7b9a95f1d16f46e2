// SPDX-License-Identifier: GPL-2.0-only
/* The reader of captures: one that is good, and every kind of damage to it. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dump_cases.h"
#include "dump_reader.h"

/* What the reader said last, with its newline. */
static char *said;

static struct dump *read_text(const char *text, size_t length)
{
	FILE *file = fmemopen((void *)text, length, "r");
	FILE *terminal = stderr;
	struct dump *dump;
	size_t size;

	assert_non_null(file);
	free(said);
	stderr = open_memstream(&said, &size);
	assert_non_null(stderr);
	dump = dump_read_from(file, "it");
	fclose(stderr);
	stderr = terminal;
	fclose(file);
	return dump;
}

static char *join(const char *const *line, size_t lines)
{
	size_t length = 1;
	char *text;

	for (size_t i = 0; i < lines; i++)
		length += strlen(line[i]) + 1;
	text = calloc(1, length);
	assert_non_null(text);
	for (size_t i = 0; i < lines; i++)
		strcat(strcat(text, line[i]), "\n");
	return text;
}

static bool is_read(const char *const *line, size_t lines)
{
	char *text = join(line, lines);
	struct dump *dump = read_text(text, strlen(text));
	bool read = dump;

	dump_free(dump);
	free(text);
	return read;
}

static void good_is_read(void **state)
{
	char *text = join(good, COUNT(good));
	struct dump *dump = read_text(text, strlen(text));
	struct dump_samples all;
	const struct dump_wait *wait;

	if (!dump)
		fail_msg("%s", said);
	assert_string_equal(said, "");
	assert_int_equal(dump->records, 11);
	assert_string_equal(dump_field(dump, "kernel_version"),
			    "#1 SMP Thu Jan 1 00:00:00 UTC 1970");
	assert_string_equal(dump_field(dump, "nothing"), "-");

	assert_int_equal(dump->count, 3);
	assert_int_equal(dump->samples[0].hist.count, 6);
	assert_int_equal(dump->samples[0].hist.sum_ns, 68719500000);
	assert_int_equal(dump->samples[0].hist.min_ns, 63);
	assert_int_equal(dump->samples[0].hist.max_ns, 68719490000);
	assert_int_equal(dump->samples[0].hist.over, 1);
	assert_int_equal(dump->samples[0].hist.bucket[wakelat_hist_index(2100)], 3);
	assert_int_equal(dump->samples[0].missed, 2);
	assert_int_equal(dump->samples[0].waiting, 3);
	assert_int_equal(dump->samples[0].backwards, 4);
	assert_int_equal(dump->samples[0].dropped, 5);
	assert_int_equal(dump->samples[1].cpu, 2);
	assert_string_equal(dump->samples[2].population, "watch/abcdefghijkl/preempted");
	assert_true(dump_merge(dump, "timer/irq", &all));
	assert_int_equal(all.hist.count, 6);
	assert_false(dump_merge(dump, "timer/rt", &all));

	assert_int_equal(dump->counters_count, 2);
	assert_int_equal(dump->counters[0].untracked, 7);
	assert_int_equal(dump->counters[0].dropped, 8);
	assert_int_equal(dump->counters[0].own, 9);
	assert_int_equal(dump->counters[1].cpu, 2);

	assert_int_equal(dump->worst_count, 3);
	assert_int_equal(dump->worst[0].waits, 2);
	wait = &dump->worst[0].wait[0];
	assert_int_equal(wait->wait_ns, 5840);
	assert_int_equal(wait->ended_ns, 5063705456);
	assert_int_equal(wait->victim.pid, 0);
	assert_string_equal(wait->victim.comm, "");
	assert_int_equal(wait->instead.pid, 76);
	assert_string_equal(wait->instead.class, "dl");
	assert_int_equal(wait->instead.prio, -1);
	assert_string_equal(wait->instead.comm, "a\\040b\\134c\\043");
	assert_int_equal(wait->irq_late_ns, 5840);
	assert_false(wait->in_user);
	assert_int_equal(wait->depth, 2);
	assert_string_equal(wait->stack[0], "hold_irqs+0x10/0x20 [wakelat_hold]");
	assert_string_equal(wait->stack[1], "?");
	assert_true(wait[1].in_user);
	assert_int_equal(wait[1].victim.prio, 49);
	assert_int_equal(wait[1].depth, 0);
	assert_int_equal(dump->worst[1].waits, 0);
	assert_string_equal(dump->worst[2].population, "task/wakeup/fair");
	assert_int_equal(dump->worst[2].wait[0].ran_ns, 1397360);
	assert_string_equal(dump->worst[2].wait[0].victim.class, "ext");

	assert_int_equal(dump->windows, 3);
	assert_int_equal(dump->window[0].nth, 4);
	assert_int_equal(dump->window[0].start_ns, 3996746192);
	assert_int_equal(dump->window[0].end_ns, 4005415152);
	assert_int_equal(dump->window[0].rows, 2);
	assert_int_equal(dump->window[0].row[0].count[2], 7);
	assert_int_equal(dump->window[0].row[0].count[5], UINT32_MAX);
	assert_string_equal(dump->window[0].row[1].population, "task/wakeup/fair");
	assert_true(dump->window[1].gone);
	assert_int_equal(dump->window[1].start_ns, 0);
	assert_false(dump->window[2].gone);
	dump_free(dump);
	free(text);
}

static void damage_is_refused(void **state)
{
	for (size_t d = 0; d < COUNT(damage); d++) {
		const char *line[COUNT(good)];
		unsigned int nth = 0;
		char want[256];
		size_t at = 0;

		memcpy(line, good, sizeof(good));
		for (size_t i = 0; i < COUNT(good); i++) {
			if (!strcmp(good[i], damage[d].old) && ++nth == damage[d].nth)
				at = i + 1;
		}
		assert_int_not_equal(at, 0);
		line[at - 1] = damage[d].new;
		if (is_read(line, COUNT(line)))
			fail_msg("\"%s\" was read", damage[d].new);
		snprintf(want, sizeof(want), "it:%zu: ", at + damage[d].line);
		if (strncmp(said, want, strlen(want)) || !strstr(said, damage[d].text) ||
		    strchr(said, '\n') != said + strlen(said) - 1)
			fail_msg("\"%s\": want %s%s, got %s", damage[d].new, want, damage[d].text,
				 said);
	}
}

/* The end must not hide that a record has none. */
static void last_record_is_checked(void **state)
{
	static const char * const line[] = {
		"# wakelat dump 2", "counters task cpu 0", "untracked 1", "dropped 2", "own 3",
		"# end of 1",
	};

	assert_true(is_read(line, COUNT(line)));
	for (size_t length = 2; length < COUNT(line) - 1; length++) {
		const char *cut[COUNT(line)];

		memcpy(cut, line, sizeof(line));
		cut[length] = line[COUNT(line) - 1];
		assert_false(is_read(cut, length + 1));
		assert_non_null(strstr(said, "counters of cpu 0 are not complete"));
	}
}

/* Lines of which there may be any number. */
static bool may_go(const char *line)
{
	return !strncmp(line, "stack ", 6) || !strncmp(line, "coarse ", 7) ||
	       (!strncmp(line, "# ", 2) && strstr(line, ": "));
}

/* But for what may be there or not, each line is needed, and once. */
static void each_line_is_needed(void **state)
{
	const char *line[COUNT(good) + 1];

	for (size_t i = 0; i < COUNT(good); i++) {
		memcpy(line, good, sizeof(good));
		memmove(&line[i], &line[i + 1], (COUNT(good) - i - 1) * sizeof(*line));
		if (is_read(line, COUNT(good) - 1) != may_go(good[i]))
			fail_msg("without \"%s\": %s", good[i], said);
		memcpy(line, good, sizeof(good));
		memmove(&line[i + 1], &line[i], (COUNT(good) - i) * sizeof(*line));
		if (is_read(line, COUNT(good) + 1) != !strncmp(good[i], "stack ", 6))
			fail_msg("twice \"%s\": %s", good[i], said);
	}
}

static void any_cut_is_refused(void **state)
{
	char *text = join(good, COUNT(good));

	for (size_t length = 1; length < strlen(text); length++) {
		struct dump *dump = read_text(text, length);

		if (dump)
			fail_msg("the first %zu bytes were read", length);
	}
	free(text);
}

/* Whatever a byte becomes, the reader gives an answer, and once it is no text: no. */
static void any_byte_is_survived(void **state)
{
	static const char bytes[] = { '\0', '\n', ' ', '-', '9', '#', 'x', '\xff' };
	char *text = join(good, COUNT(good));

	for (size_t i = 0; i < strlen(text); i++) {
		const char was = text[i];
		size_t length = strlen(text);

		for (size_t b = 0; b < sizeof(bytes); b++) {
			struct dump *dump;

			text[i] = bytes[b];
			dump = read_text(text, length);
			if (dump && !bytes[b])
				fail_msg("a zero at %zu was read", i);
			dump_free(dump);
		}
		text[i] = was;
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_is_read),
		cmocka_unit_test(damage_is_refused),
		cmocka_unit_test(last_record_is_checked),
		cmocka_unit_test(each_line_is_needed),
		cmocka_unit_test(any_cut_is_refused),
		cmocka_unit_test(any_byte_is_survived),
	};
	int failed;

	cmocka_set_message_output(CM_OUTPUT_TAP);
	failed = cmocka_run_group_tests_name("dump", tests, NULL, NULL);
	free(said);
	return failed;
}
