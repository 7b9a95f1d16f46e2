#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The timeline: windows follow each other, their counts add up to those of the
# histograms, and a delay is in the window in which it ended.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CPU=$(online_cpus | tail -n 1)

# windows: "number start_ns end_ns" a line
windows()
{
	sed -n 's/^window \([0-9]* [0-9]* [0-9]*\)$/\1/p' $FILES/dump
}

follow_each_other()
{
	between "windows" "$(windows | wc -l)" 8 13 && expect "gaps" "$(windows | awk '
		NR > 1 && ($1 != number + 1 || $2 != end) { print }
		{ number = $1; end = $3 }
		$3 <= $2 { print }')" ""
}

# Each ends on the beat of 200 ms or soon after it, but for the last, which stop ends.
are_as_long_as_asked()
{
	expect "off the beat" "$(windows | sed '$d' | awk '
		{ late_ms = ($3 / 1e6) % 200; if (late_ms > 100) print $1, late_ms }')" ""
}

counts_add_up()
{
	for population in timer/irq timer/rt timer/fair; do
		expect "$population in windows" "$(awk -v population=$population '
			$1 == "coarse" && $2 == population { for (i = 3; i <= NF; i++) n += $i }
			END { print n + 0 }' $FILES/dump)" "$(awk -v population=$population '
			$1 == "samples" { here = $2 == population }
			here && $1 == "count" { n += $2 }
			END { print n + 0 }' $FILES/dump)" || return
	done
}

# Interrupts are off for 20 ms in the middle: waits over 16.8 ms (the coarse
# bucket from 2^24 ns is the 16th) in the windows of the holds, and in no other.
delay_is_in_its_window()
{
	echo 1 >$FILES/reset && echo 1 >$FILES/enable && sleep 0.6
	begin_ns=$(sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list)
	load wakelat_hold cpu="$CPU" hold_us=20000 pause_us=79300 kind=irqs
	sleep 0.3
	rmmod wakelat_hold
	end_ns=$(sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list)
	sleep 0.6 && echo 0 >$FILES/enable
	awk -v begin="$begin_ns" -v end="$end_ns" '
		$1 == "window" { inside = $4 >= begin && $3 <= end; where = $2 }
		$1 == "coarse" && $2 == "timer/irq" {
			long = $(3 + 15) + $(3 + 16)
			if (long && inside)
				seen += long
			if (long && !inside) {
				print "window " where " has " long " long waits"
				bad = 1
			}
		}
		END { if (!seen) print "no window has long waits"; exit bad || !seen }' $FILES/dump
}

ring_keeps_the_last()
{
	rmmod wakelat && load wakelat timeline_ms=50 timeline_windows=4 && sleep 1 &&
		echo 0 >$FILES/enable && expect windows "$(windows | wc -l)" 4 &&
		between "number of the first" "$(windows | sed -n '1s/ .*//p')" 10 60 &&
		expect "lines that are no window" "$(sed 1d $FILES/timeline | grep -vE '^ *[0-9]+\.[0-9]{3} ')" ""
}

can_be_off()
{
	rmmod wakelat && load wakelat timeline_ms=0 && sleep 0.3 && [ ! -e $FILES/timeline ] &&
		expect windows "$(windows | wc -l)" 0
}

memory_is_stated()
{
	bytes=$(field bytes)
	rmmod wakelat && load wakelat && between "bytes with defaults, less without a timeline" \
		$(($(field bytes) - bytes)) 150000 200000 || return
	[ "$(online_cpus | wc -l)" != 4 ] || between "bytes with defaults on 4 CPUs" "$(field bytes)" 1 786432
}

plan 8
load wakelat timeline_ms=200
sleep 2
echo 0 >$FILES/enable
check "windows follow each other" follow_each_other
check "windows are as long as asked" are_as_long_as_asked
check "counts add up to those of the histograms" counts_add_up
check "a delay is in the window in which it ended" delay_is_in_its_window
check "the ring keeps the last windows" ring_keeps_the_last
check "can be left out" can_be_off
check "memory is stated, and not more than 768 KiB" memory_is_stated
check "unloads" rmmod wakelat
finish
