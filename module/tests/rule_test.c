// SPDX-License-Identifier: GPL-2.0-only
/* Rules of watches: what parses, what is refused and where, and what matches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "rule_cases.h"

#define COUNT(array)	(sizeof(array) / sizeof((array)[0]))
#define GLOBS		400000
#define RULES		100000
#define LINES		300000

/* 31, 16 and 56 characters, to make words of the greatest length from. */
#define X31		"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
#define P16		"/abcdefghijklmno"
#define P56		"/abcdefghijklmnopqrstuvwxyz/abcdefghijklmnopqrstuvwxyz/a"

static u32 pick(uint64_t *seed, u32 below)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return (*seed >> 32) % below;
}

static const struct {
	const char *line;
	struct wakelat_rule rule;
	const char *text;	/* what it is told as, if not as it was written */
} good[] = {
	{ "a comm=sh", { .name = "a", .comm = "sh" } },
	{ "Az09._ comm=*", { .name = "Az09._", .comm = "*" } },
	{ "t tid=1", { .name = "t", .tid = 1 } },
	{ "t tid=4194304", { .name = "t", .tid = 4194304 } },
	{ "t tid=007", { .name = "t", .tid = 7 }, "t tid=7" },
	{ "p pid=1", { .name = "p", .pid = 1 } },
	{ "p pid=4194304", { .name = "p", .pid = 4194304 } },
	{ "c policy=dl", { .name = "c", .class = 1 } },
	{ "c policy=rt", { .name = "c", .class = 2 } },
	{ "c policy=fair", { .name = "c", .class = 3 } },
	{ "c policy=ext", { .name = "c", .class = 4 } },
	{ "c policy=idle", { .name = "c", .class = 5 } },
	{ "q prio=0", { .name = "q", .has_prio = true }, "q prio=0-0" },
	{ "q prio=139", { .name = "q", .has_prio = true, .prio_least = 139, .prio_most = 139 },
	  "q prio=139-139" },
	{ "q prio=0-139", { .name = "q", .has_prio = true, .prio_most = 139 } },
	{ "q prio=98-99", { .name = "q", .has_prio = true, .prio_least = 98, .prio_most = 99 } },
	{ "g cgroup=/", { .name = "g", .cgroup = "/" } },
	{ "g cgroup=/a/b=c", { .name = "g", .cgroup = "/a/b=c" } },
	{ "g comm==", { .name = "g", .comm = "=" } },
	{ " \ta\t comm=x \t", { .name = "a", .comm = "x" }, "a comm=x" },
	{ "a cgroup=/c prio=1-2 policy=rt pid=3 tid=4 comm=d*",
	  { .name = "a", .comm = "d*", .cgroup = "/c", .tid = 4, .pid = 3, .class = 2,
	    .has_prio = true, .prio_least = 1, .prio_most = 2 },
	  "a comm=d* tid=4 pid=3 policy=rt prio=1-2 cgroup=/c" },
	/* The longest of all, which has to fit into WAKELAT_RULE_TEXT. */
	{ "abcdefghijkl comm=" X31 " tid=4194304 pid=4194304 policy=fair prio=100-139 cgroup="
	  P56 P56 "/abcdefghijklmn",
	  { .name = "abcdefghijkl", .comm = X31, .cgroup = P56 P56 "/abcdefghijklmn",
	    .tid = 4194304, .pid = 4194304, .class = 3, .has_prio = true, .prio_least = 100,
	    .prio_most = 139 } },
};

static bool same_rule(const struct wakelat_rule *a, const struct wakelat_rule *b)
{
	return !strcmp(a->name, b->name) && !strcmp(a->comm, b->comm) &&
	       !strcmp(a->cgroup, b->cgroup) && a->tid == b->tid && a->pid == b->pid &&
	       a->class == b->class && a->has_prio == b->has_prio &&
	       a->prio_least == b->prio_least && a->prio_most == b->prio_most;
}

static void parses(void **state)
{
	for (size_t i = 0; i < COUNT(good); i++) {
		const char *want = good[i].text ? good[i].text : good[i].line;
		struct wakelat_rule_error error;
		char text[WAKELAT_RULE_TEXT];
		struct wakelat_rule rule;

		if (wakelat_rule_parse(good[i].line, &rule, &error))
			fail_msg("%s: %s, column %u", good[i].line, error.reason, error.column);
		if (!same_rule(&rule, &good[i].rule))
			fail_msg("%s: not what it says", good[i].line);
		assert_int_equal(wakelat_rule_format(&rule, text, sizeof(text)), strlen(want));
		assert_string_equal(text, want);
	}
}

#define WANT_NAME	"want a name of 1 to 12 letters, digits, dots and underscores"
#define WANT_GLOB	"want a glob of 1 to 31 characters, once"
#define WANT_ID		"want a number from 1 to 4194304"
#define WANT_CLASS	"want dl, rt, fair, ext or idle"
#define WANT_PRIO	"want one or two numbers from 0 to 139, the lesser first"
#define WANT_PATH	"want a path from /, of 1 to 127 characters, once"
#define WANT_TERM	"want comm=, tid=, pid=, policy=, prio= or cgroup="

static const struct {
	const char *line;
	int err;
	u32 column;
	const char *reason;
} bad[] = {
	{ "", -EINVAL, 1, "want a name and a term" },
	{ " \t ", -EINVAL, 4, "want a name and a term" },
	{ "a", -EINVAL, 2, "want a term after the name" },
	{ " a  ", -EINVAL, 5, "want a term after the name" },
	{ "abcdefghijklm comm=x", -EINVAL, 1, WANT_NAME },
	{ "  a-b comm=x", -EINVAL, 3, WANT_NAME },
	{ "a/b comm=x", -EINVAL, 1, WANT_NAME },
	{ "a=b comm=x", -EINVAL, 1, WANT_NAME },
	{ "\xc3\xa4 comm=x", -EINVAL, 1, WANT_NAME },
	{ "comm=x comm=x", -EINVAL, 1, WANT_NAME },
	{ "a b", -EINVAL, 3, WANT_TERM },
	{ "a comm", -EINVAL, 3, WANT_TERM },
	{ "a Comm=x", -EINVAL, 3, WANT_TERM },
	{ "a =x", -EINVAL, 3, WANT_TERM },
	{ "a xcomm=x", -EINVAL, 3, WANT_TERM },
	{ "a comm=x  tid=1 nice=3", -EINVAL, 17, WANT_TERM },
	{ "a comm=", -EINVAL, 3, WANT_GLOB },
	{ "a comm= x", -EINVAL, 3, WANT_GLOB },
	{ "a comm=" X31 "x", -EINVAL, 3, WANT_GLOB },
	{ "a comm=x comm=x", -EINVAL, 10, WANT_GLOB },
	{ "a cgroup=", -EINVAL, 3, WANT_PATH },
	{ "a cgroup=a/", -EINVAL, 3, WANT_PATH },
	{ "a cgroup=" P56 P56 P16, -EINVAL, 3, WANT_PATH },
	{ "a cgroup=/a cgroup=/b", -EINVAL, 13, WANT_PATH },
	{ "a tid=", -EINVAL, 3, WANT_ID },
	{ "a tid=x", -EINVAL, 3, WANT_ID },
	{ "a tid=1x", -EINVAL, 3, WANT_ID },
	{ "a tid=-1", -EINVAL, 3, WANT_ID },
	{ "a tid=+1", -EINVAL, 3, WANT_ID },
	{ "a tid=0x1", -EINVAL, 3, WANT_ID },
	{ "a tid=1 tid=1", -EINVAL, 9, WANT_ID },
	{ "a tid=0", -ERANGE, 3, WANT_ID },
	{ "a tid=4194305", -ERANGE, 3, WANT_ID },
	/* 2^24 + 1, 2^32 + 1, 2^64 + 1 and more: 1 if anything overflowed. */
	{ "a tid=16777217", -ERANGE, 3, WANT_ID },
	{ "a tid=4294967297", -ERANGE, 3, WANT_ID },
	{ "a tid=18446744073709551617", -ERANGE, 3, WANT_ID },
	{ "a tid=100000000000000000000000000000000000001", -ERANGE, 3, WANT_ID },
	{ "a pid=", -EINVAL, 3, WANT_ID },
	{ "a pid=1.", -EINVAL, 3, WANT_ID },
	{ "a pid=1 tid=1 pid=2", -EINVAL, 15, WANT_ID },
	{ "a pid=0", -ERANGE, 3, WANT_ID },
	{ "a pid=4194305", -ERANGE, 3, WANT_ID },
	{ "a pid=4294967297", -ERANGE, 3, WANT_ID },
	{ "a policy=", -EINVAL, 3, WANT_CLASS },
	{ "a policy=fai", -EINVAL, 3, WANT_CLASS },
	{ "a policy=fairy", -EINVAL, 3, WANT_CLASS },
	{ "a policy=RT", -EINVAL, 3, WANT_CLASS },
	{ "a policy=rt policy=rt", -EINVAL, 13, WANT_CLASS },
	{ "a prio=", -EINVAL, 3, WANT_PRIO },
	{ "a prio=-", -EINVAL, 3, WANT_PRIO },
	{ "a prio=1-", -EINVAL, 3, WANT_PRIO },
	{ "a prio=-1", -EINVAL, 3, WANT_PRIO },
	{ "a prio=1-2-3", -EINVAL, 3, WANT_PRIO },
	{ "a prio=1--2", -EINVAL, 3, WANT_PRIO },
	{ "a prio=1,2", -EINVAL, 3, WANT_PRIO },
	{ "a prio=1 prio=1", -EINVAL, 10, WANT_PRIO },
	{ "a prio=0 prio=0", -EINVAL, 10, WANT_PRIO },
	{ "a prio=2-1", -ERANGE, 3, WANT_PRIO },
	{ "a prio=140", -ERANGE, 3, WANT_PRIO },
	{ "a prio=0-140", -ERANGE, 3, WANT_PRIO },
	{ "a prio=4294967296", -ERANGE, 3, WANT_PRIO },
	{ "a prio=0-4294967297", -ERANGE, 3, WANT_PRIO },
	{ "a prio=4294967297-139", -ERANGE, 3, WANT_PRIO },
};

static void is_refused(void **state)
{
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct wakelat_rule_error error = { 0 };
		struct wakelat_rule rule;
		int err = wakelat_rule_parse(bad[i].line, &rule, &error);

		if (err != bad[i].err || error.column != bad[i].column)
			fail_msg("\"%s\": error %d in column %u", bad[i].line, err, error.column);
		assert_string_equal(error.reason, bad[i].reason);
	}
}

/* Slow and obvious. */
static bool slow_glob(const char *glob, const char *text)
{
	if (!*glob)
		return !*text;
	if (*glob == '*')
		return slow_glob(glob + 1, text) || (*text && slow_glob(glob, text + 1));
	return *text && (*glob == '?' || *glob == *text) && slow_glob(glob + 1, text + 1);
}

static void random_text(uint64_t *seed, const char *alphabet, char *text, u32 most)
{
	u32 length = pick(seed, most + 1);

	for (u32 i = 0; i < length; i++)
		text[i] = alphabet[pick(seed, strlen(alphabet))];
	text[length] = '\0';
}

static void globs(void **state)
{
	uint64_t seed = 1;
	u32 matches = 0;

	for (u32 i = 0; i < GLOBS; i++) {
		struct wakelat_rule rule = { .name = "g" };
		char comm[16];
		struct wakelat_facts facts = { .comm = comm };
		bool want;

		random_text(&seed, "ab*?", rule.comm, 8);
		random_text(&seed, "ab ", comm, 10);
		/* Without a glob there is no such term. */
		want = !rule.comm[0] || slow_glob(rule.comm, comm);
		matches += want;
		if (wakelat_rule_matches(&rule, &facts) != want)
			fail_msg("glob \"%s\", text \"%s\": want %d", rule.comm, comm, want);
	}
	/* Else the alphabet is wrong. */
	assert_in_range(matches, GLOBS / 20, GLOBS - GLOBS / 20);
}

/* Stars do not multiply: an exponential matcher would not come back from here. */
static void worst_glob(void **state)
{
	const struct wakelat_rule rule = { .name = "g", .comm = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b" };
	char comm[4001];
	const struct wakelat_facts facts = { .comm = comm };

	memset(comm, 'a', sizeof(comm) - 1);
	comm[sizeof(comm) - 1] = '\0';
	assert_false(wakelat_rule_matches(&rule, &facts));
	comm[sizeof(comm) - 2] = 'b';
	assert_true(wakelat_rule_matches(&rule, &facts));
}

static const struct {
	const char *line;
	const char *comm;
	u32 tid, pid, class;
	int prio;
	bool matches;
} match[] = {
	{ "a comm=sh", "sh", 9, 8, 3, 120, true },
	{ "a comm=sh", "sh ", 9, 8, 3, 120, false },
	{ "a comm=sh", "SH", 9, 8, 3, 120, false },
	{ "a comm=s?h", "s h", 9, 8, 3, 120, true },
	{ "a comm=*", "", 9, 8, 3, 120, true },
	{ "a comm=?", "", 9, 8, 3, 120, false },
	{ "a tid=9", "sh", 9, 8, 3, 120, true },
	{ "a tid=8", "sh", 9, 8, 3, 120, false },
	{ "a pid=8", "sh", 9, 8, 3, 120, true },
	{ "a pid=9", "sh", 9, 8, 3, 120, false },
	{ "a policy=dl", "sh", 9, 8, 1, -1, true },
	{ "a policy=rt", "sh", 9, 8, 2, 49, true },
	{ "a policy=fair", "sh", 9, 8, 3, 120, true },
	{ "a policy=ext", "sh", 9, 8, 4, 120, true },
	{ "a policy=idle", "sh", 9, 8, 5, 120, true },
	{ "a policy=dl", "sh", 9, 8, 2, 49, false },
	{ "a policy=rt", "sh", 9, 8, 1, 49, false },
	{ "a policy=fair", "sh", 9, 8, 5, 120, false },
	{ "a policy=ext", "sh", 9, 8, 3, 120, false },
	{ "a policy=idle", "sh", 9, 8, 4, 120, false },
	{ "a prio=120", "sh", 9, 8, 3, 120, true },
	{ "a prio=120", "sh", 9, 8, 3, 119, false },
	{ "a prio=120", "sh", 9, 8, 3, 121, false },
	{ "a prio=98-99", "sh", 9, 8, 2, 97, false },
	{ "a prio=98-99", "sh", 9, 8, 2, 98, true },
	{ "a prio=98-99", "sh", 9, 8, 2, 99, true },
	{ "a prio=98-99", "sh", 9, 8, 2, 100, false },
	{ "a prio=0", "sh", 9, 8, 2, 0, true },
	{ "a prio=0", "sh", 9, 8, 2, 1, false },
	/* A deadline task's is below all that a rule can name. */
	{ "a prio=0-139", "sh", 9, 8, 1, -1, false },
	/* The cgroup is looked at elsewhere. */
	{ "a cgroup=/no", "sh", 9, 8, 3, 120, true },
	/* All terms must hold. */
	{ "a comm=sh tid=9 pid=8 policy=fair prio=120", "sh", 9, 8, 3, 120, true },
	{ "a comm=zh tid=9 pid=8 policy=fair prio=120", "sh", 9, 8, 3, 120, false },
	{ "a comm=sh tid=7 pid=8 policy=fair prio=120", "sh", 9, 8, 3, 120, false },
	{ "a comm=sh tid=9 pid=7 policy=fair prio=120", "sh", 9, 8, 3, 120, false },
	{ "a comm=sh tid=9 pid=8 policy=rt prio=120", "sh", 9, 8, 3, 120, false },
	{ "a comm=sh tid=9 pid=8 policy=fair prio=1", "sh", 9, 8, 3, 120, false },
};

static void matches(void **state)
{
	for (size_t i = 0; i < COUNT(match); i++) {
		const struct wakelat_facts facts = {
			match[i].comm, match[i].tid, match[i].pid, match[i].class, match[i].prio,
		};
		struct wakelat_rule_error error;
		struct wakelat_rule rule;

		assert_int_equal(wakelat_rule_parse(match[i].line, &rule, &error), 0);
		if (wakelat_rule_matches(&rule, &facts) != match[i].matches)
			fail_msg("%s, row %zu: want %d", match[i].line, i, match[i].matches);
	}
}

/* Rules of any terms come back from their text. */
static void rules_come_back(void **state)
{
	static const char letters[] = "abcXYZ019._";
	uint64_t seed = 2;

	for (u32 i = 0; i < RULES; i++) {
		struct wakelat_rule rule = { .name = "n" }, again;
		struct wakelat_rule_error error;
		char text[WAKELAT_RULE_TEXT];
		u32 terms = 1 + pick(&seed, 63);

		random_text(&seed, letters, rule.name + 1, WAKELAT_RULE_NAME - 1);
		if (terms & 1)
			random_text(&seed, "ab*?=/-", strcpy(rule.comm, "c") + 1,
				    WAKELAT_RULE_COMM - 1);
		if (terms & 2)
			rule.tid = 1 + pick(&seed, WAKELAT_RULE_ID_MAX);
		if (terms & 4)
			rule.pid = 1 + pick(&seed, WAKELAT_RULE_ID_MAX);
		if (terms & 8)
			rule.class = 1 + pick(&seed, CLASSES);
		if (terms & 16) {
			rule.has_prio = true;
			rule.prio_least = pick(&seed, WAKELAT_RULE_PRIO_MAX + 1);
			rule.prio_most = rule.prio_least +
				pick(&seed, WAKELAT_RULE_PRIO_MAX + 1 - rule.prio_least);
		}
		if (terms & 32)
			random_text(&seed, "ab/=.", strcpy(rule.cgroup, "/") + 1,
				    WAKELAT_RULE_CGROUP - 1);
		assert_in_range(wakelat_rule_format(&rule, text, sizeof(text)), 1,
				sizeof(text) - 1);
		if (wakelat_rule_parse(text, &again, &error) || !same_rule(&rule, &again))
			fail_msg("it does not come back: %s", text);
	}
}

/* Words and pieces of words, put together at random. */
static void any_line(void **state)
{
	static const char * const piece[] = {
		"a", "name", " ", "\t", "comm=", "tid=", "pid=", "policy=", "prio=", "cgroup=/",
		"=", "-", "*", "?", "0", "1", "99", "139", "140", "4194304", "99999999", "rt",
		"fair", "dl", "\xff", "x", " ", " comm=", " prio=", " tid=1", X31, P56 P56,
	};
	uint64_t seed = 3;

	for (u32 i = 0; i < LINES; i++) {
		char line[2048] = "";
		u32 pieces = pick(&seed, 12);

		for (u32 p = 0; p < pieces; p++)
			strcat(line, piece[pick(&seed, COUNT(piece))]);
		assert_int_equal(case_round_trip(line, strlen(line)), 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parses),
		cmocka_unit_test(is_refused),
		cmocka_unit_test(globs),
		cmocka_unit_test(worst_glob),
		cmocka_unit_test(matches),
		cmocka_unit_test(rules_come_back),
		cmocka_unit_test(any_line),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("rule", tests, NULL, NULL);
}
