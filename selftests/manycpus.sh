#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# With many CPUs dump is complete whatever the read size, and each CPU has its
# own place in the period.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CPUS=${EXPECT_CPUS:-$(online_cpus | wc -l)}

all_are_there()
{
	expect "records" "$(grep -c '^samples timer/' $FILES/dump)" $((3 * CPUS)) &&
		expect "records with samples" "$(awk '
			$1 == "samples" { here = $2 ~ /^timer/ }
			here && $1 == "count" && $2 > 0' $FILES/dump | wc -l)" $((3 * CPUS)) &&
		expect "last line" "$(tail -n 1 $FILES/dump)" \
			"# end of $(grep -cE '^(samples|counters|worst|window) ' $FILES/dump)"
}

summary_has_each_cpu()
{
	for population in timer/irq timer/rt timer/fair; do
		expect "lines of $population" "$(grep -c "^$population " $FILES/summary)" $((CPUS + 1)) || return
	done
}

plan 3
load wakelat period_us=20000
sleep 1
echo 0 >$FILES/enable
sleep 0.1
check "all CPUs are in dump" all_are_there
check "dump is the same at any read size" same_at_any_read_size 7 4096 1048576
check "all CPUs are in summary" summary_has_each_cpu
finish
