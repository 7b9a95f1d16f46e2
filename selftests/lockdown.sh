#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A kernel that is locked down while wakelat measures: results are read, controls
# are refused. Nothing but a boot lifts a lockdown, so this wants LOCKDOWN=1.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

RESULTS='summary dump worst timeline'

readable()
{
	lines=$(cat "$FILES/$1") || { echo "$lines"; return 1; }
	between "lines of $1" "$(echo "$lines" | wc -l)" "$2" 1000000
}

# refused CONTROL TEXT: with EPERM, and nothing is changed
refused()
{
	before="$(field running) $(grep '^samples ' $FILES/dump)"
	counted=$(sample timer/irq 0 count)
	log=$( (echo "$2" >"$FILES/$1") 2>&1) && { echo "'$2' was taken"; return 1; }
	case $log in
	*'Operation not permitted'*) ;;
	*) echo "it says '$log', want EPERM"; return 1 ;;
	esac
	expect "running, and records" "$(field running) $(grep '^samples ' $FILES/dump)" "$before" &&
		between "samples" "$(sample timer/irq 0 count)" "$counted" 1000000000
}

[ "${LOCKDOWN:-0}" = 1 ] || skip_all "it locks the kernel down until the next boot: LOCKDOWN=1 allows it"
[ -e /sys/kernel/security/lockdown ] || skip_all "no lockdown in this kernel (CONFIG_SECURITY_LOCKDOWN_LSM)"
plan 12
load wakelat timeline_ms=100
has_watch=$([ ! -e $FILES/watch ] || echo 1)
sleep 0.5
check "is not locked down, and measures" expect running "$(field running)" 1
check "enable is read before" readable enable 1
check "is locked down" sh -c 'echo integrity >/sys/kernel/security/lockdown && grep -q "\[integrity\]" /sys/kernel/security/lockdown'
for result in $RESULTS; do
	check "$result is read" readable "$result" 2
done
check "enable is refused" refused enable 0
check "reset is refused" refused reset 1
check "threshold_us is refused" refused threshold_us 'timer/rt 500'
if [ "$has_watch" ]; then
	check "watch is refused" refused watch 'init tid=1'
else
	skip "watch is refused" "no tracepoints"
fi
check "unloads" rmmod wakelat
finish
