#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The longest waits name their victim, who ran instead and, where a timer's
# interrupt found the kernel at work, its stack; a threshold tells ftrace.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CPU=$(online_cpus | tail -n 1)
HOLD_US=20000
TRACING=/sys/kernel/tracing

# worst POPULATION NAME: of the longest wait on the CPU, what NAME says
worst()
{
	awk -v population="$1" -v cpu="$CPU" -v name="$2" '
		$1 == "worst" { here = $2 == population && $4 == cpu; next }
		/^(samples|counters|window)/ { here = 0 }
		here && $1 == "wait_ns" && ++waits > 1 { exit }
		here && $1 == name { sub(/^[^ ]* /, ""); print }' $FILES/dump
}

# hold KIND COMMAND...: the command runs while the module that held is still there
hold()
{
	echo 0 >$FILES/enable
	load wakelat_hold cpu="$CPU" hold_us=$HOLD_US pause_us=79300 kind="$1"
	measure 0.5
}

unhold()
{
	rmmod wakelat_hold
}

lists_are_sorted()
{
	expect "out of order" "$(awk '
		$1 == "worst" { last = -1; n = 0; next }
		$1 == "wait_ns" { n++; if (last >= 0 && $2 > last) print; last = $2 }
		n > 8 { print "more than 8" }' $FILES/dump)" ""
}

# What is listed first is what the histogram has as its longest.
first_is_max()
{
	for population in timer/irq timer/rt timer/fair; do
		expect "longest of $population" "$(worst $population wait_ns)" \
			"$(sample $population "$CPU" max_ns)" || return
	done
}

irqs_off_is_named()
{
	between "longest timer/irq" "$(worst timer/irq wait_ns)" $((HOLD_US * 900)) $((HOLD_US * 2000)) &&
		expect "who was found" "$(worst timer/irq instead | cut -d' ' -f4)" wakelat_hold &&
		expect "where" "$(worst timer/irq found_in)" kernel &&
		worst timer/irq stack | grep -q '^hold_irqs+' && {
			worst timer/rt stack | grep -q '^hold_irqs+' ||
				worst timer/fair stack | grep -q '^hold_irqs+'
		} && between "lateness of the interrupt" "$(worst timer/rt irq_late_ns)" \
			$((HOLD_US * 500)) $((HOLD_US * 2000)) && return
	worst timer/irq stack
	return 1
}

# Threads wait, the interrupt does not: it finds who runs instead.
loop_is_named()
{
	between "longest timer/rt" "$(worst timer/rt wait_ns)" $((HOLD_US * 900)) $((HOLD_US * 2000)) &&
		expect "victim" "$(worst timer/rt victim | cut -d' ' -f2,4)" "rt wakelat_rt/$CPU" &&
		expect "who was found" "$(worst timer/rt instead | cut -d' ' -f4)" wakelat_hold &&
		between "lateness of the interrupt" "$(worst timer/rt irq_late_ns)" 0 $((HOLD_US * 500)) &&
		grep 'wakelat_hold\[[0-9]*\] fair' $FILES/worst >/dev/null || return
	worst timer/rt stack | grep -q '^hold_loop+' && return
	echo "the stack is:"
	worst timer/rt stack
	return 1
}

loop_is_not_seen()
{
	between "longest timer/rt" "$(worst timer/rt wait_ns)" 0 $((HOLD_US * 100))
}

# The sleepers of a herd wait for the thread that woke them.
herd_is_named()
{
	load wakelat_wake kind=herd count=5 cpu="$CPU" hold_us=$HOLD_US && sleep 0.2 &&
		echo 1 >$FILES/reset && echo 1 >$FILES/enable &&
		echo 1 >/sys/module/wakelat_wake/parameters/go && echo 0 >$FILES/enable &&
		rmmod wakelat_wake && between "longest wait" "$(worst task/wakeup/fair wait_ns)" \
			$((HOLD_US * 900)) $((HOLD_US * 3000)) &&
		expect victim "$(worst task/wakeup/fair victim | cut -d' ' -f2,3,4)" 'fair 120 wakelat_slpr' || return
	# Others may have run last; the waker ran for the whole hold.
	awk -v cpu="$CPU" -v least=$((HOLD_US * 900)) '
		$1 == "worst" { here = $2 == "task/wakeup/fair" && $4 == cpu }
		here && $1 == "instead" { herd = $5 == "wakelat_herd" }
		here && herd && $1 == "ran_ns" && $2 >= least { found = 1 }
		END { exit !found }' $FILES/dump
}

# No address without a name is shown, and debugfs itself is for root.
no_address_is_shown()
{
	expect "addresses" "$(grep -iE '0x[0-9a-f]{9,}|[0-9a-f]{16}' $FILES/worst $FILES/dump)" ""
}

# A module that is gone leaves no name: its addresses are not shown instead.
gone_module_is_no_address()
{
	grep -q '^ *?$' $FILES/worst && no_address_is_shown
}

length_is_a_parameter()
{
	rmmod wakelat && load wakelat worst=2 && sleep 0.3 && echo 0 >$FILES/enable &&
		expect "waits of timer/rt" "$(awk -v cpu="$CPU" '
			$1 == "worst" { here = $2 == "timer/rt" && $4 == cpu }
			here && $1 == "wait_ns"' $FILES/dump | wc -l)" 2 &&
		rmmod wakelat && load wakelat worst=0 && sleep 0.1 &&
		expect "records" "$(grep -c '^worst' $FILES/dump)" 0 &&
		between "longest of timer/rt" "$(sample timer/rt "$CPU" max_ns)" 1 1000000000 &&
		rmmod wakelat && load wakelat
}

threshold_reads_back()
{
	echo 'timer/rt 500' >$FILES/threshold_us && echo 'task/wakeup/fair 7' >$FILES/threshold_us &&
		expect thresholds "$(grep -v ' 0$' $FILES/threshold_us | tr '\n' ' ')" \
			'timer/rt 500 task/wakeup/fair 7 ' || return
	echo 'task/wakeup/fair 0' >$FILES/threshold_us
	for bad in 'timer/rt' 'timer/rt x' 'timer/rt -1' 'timer/rt 60000001' 'nobody 5' '' \
			'timer/rt 5                                                                '; do
		new_log sh -c "echo '$bad' >$FILES/threshold_us" | grep -q 'want a population and a number from 0 to 60000000' ||
			{ echo "'$bad' was not refused"; return 1; }
	done
	expect thresholds "$(grep -v ' 0$' $FILES/threshold_us)" 'timer/rt 500'
}

# events THRESHOLD_US: how many waits of timer/irq past it ftrace was told of
events()
{
	echo "timer/irq $1" >$FILES/threshold_us && echo >$TRACING/trace &&
		echo 1 >$TRACING/events/wakelat/over_threshold/enable && echo 1 >$TRACING/tracing_on &&
		hold irqs && unhold
	echo 0 >$TRACING/events/wakelat/over_threshold/enable
	grep -c "\[00$CPU\].*over_threshold: population=timer/irq" $TRACING/trace
}

# In microseconds: a hold of 20 ms is over 15000, and not over 60000.
threshold_is_in_us()
{
	between "events over 15 ms" "$(events 15000)" 2 20 &&
		expect "events over 60 ms" "$(events 60000)" 0
}

event_names_culprit()
{
	events 15000 >/dev/null
	expect culprit "$(sed -n "s/.*\[00$CPU\].*over_threshold: .*wait_ns=\([0-9]*\) .*instead=\([^ ]*\) .*/\2/p" $TRACING/trace | sort -u)" wakelat_hold
}

tracing_stops()
{
	echo 0 >$FILES/enable && echo 1 >$PARAMETERS/stop_tracing || return
	events 15000 >/dev/null
	expect tracing_on "$(cat $TRACING/tracing_on)" 0 &&
		expect "events until it stopped" "$(grep -c over_threshold: $TRACING/trace)" 1
}

restore()
{
	[ "$tracing_was" ] || return
	echo 0 >$TRACING/events/wakelat/over_threshold/enable
	echo "$tracing_was" >$TRACING/tracing_on
}

tracing_was=
plan 15
load wakelat
tasks=$(field task)
model=$(field preempt_model)

hold irqs
check "interrupts off: the stack names who held them" irqs_off_is_named
check "lists are sorted and no longer than asked" lists_are_sorted
check "the first is the longest of the histogram" first_is_max
check "no address is shown" no_address_is_shown
unhold
check "nor one of a module that is gone" gone_module_is_no_address

hold loop
case $model in
none|voluntary) check "loop: who ran instead is named under $model" loop_is_named ;;
*) check "loop: it is not among the worst under $model" loop_is_not_seen ;;
esac
unhold

if [ "$tasks" = on ]; then
	check "a herd's sleepers name whom they waited for" herd_is_named
else
	skip "a herd's sleepers name whom they waited for" "no tracepoints"
fi
check "their number is a parameter" length_is_a_parameter
check "threshold_us reads back, and refuses what it must" threshold_reads_back
if mounted tracefs $TRACING && [ -d $TRACING/events/wakelat ]; then
	tracing_was=$(cat $TRACING/tracing_on)
	check "a threshold is in microseconds" threshold_is_in_us
	check "its event names the culprit" event_names_culprit
	check "stop_tracing stops ftrace at the first" tracing_stops
else
	for name in "a threshold is in microseconds" "its event names the culprit" \
			"stop_tracing stops ftrace at the first"; do
		skip "$name" "no tracing"
	done
fi
echo 0 >$FILES/enable
check "reset empties the lists" expect "waits" "$(echo 1 >$FILES/reset; grep -c '^wait_ns' $FILES/dump)" 0
check "worst is read right after reset" expect "lines" "$(wc -l <$FILES/worst)" 1
check "unloads" rmmod wakelat
finish
