# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the tests share: KTAP, the module and its files. POSIX shell, so that
# busybox runs it. A test script sources this, says "plan N", runs N checks
# and ends with "finish".
#
# WAKELAT_MODULES is the folder of wakelat.ko and the test modules (default:
# the folder of the script).

WAKELAT_MODULES=${WAKELAT_MODULES:-$(dirname "$0")}
FILES=/sys/kernel/debug/wakelat
PARAMETERS=/sys/module/wakelat/parameters

tests=0
failures=0
skips=0
planned=0

plan()
{
	planned=$1
	echo "KTAP version 1"
	echo "1..$planned"
	trap 'unload_all >/dev/null 2>&1' EXIT
}

# check NAME COMMAND...: one test; what the command prints explains a failure.
check()
{
	check_name=$1
	shift
	tests=$((tests + 1))
	if check_output=$("$@" 2>&1); then
		echo "ok $tests - $check_name"
	else
		failures=$((failures + 1))
		echo "$check_output" | sed 's/^/# /'
		echo "not ok $tests - $check_name"
	fi
}

skip()
{
	tests=$((tests + 1))
	skips=$((skips + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# Exit status as kselftest has it: 0 pass, 1 fail, 4 nothing but skips.
finish()
{
	if [ "$tests" != "$planned" ]; then
		echo "# planned $planned tests, ran $tests"
		failures=$((failures + 1))
	fi
	echo "# Totals: pass:$((tests - failures - skips)) fail:$failures skip:$skips"
	[ "$failures" = 0 ] || exit 1
	[ "$tests" != "$skips" ] || exit 4
	exit 0
}

# expect WHAT IS WANTED: compare and explain.
expect()
{
	[ "$2" = "$3" ] && return
	echo "$1 is '$2', want '$3'"
	return 1
}

# between WHAT VALUE LEAST MOST
between()
{
	case $2 in ''|*[!0-9]*) echo "$1 is '$2', not a number"; return 1 ;; esac
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && return
	echo "$1 is $2, want $3 to $4"
	return 1
}

load()
{
	load_name=$1
	shift
	insmod "$WAKELAT_MODULES/$load_name.ko" "$@"
}

unload_all()
{
	for unload_name in wakelat_hold wakelat_wake wakelat; do
		[ ! -d "/sys/module/$unload_name" ] || rmmod "$unload_name"
	done
}

# field NAME: a header field of dump
field()
{
	sed -n "s/^# $1: //p" "$FILES/dump"
}

# sample POPULATION CPU NAME: one number of dump
sample()
{
	awk -v population="$1" -v cpu="$2" -v name="$3" '
		$1 == "samples" { here = $2 == population && $4 == cpu }
		here && $1 == name { print $2 }' "$FILES/dump"
}

# online_cpus: their numbers, a line each
online_cpus()
{
	for online_cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		if [ "$(cat "$online_cpu/online" 2>/dev/null || echo 1)" = 1 ]; then
			echo "${online_cpu##*cpu}"
		fi
	done
}

# measure SECONDS: from empty histograms, and stopped afterwards
measure()
{
	echo 0 >"$FILES/enable" && echo 1 >"$FILES/reset" && echo 1 >"$FILES/enable" &&
		sleep "$1" && echo 0 >"$FILES/enable" && sleep 0.1
}

# new_log COMMAND...: what the command added to the log of the module. A line is
# told once, since insmod of busybox tries twice when it is refused.
new_log()
{
	new_log_before=$(dmesg | wc -l)
	"$@" >/dev/null 2>&1
	dmesg | tail -n +$((new_log_before + 1)) | sed 's/^\[[^]]*\] //' |
		grep '^wakelat: ' | grep -v 'taints kernel' | sort -u
}

# same_at_any_read_size SIZE...: dump, of which each SIZE bytes a read
same_at_any_read_size()
{
	same_whole=$(sha256sum <"$FILES/dump")
	for same_size; do
		expect "dump read by $same_size" \
			"$(dd if="$FILES/dump" bs="$same_size" 2>/dev/null | sha256sum)" \
			"$same_whole" || return
	done
}
