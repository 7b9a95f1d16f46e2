/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of watches: text to rule, rule to text, and does a task match?
 *
 *	rule = name term+
 *	term = "comm=" glob | "tid=" number | "pid=" number | "policy=" class |
 *	       "prio=" number ["-" number] | "cgroup=/" path
 *
 * Words are separated by blanks. A task matches if all terms hold. A glob has *
 * and ?, the latter also for a blank.
 *
 * Pure: the same source is built into the module and the userspace tests.
 */
#ifndef WAKELAT_RULE_H
#define WAKELAT_RULE_H

#ifdef __KERNEL__
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
typedef uint32_t u32;
#endif

#define WAKELAT_RULE_NAME	12	/* longest name, glob and path */
#define WAKELAT_RULE_COMM	31
#define WAKELAT_RULE_CGROUP	127
#define WAKELAT_RULE_TEXT	256	/* what wakelat_rule_format() needs at most */
#define WAKELAT_RULE_PRIO_MAX	139
#define WAKELAT_RULE_ID_MAX	4194304	/* the kernel's PID_MAX_LIMIT */

/* Zero and empty: no such term. */
struct wakelat_rule {
	char name[WAKELAT_RULE_NAME + 1];
	char comm[WAKELAT_RULE_COMM + 1];
	char cgroup[WAKELAT_RULE_CGROUP + 1];
	u32 tid;
	u32 pid;
	u32 class;	/* 1 + its place in the list of classes */
	bool has_prio;
	u32 prio_least;
	u32 prio_most;
};

/* What rules look at, but for the cgroup. */
struct wakelat_facts {
	const char *comm;
	u32 tid;
	u32 pid;
	u32 class;	/* as in the rule */
	int prio;	/* the scheduler's */
};

struct wakelat_rule_error {
	const char *reason;
	u32 column;	/* of the bad word, from 1 */
};

/*
 * wakelat_rule_parse - one line, without its newline
 * Returns 0, -EINVAL or -ERANGE with @error filled; then @rule means nothing.
 */
int wakelat_rule_parse(const char *line, struct wakelat_rule *rule,
		       struct wakelat_rule_error *error);

/* Writes what parses to the same rule, and returns its length. */
int wakelat_rule_format(const struct wakelat_rule *rule, char *text, size_t size);

bool wakelat_rule_matches(const struct wakelat_rule *rule, const struct wakelat_facts *facts);

#endif
