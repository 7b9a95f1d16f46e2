#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# total.sh EXPECTED-SKIPS TAP...: counts the results of KTAP files; the last line is
# "N passed, N failed, N skipped". Returns 0 only if something passed and nothing
# is wrong: a failure, a plan that is missing or not kept, a file that is cut
# short or empty, a complaint of the kernel, or a skip that EXPECTED-SKIPS does not
# name: a line "FILE name of the test", or "FILE all" for all of a script; FILE is
# KERNEL-MODE-TEST.tap, with * for any kernel.
#
# Results of subtests, which are indented, are summed up by their parents.

set -eu
export LC_ALL=C

expected=$1
shift
cut=0
for tap; do
	if [ ! -s "$tap" ] || [ -n "$(tail -c 1 "$tap")" ]; then
		echo "${tap##*/}: it does not end with the end of a line"
		cut=$((cut + 1))
	fi
done
awk -v expected="$expected" -v cut=$cut '
	BEGIN {
		while ((getline line <expected) > 0)
			may_skip[line] = 1
		failed = cut
	}
	function wrong(what) {
		print name ": " what
		failed++
	}
	function skip(text) {
		any_kernel = "*" substr(name, match(name, /-[^-]*-[^-]*$/))
		if (may_skip[name " " text] || may_skip[any_kernel " " text])
			skipped++
		else
			wrong("must not be skipped: " $0)
	}
	function file_ends() {
		if (name == "")
			return
		if (plans != 1)
			wrong("has " plans " plans")
		else if (planned != ran)
			wrong("planned " planned " and ran " ran)
	}
	FNR == 1 {
		file_ends()
		name = FILENAME
		sub(/.*\//, "", name)
		plans = planned = ran = 0
	}
	/^1\.\.[0-9]+/ {
		plans++
		planned = substr($1, 4) + 0
		if (/ # SKIP/)
			skip("all")
		else if (!planned)
			wrong("plans nothing")
		next
	}
	/^not ok / { ran++; wrong($0); next }
	/^ok .*# SKIP/ {
		ran++
		text = $0
		sub(/^ok [0-9]* *(- )?/, "", text)
		sub(/ *# SKIP.*/, "", text)
		skip(text)
		next
	}
	/^ok / { ran++; passed++; next }
	/^Bail out!|Oops|BUG:|WARNING:|Kernel panic/ { wrong($0) }
	END {
		file_ends()
		printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
		exit failed > 0 || passed == 0
	}' "$@"
