#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The KUnit suites of the pure code, in the kernel that it will run in.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

HIST='bounds edges samples merge empty only_over huge_counts'
PAIRING='every_order full identity blind'

# A suite's cases are indented; "not ok" must not do.
passed()
{
	dmesg | sed 's/^\[[^]]*\] //' | grep -q "^ *ok [0-9]* \(- \)\?$1\$" && return
	dmesg | grep -B 8 "ok [0-9]* .*$1" || echo "KUnit did not run $1"
	return 1
}

# suite NAME CASE...
suite()
{
	suite_name=$1
	shift
	load "wakelat_${suite_name}_kunit"
	for case; do
		check "kunit $suite_name $case" passed "$case"
	done
	check "kunit wakelat_$suite_name, as a whole" passed "wakelat_$suite_name"
	rmmod "wakelat_${suite_name}_kunit"
}

# The kernel's own part of KUnit may be there already, or built in.
kunit_was_there=$([ ! -d /sys/module/kunit ] || echo 1)
restore()
{
	[ "$kunit_was_there" ] || rmmod wakelat_hist_kunit wakelat_pairing_kunit kunit
}

{ [ "$kunit_was_there" ] || have_module kunit; } || skip_all "no KUnit in this kernel"
have_module wakelat_hist_kunit || skip_all "the KUnit suites were not built: the kernel they were built for has no KUnit"
plan 13
[ "$kunit_was_there" ] || load kunit
suite hist $HIST
suite pairing $PAIRING
finish
