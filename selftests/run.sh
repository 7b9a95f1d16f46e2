#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
#
# run.sh [TEST...]: run all tests (or TEST.sh of this folder), without the kernel's
# runner. One KTAP, with a subtest for each script; returns 0 if none failed and
# not all were skipped, 4 if all were.

cd "$(dirname "$0")" || exit 1
[ $# != 0 ] || set -- $(for script in *.sh; do
	[ ! -x "$script" ] || [ "$script" = run.sh ] || echo "${script%.sh}"
done)

# Of what passed: the plan is kept, and nothing failed.
kept()
{
	awk '
		/^1\.\./ { planned = substr($0, 4) }
		/^(not )?ok / { ran++ }
		/^not ok / { failed = 1 }
		END { exit failed || !ran || ran != planned }' "$output"
}

output=$(mktemp) || exit 1
trap 'rm -f "$output"' EXIT
trap 'exit 1' HUP INT TERM
passed=0 failed=0 skipped=0 number=0
echo "KTAP version 1"
echo "1..$#"
for test; do
	number=$((number + 1))
	name=$test.sh
	echo "  KTAP version 1"
	echo "  # Subtest: $name"
	{ "./$name" 2>&1; echo "status $?"; } | tee "$output" |
		sed '/^KTAP version/d; /^status [0-9]*$/d; s/^/  /'
	status=$(sed -n 's/^status //p' "$output" | tail -n 1)
	[ "$status" != 0 ] || kept || status="0, but did not keep its plan"
	case $status in
	0)
		passed=$((passed + 1))
		echo "ok $number - $name"
		;;
	4)
		skipped=$((skipped + 1))
		reason=$(sed -n 's/^1\.\.0 # SKIP //p' "$output")
		echo "ok $number - $name # SKIP ${reason:-all of it}"
		;;
	*)
		failed=$((failed + 1))
		echo "# $name ended with status $status"
		echo "not ok $number - $name"
		;;
	esac
done
echo "# Totals: pass:$passed fail:$failed xfail:0 xpass:0 skip:$skipped error:0"
[ $failed = 0 ] || exit 1
[ $passed != 0 ] || exit 4
