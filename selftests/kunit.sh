#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The KUnit suite of the histogram, in the kernel that it will run in.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CASES='bounds edges samples merge empty only_over huge_counts'

passed()
{
	dmesg | grep -q " ok [0-9]* \(- \)\?$1\$" && return
	dmesg | grep -B 8 "ok [0-9]* .*$1" || echo "KUnit did not run $1"
	return 1
}

plan 7
load kunit && load wakelat_hist_kunit
for case in $CASES; do
	check "kunit $case" passed "$case"
done
rmmod wakelat_hist_kunit kunit
finish
