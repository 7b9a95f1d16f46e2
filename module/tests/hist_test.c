// SPDX-License-Identifier: GPL-2.0-only
/* The cases of hist_cases.h in userspace, under sanitizers and over more seeds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "../hist.c"
#include "hist_cases.h"

#define SEEDS	200

static void bounds(void **state)
{
	assert_int_equal(case_bounds(), 0);
}

static void edges(void **state)
{
	assert_int_equal(case_edges(), 0);
}

static void samples(void **state)
{
	for (u64 seed = 1; seed <= SEEDS; seed++)
		assert_int_equal(case_samples(seed), 0);
}

static void merge(void **state)
{
	for (u64 seed = 1; seed <= SEEDS; seed++)
		assert_int_equal(case_merge(seed), 0);
}

static void empty(void **state)
{
	assert_int_equal(case_empty(), 0);
}

static void only_over(void **state)
{
	assert_int_equal(case_only_over(), 0);
}

static void huge_counts(void **state)
{
	assert_int_equal(case_huge_counts(), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds),
		cmocka_unit_test(edges),
		cmocka_unit_test(samples),
		cmocka_unit_test(merge),
		cmocka_unit_test(empty),
		cmocka_unit_test(only_over),
		cmocka_unit_test(huge_counts),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
