#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The task populations: every task's wait, of the right kind, on the right CPU,
# under the right policy; idle and the module's own threads left out. NOISY=1 says
# that a computing task may lose its CPU for longer than a few of its microseconds,
# as on a free-running emulator.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CLASSES='dl rt fair ext idle'

# all NAME POPULATION: one number of a population over all CPUs
all()
{
	awk -v name="$1" -v population="$2" '
		$1 == "samples" { here = $2 == population }
		here && $1 == name { n += $2 }
		END { printf "%.0f\n", n }' "$FILES/dump"
}

# counter NAME: over all CPUs
counter()
{
	awk -v name="$1" '
		$1 == "samples" || $1 == "counters" { here = $1 == "counters" }
		here && $1 == name { n += $2 }
		END { printf "%.0f\n", n }' "$FILES/dump"
}

# switches_of PID: how often it went to sleep, and how often it was switched out
# while it could go on
switches_of()
{
	awk -v which="$2" '$1 == which "_ctxt_switches:" { print $2 }' "/proc/$1/status"
}

task_is_on()
{
	expect task "$(field task)" on && between "probe time" "$(field task_probe_ns)" 1 100000
}

# woken KIND COUNT PARAMETER...: measure while the sleepers of wakelat_wake are
# woken so
woken()
{
	woken_kind=$1
	woken_count=$2
	shift 2
	load wakelat_wake kind="$woken_kind" count="$woken_count" "$@" && sleep 0.1 || return
	echo 0 >$FILES/enable && echo 1 >$FILES/reset && echo 1 >$FILES/enable &&
		echo 1 >/sys/module/wakelat_wake/parameters/go && echo 0 >$FILES/enable &&
		rmmod wakelat_wake
}

wakeups_are_counted()
{
	echo 'slpr comm=wakelat_slpr' >$FILES/watch && woken ping 1000 &&
		expect "wakeups" "$(all count watch/slpr/wakeup)" 1000 &&
		between "preempted waits" "$(all count watch/slpr/preempted)" 0 20
}

# The sleeper moves before each wakeup: still one wait each, where it ran.
moved_wakeups_are_counted()
{
	woken move 400 && expect "wakeups" "$(all count watch/slpr/wakeup)" 400 || return
	for cpu in $(online_cpus); do
		between "wakeups on CPU $cpu" "$(sample watch/slpr/wakeup "$cpu" count)" \
			$((400 / $(online_cpus | wc -l) - 1)) $((400 / $(online_cpus | wc -l) + 1)) || return
	done
}

# A task that is woken before it sleeps does not wait: just the first wakeup does.
# With noise the interrupt may come when it sleeps already.
self_wakeups_are_none()
{
	woken self 200 || return
	if [ "${NOISY:-0}" = 1 ]; then
		between "wakeups" "$(all count watch/slpr/wakeup)" 1 100
		return
	fi
	expect "wakeups" "$(all count watch/slpr/wakeup)" 1 &&
		between "longest wait" "$(all max_ns watch/slpr/wakeup)" 0 100000
}

# While one runs, the other of two equal loops is switched out, not asleep: its
# waits are preempted ones, as often as its switches say.
preemption_is_told()
{
	echo 1 >$FILES/enable
	background taskset 1 sh -c 'while :; do :; done'
	one=$!
	background taskset 1 sh -c 'while :; do :; done'
	two=$!
	sleep 0.3
	# Stopped, they stay as they are while the two counts are read.
	kill -STOP $one $two && sleep 0.1
	echo "one tid=$one" >$FILES/watch && echo 1 >$FILES/reset
	before=$(switches_of $one nonvoluntary)
	kill -CONT $one $two && sleep 1 && kill -STOP $one $two && sleep 0.1
	switched=$(($(switches_of $one nonvoluntary) - before))
	counted=$(all count watch/one/preempted)
	woken=$(all count watch/one/wakeup)
	echo 0 >$FILES/enable
	stop_background
	between "switches of the loop" $switched 20 100000 &&
		expect "preempted waits" "$counted" "$switched" &&
		expect "wakeups" "$woken" 1
}

# The two loops share a CPU: each waits as long as the other runs.
preempted_waits_are_long()
{
	between "sum of preempted waits in ms" "$(($(all sum_ns watch/one/preempted) / 1000000))" \
		300 700
}

policies_are_apart()
{
	woken ping 300 fifo=1 && between "rt wakeups" "$(all count task/wakeup/rt)" 300 400 || return
	woken ping 300 && between "rt wakeups" "$(all count task/wakeup/rt)" 0 100 &&
		between "fair wakeups" "$(all count task/wakeup/fair)" 300 3000 &&
		expect "dl wakeups" "$(all count task/wakeup/dl)" 0
}

# A wait belongs to the CPU on which the task ran.
cpu_is_right()
{
	last=$(online_cpus | tail -n 1)
	woken ping 300 cpu="$last" || return
	for cpu in $(online_cpus); do
		expect "wakeups on CPU $cpu" "$(sample watch/slpr/wakeup "$cpu" count)" \
			$((cpu == last ? 300 : 0)) || return
	done
}

# All of a herd wait at once, for 10 ms at least and for all those before them.
herd_waits()
{
	woken herd 100 cpu="$(online_cpus | tail -n 1)" &&
		expect "wakeups" "$(all count watch/slpr/wakeup)" 100 &&
		expect "shorter than 9 ms" "$(awk '
			$1 == "samples" { here = $2 == "watch/slpr/wakeup" }
			here && $1 == "bucket" && $2 < 9000000' $FILES/dump)" ""
}

# A table too small for all that wait: what it cannot hold is counted, with what it
# cannot hold of other tasks, and no
# wrong wait is told.
full_table_is_told()
{
	rmmod wakelat && load wakelat enable=0 timer=0 task_waits=64 &&
		echo 'slpr comm=wakelat_slpr' >$FILES/watch && woken herd 200 hold_us=50000 || return
	lost=$((200 - $(all count watch/slpr/wakeup)))
	between "lost waits" $lost 136 199 && between dropped "$(counter dropped)" $lost $((lost + 100)) &&
		between untracked "$(counter untracked)" $lost $((lost + 100)) &&
		between "longest wait" "$(all max_ns watch/slpr/wakeup)" 49000000 500000000
}

nothing_waits_when_stopped()
{
	expect "waiting tasks" "$(sed -n 's/^tasks: \([0-9]*\) waiting.*/\1/p' $FILES/summary)" 0
}

# What was waiting already when measuring began has no start: it is no sample of
# zero, and none of hours.
unknown_start_is_no_sample()
{
	echo 0 >$FILES/enable
	load wakelat_wake kind=herd count=50 cpu="$(online_cpus | tail -n 1)" hold_us=500000 &&
		sleep 0.2 || return
	echo 1 >/sys/module/wakelat_wake/parameters/go &
	sleep 0.2
	echo 1 >$FILES/reset && echo 1 >$FILES/enable
	wait $!
	echo 0 >$FILES/enable
	rmmod wakelat_wake
	expect "wakeups" "$(all count watch/slpr/wakeup)" 0 &&
		between untracked "$(counter untracked)" 50 70
}

forks_leave_nothing()
{
	echo 1 >$FILES/reset && echo 1 >$FILES/enable
	n=0
	while [ $n -lt 300 ]; do
		(:)
		n=$((n + 1))
	done
	span_ns=$(field span_ns)
	waiting=$(sed -n 's/^tasks: \([0-9]*\) waiting.*/\1/p' $FILES/summary)
	echo 0 >$FILES/enable
	between "waiting tasks" "$waiting" 0 20 &&
		between "wakeups" "$(all count task/wakeup/fair)" 300 100000 &&
		expect "waits longer than the run" "$(awk -v span="$span_ns" '
			$1 == "samples" { here = $2 ~ /^task/ }
			here && $1 == "max_ns" && $2 != "-" && $2 > span' $FILES/dump)" "" &&
		expect backwards "$(awk '$1 == "backwards" { n += $2 } END { print n + 0 }' $FILES/dump)" 0
}

own_threads_are_apart()
{
	rmmod wakelat && load wakelat && sleep 0.5 && echo 0 >$FILES/enable &&
		between own "$(counter own)" $(($(sample timer/irq 0 count) * 7 / 10)) 1000000 &&
		expect "own threads among the worst" "$(awk '
			$1 == "worst" { here = $2 ~ /^task/ }
			here && $1 == "victim" && $5 ~ /^wakelat_/' $FILES/dump)" ""
}

can_be_left_out()
{
	rmmod wakelat && load wakelat task=0 && sleep 0.1 && expect task "$(field task)" off &&
		expect records "$(grep -c '^samples task' $FILES/dump)" 0 && rmmod wakelat &&
		load wakelat timer=0 && sleep 0.1 && expect timer "$(field timer)" off &&
		expect "timer samples" "$(all count timer/irq)" 0 &&
		between "task samples" "$(all count task/wakeup/fair)" 1 100000 && rmmod wakelat
}

start_and_stop_often()
{
	load wakelat enable=0 && n=0
	while [ $n -lt 10 ]; do
		echo 1 >$FILES/enable && echo 0 >$FILES/enable || return
		n=$((n + 1))
	done
	rmmod wakelat
}

without_tracepoints()
{
	load wakelat && expect task "$(field task)" \
		'not available (kernel built without tracepoints)' &&
		grep -q '^task: not available (kernel built without tracepoints)' $FILES/summary &&
		[ ! -e $FILES/watch ] && rmmod wakelat
}

refuses_with_nothing_to_measure()
{
	new_log load wakelat timer=0 | grep -q 'nothing to measure' && [ ! -d /sys/module/wakelat ]
}

load wakelat enable=0
available=$(field task)
rmmod wakelat
if [ "$available" != on ]; then
	plan 2
	check "without tracepoints it says so" without_tracepoints
	check "without tracepoints and timers there is nothing to measure" refuses_with_nothing_to_measure
	finish
fi
plan 17
load wakelat enable=0 timer=0
check "tells that it is on, and its price" task_is_on
check "every wakeup is a sample" wakeups_are_counted
if [ "$(online_cpus | wc -l)" = 1 ]; then
	skip "a task that moves keeps its one wait" "there is one CPU"
	skip "an unknown start is no sample" "there is one CPU, and the herd has it"
else
	check "a task that moves keeps its one wait" moved_wakeups_are_counted
	check "an unknown start is no sample" unknown_start_is_no_sample
fi
check "who is woken before he sleeps does not wait" self_wakeups_are_none
check "a wait belongs to the CPU on which the task ran" cpu_is_right
check "all of a herd wait" herd_waits
check "policies are apart" policies_are_apart
check "preempted is told from woken" preemption_is_told
check "preempted waits are as long as the other ran" preempted_waits_are_long
check "forks leave nothing behind" forks_leave_nothing
check "nothing waits when stopped" nothing_waits_when_stopped
check "a full table is told, and tells nothing wrong" full_table_is_told
check "own threads are apart" own_threads_are_apart
check "either part can be left out" can_be_left_out
check "starts and stops ten times" start_and_stop_often
load wakelat
check "every class has its records" expect classes \
	"$(sed -n 's,^samples task/wakeup/\([a-z]*\) cpu 0$,\1,p' $FILES/dump | tr '\n' ' ')" "$CLASSES "
finish
