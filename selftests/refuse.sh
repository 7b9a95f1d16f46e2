#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# On a kernel that lacks what the module needs (EXPECT_LACK: debugfs or
# highres, switched off on the kernel command line) it does not load, and says
# why in one line.

NEED_DEBUGFS=0
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

refuses()
{
	log=$(new_log load wakelat)
	[ ! -d /sys/module/wakelat ] || { echo "it loaded"; return 1; }
	case ${EXPECT_LACK:-} in
	debugfs) want='CONFIG_DEBUG_FS.*(error -1)' ;;
	highres) want='CONFIG_HIGH_RES_TIMERS.*(error -95)' ;;
	esac
	expect "log lines" "$(echo "$log" | wc -l)" 1 &&
		echo "$log" | grep -q "$want" || { echo "log: $log"; return 1; }
}

leaves_nothing()
{
	expect "threads that are left" "$(threads wakelat_)" ""
}

case ${EXPECT_LACK:-} in
debugfs|highres) ;;
*) skip_all "EXPECT_LACK does not say what this kernel lacks: debugfs or highres" ;;
esac
plan 2
check "refuses without $EXPECT_LACK" refuses
check "leaves nothing" leaves_nothing
finish
