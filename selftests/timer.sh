#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The timer populations fill, stop, empty and leave nothing behind.
# EXPECT_MODEL, if set, is the preemption model that dump must name.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

POPULATIONS='timer/irq timer/rt timer/fair'

model_is_told()
{
	expect preempt_model "$(field preempt_model)" "${EXPECT_MODEL:-$(field preempt_model)}" &&
		expect preempt_model_at_start "$(field preempt_model_at_start)" "$(field preempt_model)"
}

every_population_fills()
{
	for cpu in $(online_cpus); do
		for population in $POPULATIONS; do
			between "count of $population on CPU $cpu" \
				"$(sample "$population" "$cpu" count)" 10 1000000 || return
		done
	done
}

# An expiry is a sample, late or not: the count follows from span and period.
no_expiry_is_lost()
{
	span_us=$(($(field span_ns) / 1000))
	expiries=$((span_us / $(field period_us)))
	for cpu in $(online_cpus); do
		between "timer/irq count on CPU $cpu" "$(sample timer/irq "$cpu" count)" \
			$((expiries - 3)) $((expiries + 3)) || return
		for population in timer/rt timer/fair; do
			between "$population count on CPU $cpu" \
				$(($(sample $population "$cpu" count) + $(sample $population "$cpu" waiting))) \
				$((expiries / 2 - 3)) $((expiries / 2 + 3)) || return
		done
	done
}

nothing_counted()
{
	for cpu in $(online_cpus); do
		for population in $POPULATIONS; do
			expect "count of $population on CPU $cpu" \
				"$(sample "$population" "$cpu" count)" 0 &&
			expect min_ns "$(sample "$population" "$cpu" min_ns)" - &&
			expect max_ns "$(sample "$population" "$cpu" max_ns)" - || return
		done
	done
}

reset_empties()
{
	echo 1 >$FILES/reset && nothing_counted
}

# The threads share a CPU: neither may wait for the other's sample.
threads_do_not_meet()
{
	for cpu in $(online_cpus); do
		expect "missed of timer/irq on CPU $cpu" "$(sample timer/irq "$cpu" missed)" 0 || return
	done
}

disabled_stops()
{
	before=$(cat $FILES/dump)
	sleep 0.5
	expect "dump, half a second after it stopped," "$(cat $FILES/dump)" "$before"
}

enable_reads_back()
{
	expect enable "$(cat $FILES/enable)" 0 && echo 1 >$FILES/enable &&
		expect enable "$(cat $FILES/enable)" 1 && expect running "$(field running)" 1 &&
		echo 0 >$FILES/enable && expect running "$(field running)" 0
}

any_read_size_gives_all()
{
	same_at_any_read_size 1 7 4096 1048576 || return
	expect "last line" "$(tail -n 1 $FILES/dump | cut -c1-8)" '# end of' &&
	expect "second half" "$(dd if=$FILES/dump bs=1000 skip=1 2>/dev/null | sha256sum)" \
		"$(tail -c +1001 $FILES/dump | sha256sum)"
}

# While it runs, each record still adds up: it is one snapshot.
running_records_add_up()
{
	echo 1 >$FILES/enable
	for try in 1 2 3 4 5; do
		awk '
			function close_record() { if (name != "" && sum + over != count) { print name, "adds up to", sum + over, "of", count; bad = 1 } }
			$1 == "samples" { close_record(); name = $2 " " $4; sum = 0 }
			$1 == "count" { count = $2 }
			$1 == "over" { over = $2 }
			$1 == "bucket" { sum += $4 }
			END { close_record(); exit bad }' $FILES/dump || return
	done
	echo 0 >$FILES/enable
}

summary_fits()
{
	awk 'length > 80 { print "longer than 80 columns: " $0; bad = 1 } END { exit bad }' $FILES/summary &&
	for population in $POPULATIONS; do
		grep -q "^$population  *all " $FILES/summary || { echo "no $population"; return 1; }
	done
}

modes_are_right()
{
	expect modes "$(cd $FILES && ls -l summary dump enable reset | cut -c1-10 | tr '\n' ' ')" \
		'-r--r--r-- -rw------- --w------- -r--r--r-- '
}

unload_waits_for_readers()
{
	for name in summary dump worst timeline $([ "$(field task)" != on ] || echo watch); do
		exec 3<$FILES/$name
		rmmod wakelat 2>/dev/null && { echo "unloaded while $name was open"; return 1; }
		exec 3<&-
	done
	[ -d $FILES ]
}

# vmalloc_bytes: all of it, but for stacks (16 KiB and a guard page), which come
# and go with any thread, and for what is freed already
vmalloc_bytes()
{
	awk '/unpurged/ || $2 == 20480 { next } { bytes += $2 } END { print bytes }' /proc/vmallocinfo
}

unload_leaves_nothing()
{
	bytes=$(field bytes)
	rmmod wakelat || return
	before=$(vmalloc_bytes)
	load wakelat && between "vmalloc while loaded" "$(vmalloc_bytes)" \
		$((before + bytes * 8 / 10)) $((before + bytes * 2)) && rmmod wakelat &&
		expect "vmalloc after unload" "$(vmalloc_bytes)" "$before" || return
	[ ! -e $FILES ] || { echo "$FILES is left"; return 1; }
	expect "threads that are left" "$(threads wakelat_)" "" || return
	grep wakelat /sys/devices/system/cpu/hotplug/states && { echo "hotplug state is left"; return 1; }
	grep '\[wakelat\]' /proc/timer_list && { echo "a timer is left"; return 1; }
	return 0
}

starts_at_load()
{
	load wakelat && sleep 0.2 && every_population_fills
}

cpu_list_is_kept()
{
	rmmod wakelat && load wakelat cpus=0 && sleep 0.1 &&
		expect cpus "$(field cpus)" 0 &&
		expect records "$(grep -c '^samples timer/' $FILES/dump)" 3 &&
		expect "records of CPU 0" "$(grep -c '^samples .* cpu 0$' $FILES/dump)" \
			"$(grep -c '^samples' $FILES/dump)" &&
		expect parameter "$(cat $PARAMETERS/cpus)" 0 && rmmod wakelat
}

# phases: how far into the period the timer of each sampled CPU expires, in ns
phases()
{
	awk -v period_ns="$(($(cat $PARAMETERS/period_us) * 1000))" '
		/timer_expired \[wakelat\]/ { ours = 1; next }
		ours && /expires at/ { split($4, at, "-"); printf "%.0f\n", at[1] % period_ns; ours = 0 }' /proc/timer_list
}

expiries_are_spread()
{
	load wakelat && expect "phases" "$(phases | sort -u | wc -l)" "$(online_cpus | wc -l)" &&
		rmmod wakelat && load wakelat stagger=0 &&
		expect "phases without stagger" "$(phases | sort -u | wc -l)" 1 && rmmod wakelat
}

priority_is_reached()
{
	load wakelat rt_priority=77 && sleep 0.1 &&
		expect rt_priority_reached "$(field rt_priority_reached)" "${EXPECT_PRIORITY:-77}" &&
		rmmod wakelat
}

plan 18
check "loads and measures from load on" starts_at_load
check "names the preemption model" model_is_told
check "modes: results are 0444, controls apart" modes_are_right
measure 1
check "every population of every CPU fills" every_population_fills
check "every expiry is a sample" no_expiry_is_lost
check "no period is missed at rest" threads_do_not_meet
check "enable 0 stops" disabled_stops
check "dump is the same at any read size" any_read_size_gives_all
check "summary fits 80 columns" summary_fits
check "a record adds up while measuring" running_records_add_up
check "reset empties" reset_empties
check "enable reads back" enable_reads_back
check "unload waits for readers" unload_waits_for_readers
check "unload leaves nothing" unload_leaves_nothing
load wakelat
check "summary is read right after load" summary_fits
check "cpus: just these are sampled" cpu_list_is_kept
check "expiries of CPUs do not coincide, unless asked to" expiries_are_spread
check "rt_priority is reached" priority_is_reached
finish
