// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/module.h>

#include "../hist.c"
#include "hist_cases.h"

static void bounds(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_bounds(), 0);
}

static void edges(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_edges(), 0);
}

static void samples(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_samples(1), 0);
}

static void merge(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_merge(2), 0);
}

static void empty(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_empty(), 0);
}

static void only_over(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_only_over(), 0);
}

static void huge_counts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_huge_counts(), 0);
}

static struct kunit_case hist_kunit_cases[] = {
	KUNIT_CASE(bounds),
	KUNIT_CASE(edges),
	KUNIT_CASE(samples),
	KUNIT_CASE(merge),
	KUNIT_CASE(empty),
	KUNIT_CASE(only_over),
	KUNIT_CASE(huge_counts),
	{}
};

static struct kunit_suite hist_kunit_suite = {
	.name = "wakelat_hist",
	.test_cases = hist_kunit_cases,
};

kunit_test_suite(hist_kunit_suite);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wakelat authors");
MODULE_DESCRIPTION("KUnit suite of the wakelat histogram");
