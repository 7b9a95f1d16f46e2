/* SPDX-License-Identifier: GPL-2.0-only */
/* What must hold of any line that is given to rule.c; for test and fuzzer. */
#ifndef WAKELAT_RULE_CASES_H
#define WAKELAT_RULE_CASES_H

#include <stdlib.h>

#include "../rule.c"

/*
 * A line is refused with a reason and a column, or what it says comes back from
 * its text, which fits. Returns 0, or the number of the first thing that is wrong.
 */
static int case_round_trip(const char *data, size_t size)
{
	struct wakelat_rule_error error = { 0 };
	char text[WAKELAT_RULE_TEXT];
	struct wakelat_rule rule, again;
	/* As long as it is, so that ASan sees who reads on. */
	char *line = malloc(size + 1);
	size_t length;
	int err, written;

	if (!line)
		return 1;
	memcpy(line, data, size);
	line[size] = '\0';
	length = strlen(line);
	err = wakelat_rule_parse(line, &rule, &error);
	free(line);
	if (err) {
		if (err != -EINVAL && err != -ERANGE)
			return 2;
		return error.reason && error.column >= 1 && error.column <= length + 1 ? 0 : 3;
	}
	written = wakelat_rule_format(&rule, text, sizeof(text));
	if (written < 0 || (size_t)written >= sizeof(text) || (size_t)written != strlen(text))
		return 4;
	if (wakelat_rule_parse(text, &again, &error))
		return 5;
	return memcmp(&rule, &again, sizeof(rule)) ? 6 : 0;
}

#endif
