#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Bad input: the documented error, one log line that names what was wrong and
# what is allowed, and nothing changed.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

# told ERRNO NAME TEXT LOG: the log is one line, with the name, the value and
# the error.
told()
{
	expect "log lines" "$(echo "$4" | grep -c "wakelat: $2")" 1 || { echo "$4"; return 1; }
	case $4 in
	*"wakelat: $2"*"$3"*"(error -$1)"*) ;;
	*) echo "log: $4"; return 1 ;;
	esac
}

# refused_at_load ERRNO NAME TEXT
refused_at_load()
{
	log=$(new_log load wakelat "$2=$3")
	[ ! -d /sys/module/wakelat ] || { echo "it loaded"; rmmod wakelat; return 1; }
	[ ! -e $FILES ] || { echo "$FILES is left"; return 1; }
	# The kernel adds its own line, which names no range.
	told "$1" "$2=" "$3" "$(echo "$log" | grep -v 'invalid for parameter\|out of range')"
}

try_write()
{
	echo "$2" >"$1"
}

# refused ERRNO FILE TEXT: a write that changes nothing
refused()
{
	before=$(cat "$2" 2>/dev/null; field running)
	log=$(new_log try_write "$2" "$3")
	if (echo "$3" >"$2") 2>/dev/null; then
		echo "it was taken"
		return 1
	fi
	expect "${2##*/}" "$(cat "$2" 2>/dev/null; field running)" "$before" || return
	told "$1" "${2##*/}" "$3" "$log"
}

EINVAL=22 ERANGE=34 EBUSY=16

plan 61
for text in 0 1 99 1000001 4294967295; do
	check "load: period_us=$text" refused_at_load $ERANGE period_us "$text"
done
check "load: period_us past 64 bits" refused_at_load $ERANGE period_us 18446744073709551616
for text in -1 10ms 1e3 x 1,2; do
	check "load: period_us=$text" refused_at_load $EINVAL period_us "$text"
done
for text in 0 100; do
	check "load: rt_priority=$text" refused_at_load $ERANGE rt_priority "$text"
done
check "load: rt_priority=high" refused_at_load $EINVAL rt_priority high
check "load: stagger=2" refused_at_load $ERANGE stagger 2
check "load: enable=2" refused_at_load $ERANGE enable 2
check "load: enable=yes" refused_at_load $EINVAL enable yes
for text in 3-1 a 0-; do
	check "load: cpus=$text" refused_at_load $EINVAL cpus "$text"
done
for text in 63 0,63 0-63; do
	check "load: cpus=$text of fewer" refused_at_load $ERANGE cpus "$text"
done
for wrong in timer=2 task=2 worst=33 task_waits=63 task_waits=1048577 stop_tracing=2 \
		timeline_ms=60001 timeline_windows=0 timeline_windows=4097; do
	check "load: $wrong" refused_at_load $ERANGE "${wrong%=*}" "${wrong#*=}"
done
for wrong in worst=many timeline_ms=1s task=; do
	check "load: $wrong" refused_at_load $EINVAL "${wrong%=*}" "${wrong#*=}"
done
check "load: cpus= (empty)" refused_at_load $EINVAL cpus ""

load wakelat enable=0
for text in 99 1000001; do
	check "stopped: period_us $text" refused $ERANGE $PARAMETERS/period_us $text
done
check "stopped: period_us 10ms" refused $EINVAL $PARAMETERS/period_us 10ms
check "stopped: rt_priority 100" refused $ERANGE $PARAMETERS/rt_priority 100
check "stopped: cpus 63" refused $ERANGE $PARAMETERS/cpus 63
check "stopped: cpus x" refused $EINVAL $PARAMETERS/cpus x
check "stopped: stagger 2" refused $ERANGE $PARAMETERS/stagger 2
for text in 2 4294967295; do
	check "enable $text" refused $ERANGE $FILES/enable $text
done
for text in -1 on 1x; do
	check "enable $text" refused $EINVAL $FILES/enable "$text"
done
check "reset 0" refused $ERANGE $FILES/reset 0
check "reset now" refused $EINVAL $FILES/reset now

taken_while_stopped()
{
	echo 2000 >$PARAMETERS/period_us && expect period_us "$(field period_us)" 2000 &&
		echo 1000 >$PARAMETERS/period_us && expect period_us "$(field period_us)" 1000
}
check "stopped: period_us 2000 is taken" taken_while_stopped

changing_empties()
{
	measure 0.1
	[ "$(sample timer/irq 0 count)" -gt 0 ] || { echo "no samples"; return 1; }
	echo 2000 >$PARAMETERS/period_us
	expect count "$(sample timer/irq 0 count)" 0 && expect span_ns "$(field span_ns)" 0
}
check "a changed parameter empties the histograms" changing_empties

echo 1 >$FILES/enable
check "running: enable 1" refused $EBUSY $FILES/enable 1
check "running: period_us 500" refused $EBUSY $PARAMETERS/period_us 500
check "running: cpus 0" refused $EBUSY $PARAMETERS/cpus 0
check "running: rt_priority 60" refused $EBUSY $PARAMETERS/rt_priority 60
check "running: timer 0" refused $EBUSY $PARAMETERS/timer 0
check "running: task 0" refused $EBUSY $PARAMETERS/task 0
check "running: stop_tracing 1" refused $EBUSY $PARAMETERS/stop_tracing 1
check "running: stagger 0" refused $EBUSY $PARAMETERS/stagger 0

floor_is_survived()
{
	rmmod wakelat && load wakelat period_us=100 && sleep 1 &&
		between "timer/irq count" "$(sample timer/irq 0 count)" 9000 11000
}
check "the shortest period on all CPUs leaves the machine alive" floor_is_survived
finish
