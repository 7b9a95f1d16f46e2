// SPDX-License-Identifier: GPL-2.0-only
#include <kunit/test.h>
#include <linux/module.h>

#include "../pairing.c"
#include "pairing_cases.h"

#define LENGTH	10	/* of every order: a model a step on the stack */

static void every_order(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_every_order(LENGTH), 0);
}

static void full(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_full(), 0);
}

static void identity(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_identity(), 0);
}

static void blind(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, case_blind(), 0);
}

static struct kunit_case pairing_kunit_cases[] = {
	KUNIT_CASE(every_order),
	KUNIT_CASE(full),
	KUNIT_CASE(identity),
	KUNIT_CASE(blind),
	{}
};

static struct kunit_suite pairing_kunit_suite = {
	.name = "wakelat_pairing",
	.test_cases = pairing_kunit_cases,
};

kunit_test_suite(pairing_kunit_suite);

MODULE_LICENSE("GPL");
MODULE_AUTHOR("The wakelat authors");
MODULE_DESCRIPTION("KUnit suite of the wakelat pairing of events");
