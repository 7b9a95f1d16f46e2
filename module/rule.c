// SPDX-License-Identifier: GPL-2.0-only
#include "rule.h"

#ifdef __KERNEL__
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>
#else
#include <errno.h>
#include <stdio.h>
#include <string.h>
#endif

#define CLASSES	5

static const char * const class_name[CLASSES] = { "dl", "rt", "fair", "ext", "idle" };

/* A piece of the line. */
struct word {
	const char *text;
	size_t length;
};

static bool starts_with(struct word word, const char *prefix)
{
	size_t length = strlen(prefix);

	return word.length >= length && !memcmp(word.text, prefix, length);
}

static struct word without(struct word word, const char *prefix)
{
	size_t length = strlen(prefix);

	return (struct word) { word.text + length, word.length - length };
}

static bool copy_word(char *to, size_t most, struct word word)
{
	if (!word.length || word.length > most)
		return false;
	memcpy(to, word.text, word.length);
	to[word.length] = '\0';
	return true;
}

/* Digits at the start of @word, which they leave. */
static bool take_number(struct word *word, u32 *number)
{
	const char *start = word->text;
	u32 value = 0;

	while (word->length && *word->text >= '0' && *word->text <= '9') {
		if (value < 100000000)
			value = value * 10 + (*word->text - '0');
		word->text++;
		word->length--;
	}
	*number = value;
	return word->text != start;
}

static int parse_id(struct word word, u32 *id, const char **reason)
{
	*reason = "want a number from 1 to 4194304";
	if (*id || !take_number(&word, id) || word.length)
		return -EINVAL;
	return *id && *id <= WAKELAT_RULE_ID_MAX ? 0 : -ERANGE;
}

static int parse_prio(struct word word, struct wakelat_rule *rule, const char **reason)
{
	*reason = "want one or two numbers from 0 to 139, the lesser first";
	if (rule->has_prio || !take_number(&word, &rule->prio_least))
		return -EINVAL;
	rule->has_prio = true;
	rule->prio_most = rule->prio_least;
	if (starts_with(word, "-")) {
		word = without(word, "-");
		if (!take_number(&word, &rule->prio_most))
			return -EINVAL;
	}
	if (word.length)
		return -EINVAL;
	return rule->prio_least <= rule->prio_most &&
	       rule->prio_most <= WAKELAT_RULE_PRIO_MAX ? 0 : -ERANGE;
}

static int parse_class(struct word word, struct wakelat_rule *rule, const char **reason)
{
	u32 i;

	*reason = "want dl, rt, fair, ext or idle";
	for (i = 0; !rule->class && i < CLASSES; i++) {
		if (starts_with(word, class_name[i]) && word.length == strlen(class_name[i])) {
			rule->class = i + 1;
			return 0;
		}
	}
	return -EINVAL;
}

static int parse_term(struct word word, struct wakelat_rule *rule, const char **reason)
{
	if (starts_with(word, "comm=")) {
		*reason = "want a glob of 1 to 31 characters, once";
		return !rule->comm[0] && copy_word(rule->comm, WAKELAT_RULE_COMM,
						   without(word, "comm=")) ? 0 : -EINVAL;
	}
	if (starts_with(word, "cgroup=")) {
		*reason = "want a path from /, of 1 to 127 characters, once";
		return !rule->cgroup[0] && starts_with(word, "cgroup=/") &&
		       copy_word(rule->cgroup, WAKELAT_RULE_CGROUP,
				 without(word, "cgroup=")) ? 0 : -EINVAL;
	}
	if (starts_with(word, "tid="))
		return parse_id(without(word, "tid="), &rule->tid, reason);
	if (starts_with(word, "pid="))
		return parse_id(without(word, "pid="), &rule->pid, reason);
	if (starts_with(word, "prio="))
		return parse_prio(without(word, "prio="), rule, reason);
	if (starts_with(word, "policy="))
		return parse_class(without(word, "policy="), rule, reason);
	*reason = "want comm=, tid=, pid=, policy=, prio= or cgroup=";
	return -EINVAL;
}

static int parse_name(struct word word, struct wakelat_rule *rule, const char **reason)
{
	size_t i;

	*reason = "want a name of 1 to 12 letters, digits, dots and underscores";
	for (i = 0; i < word.length; i++) {
		char c = word.text[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') &&
		    !(c >= '0' && c <= '9') && c != '.' && c != '_')
			return -EINVAL;
	}
	return copy_word(rule->name, WAKELAT_RULE_NAME, word) ? 0 : -EINVAL;
}

int wakelat_rule_parse(const char *line, struct wakelat_rule *rule,
		       struct wakelat_rule_error *error)
{
	const char *at = line;
	u32 words = 0;
	int err = 0;

	memset(rule, 0, sizeof(*rule));
	for (;;) {
		struct word word;

		at += strspn(at, " \t");
		word.text = at;
		word.length = strcspn(at, " \t");
		error->column = at - line + 1;
		if (!word.length && words > 1)
			return 0;
		if (!word.length) {
			error->reason = words ? "want a term after the name" :
				"want a name and a term";
			return -EINVAL;
		}
		err = words ? parse_term(word, rule, &error->reason) :
			      parse_name(word, rule, &error->reason);
		if (err)
			return err;
		at += word.length;
		words++;
	}
}

int wakelat_rule_format(const struct wakelat_rule *rule, char *text, size_t size)
{
	int n = snprintf(text, size, "%s", rule->name);

	if (rule->comm[0])
		n += snprintf(text + n, size - n, " comm=%s", rule->comm);
	if (rule->tid)
		n += snprintf(text + n, size - n, " tid=%u", rule->tid);
	if (rule->pid)
		n += snprintf(text + n, size - n, " pid=%u", rule->pid);
	if (rule->class)
		n += snprintf(text + n, size - n, " policy=%s", class_name[rule->class - 1]);
	if (rule->has_prio)
		n += snprintf(text + n, size - n, " prio=%u-%u", rule->prio_least,
			      rule->prio_most);
	if (rule->cgroup[0])
		n += snprintf(text + n, size - n, " cgroup=%s", rule->cgroup);
	return n;
}

static bool glob_matches(const char *glob, const char *text)
{
	const char *star = NULL;
	const char *retry = NULL;

	while (*text) {
		if (*glob == '*') {
			star = ++glob;
			retry = text;
		} else if (*glob == *text || *glob == '?') {
			glob++;
			text++;
		} else if (star) {
			/* The last * takes one character more. */
			glob = star;
			text = ++retry;
		} else {
			return false;
		}
	}
	return !glob[strspn(glob, "*")];
}

bool wakelat_rule_matches(const struct wakelat_rule *rule, const struct wakelat_facts *facts)
{
	if (rule->tid && rule->tid != facts->tid)
		return false;
	if (rule->pid && rule->pid != facts->pid)
		return false;
	if (rule->class && rule->class != facts->class)
		return false;
	if (rule->has_prio && (facts->prio < (int)rule->prio_least ||
			       facts->prio > (int)rule->prio_most))
		return false;
	return !rule->comm[0] || glob_matches(rule->comm, facts->comm);
}
