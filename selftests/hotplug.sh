#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# CPUs that go keep their counts, CPUs that come are sampled.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CPU=1
ONLINE=/sys/devices/system/cpu/cpu$CPU/online

counts()
{
	for population in timer/irq timer/rt timer/fair; do
		sample $population $CPU count
	done
}

# All three must have grown since $1.
grown_since()
{
	set -- $1 $(counts)
	[ "$4" -gt "$1" ] && [ "$5" -gt "$2" ] && [ "$6" -gt "$3" ] && return
	echo "counts were $1 $2 $3 and are $4 $5 $6"
	return 1
}

gone_keeps_its_counts()
{
	sleep 0.2
	echo 0 >$ONLINE
	before=$(counts)
	others=$(sample timer/irq 0 count)
	sleep 0.3
	expect counts "$(counts)" "$before" &&
		expect "waiting on CPU $CPU" "$(sample timer/rt $CPU waiting)$(sample timer/fair $CPU waiting)" 00 &&
		grown_since "0 0 0" &&
		[ "$(sample timer/irq 0 count)" -gt "$others" ]
}

come_back_is_sampled()
{
	before=$(counts)
	echo 1 >$ONLINE && sleep 0.2 && grown_since "$before"
}

threads_are_in_place()
{
	for kind in rt fair; do
		id=$(threads "wakelat_$kind\/$CPU" | cut -d' ' -f1)
		[ -n "$id" ] || { echo "no thread wakelat_$kind/$CPU"; return 1; }
		expect "affinity of wakelat_$kind/$CPU" "$(taskset -p "$id" | sed 's/.*: //')" $((1 << CPU)) || return
	done
}

survives_many()
{
	for try in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
		echo 0 >$ONLINE && echo 1 >$ONLINE || return
	done
	before=$(counts)
	sleep 0.2
	grown_since "$before" && expect dropped "$(sample timer/rt $CPU dropped)" 0
}

offline_at_load_is_sampled_later()
{
	rmmod wakelat
	echo 0 >$ONLINE
	load wakelat || return
	sleep 0.1
	expect "counts while offline" "$(echo $(counts))" "0 0 0" &&
		echo 1 >$ONLINE && sleep 0.2 && grown_since "0 0 0"
}

offline_at_start_and_reset()
{
	echo 0 >$ONLINE
	echo 0 >$FILES/enable
	echo 1 >$FILES/reset
	expect "counts after reset" "$(echo $(counts))" "0 0 0" || return
	echo 1 >$FILES/enable
	echo 1 >$ONLINE && sleep 0.2 && grown_since "0 0 0"
}

offline_while_stopped()
{
	echo 0 >$FILES/enable
	echo 0 >$ONLINE
	echo 1 >$ONLINE
	before=$(counts)
	sleep 0.2
	expect counts "$(counts)" "$before"
}

unload_with_one_offline()
{
	echo 0 >$ONLINE
	rmmod wakelat && echo 1 >$ONLINE && load wakelat && sleep 0.1 && grown_since "0 0 0" &&
		rmmod wakelat
}

restore()
{
	echo 1 >$ONLINE
}

[ "$(cat $ONLINE 2>/dev/null)" = 1 ] || skip_all "CPU $CPU cannot be taken away here"
plan 8
load wakelat
check "a CPU that goes keeps its counts" gone_keeps_its_counts
check "a CPU that comes back is sampled" come_back_is_sampled
check "survives twenty rounds" survives_many
check "threads are on their CPU" threads_are_in_place
check "a CPU that is offline at load is sampled later" offline_at_load_is_sampled_later
check "reset reaches an offline CPU" offline_at_start_and_reset
check "a stopped CPU that comes stays stopped" offline_while_stopped
check "unloads with a CPU offline" unload_with_one_offline
finish
