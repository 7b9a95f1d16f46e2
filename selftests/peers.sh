#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# wakelat agrees with others who measure the same thing, and with programs that
# know what there is to count. What a kernel or a machine lacks is skipped: it
# takes histogram triggers, the timerlat tracer, cyclictest, and pingpong of
# qemu/guest/.
#
# Where two cannot measure the very same expiries, "the same" is a factor of 3 for
# means and 20 percent for the longest wait, a hold of known length.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/tracers.sh
. "$(dirname "$0")/tracers.sh"

# Events between the reading of one and of the other.
IN_FLIGHT=12
# A wakeup that finds its task still on its way to sleep is no wait.
ODD_WAKEUPS=8
ROUNDS=125000
PRIORITY=95
PERIOD_US=2000
HOLD_US=20000
CPU=$(online_cpus | tail -n 1)

# lacks WHAT...: why this cannot be tested here, or nothing
lacks()
{
	for lacks_what; do
		case $lacks_what in
		hist) has_hist_triggers || { echo "no histogram triggers in this kernel"; return; } ;;
		timerlat) has_timerlat || { echo "no timerlat tracer in this kernel"; return; } ;;
		tasks) grep -q '^samples task/' $FILES/dump || { echo "no task populations in this kernel"; return; } ;;
		*) command -v "$lacks_what" >/dev/null || { echo "no program $lacks_what"; return; } ;;
		esac
	done
}

# group WHAT NAME...: are the tests of these names possible? Else they are skipped.
group()
{
	group_reason=$(lacks $1)
	shift
	[ -n "$group_reason" ] || return 0
	for group_name; do
		skip "$group_name" "$group_reason"
	done
	return 1
}

# total PATTERN NAME [FILE]: the sum of a number over all records of dump whose
# first line matches; nothing if there is none
total()
{
	awk -v pattern="$1" -v name="$2" '
		$1 == "samples" || $1 == "counters" { here = $0 ~ pattern }
		here && $1 == name { sum += $2; found = 1 }
		END { if (found) printf "%.0f\n", sum }' "${3:-$FILES/dump}"
}

mean()
{
	echo $(($(total "$1" sum_ns "$2") / ($(total "$1" count "$2") + 1)))
}

# percentile PERCENT: of lines "UPPER COUNT" in order, the UPPER that reaches it
percentile()
{
	awk -v percent="$1" '
		{ upper[++n] = $1; count[n] = $2; all += $2 }
		END {
			for (i = 1; i < n && sum + count[i] < all * percent / 100; i++)
				sum += count[i]
			printf "%.0f\n", upper[i]
		}'
}

wakelat_percentile()
{
	awk '$1 == "samples" { here = $2 ~ "^task/wakeup/" } here && $1 == "bucket" { print $3, $4 }' \
		$FILES/dump | sort -n | percentile "$1"
}

# hist_percentile PERCENT: the upper bound of that log2 bucket
hist_percentile()
{
	sed -n 's/^{ lat: ~ 2^\([0-9]*\) *} hitcount: *\([0-9]*\).*/\1 \2/p' "$SCRATCH/latency.hist" |
		sort -n | awk '
			{ upper = 1; for (i = 0; i < $1; i++) upper *= 2; printf "%.0f %d\n", upper, $2 }' | percentile "$1"
}

# read_hits EVENT: how often its histogram trigger has fired, into $hits; nothing is
# forked for it, so that reading is no load
read_hits()
{
	hits=
	while read -r hits_word hits_value; do
		[ "$hits_word" != Hits: ] || hits=$hits_value
	done <"$EVENTS/$1/hist"
}

# on_each_cpu ROUNDS: until all are done; what they know is in $SCRATCH/pingpong.*
on_each_cpu()
{
	rm -f "$SCRATCH"/pingpong.*
	for cpu in $(online_cpus); do
		background pingpong "$cpu" "$1" >"$SCRATCH/pingpong.$cpu"
	done
	wait_background
}

# Something to wait for, until stop_background
load_start()
{
	for cpu in $(online_cpus); do
		background pingpong "$cpu" 100000000 >/dev/null
		background nap
	done
}

nap()
{
	while :; do sleep 0.01; done
}

as_many_as_hist()
{
	between "waits of tasks" "$tasks" $((recipe - IN_FLIGHT)) $((recipe + IN_FLIGHT)) &&
		between "waits of tasks" "$tasks" $((ROUNDS / 20)) 1000000000
}

# The next bucket is one factor of 2 further, and the percentile is in a bucket.
in_a_near_bucket()
{
	near_upper=$(hist_percentile "$1")
	between "p$1, where the recipe has $((near_upper / 2)) to $near_upper," \
		"$(wakelat_percentile "$1")" $((near_upper / 4 + 1)) $((near_upper * 2))
}

# Two readings of wakelat and the peer while both watch: starting and stopping
# wake tasks too.
read_dump()
{
	[ ! -e "$SCRATCH/dump.new" ] || mv "$SCRATCH/dump.new" "$SCRATCH/dump.old"
	cat $FILES/dump >"$SCRATCH/dump.new"
}

# growth PATTERN NAME: of a total, from the last reading but one
growth()
{
	echo $(($(total "$1" "$2" "$SCRATCH/dump.new") - $(total "$1" "$2" "$SCRATCH/dump.old")))
}

read_recipe()
{
	read_dump && read_hits synthetic/wakeup_latency && recipe_hits=$hits &&
		read_hits sched/sched_wakeup_new && hits=$((hits + recipe_hits))
}

# Probes run in the order in which they came: wakelat's are first, or its waits
# would end after the recipe's work in the switch, some 3,000 instructions.
# New tasks wait too, but the recipe does not see them: they are counted apart.
watch_with_hist()
{
	echo 0 >$FILES/enable && echo 1 >$FILES/reset && echo 1 >$FILES/enable &&
		hist_start && echo 'hist:keys=common_cpu' >>$EVENTS/sched/sched_wakeup_new/trigger || return
	read_recipe && recipe=$((0 - hits))
	on_each_cpu $((ROUNDS / 20))
	for nap in 1 2 3 4 5 6 7 8 9 10; do sleep 0.01; done
	read_recipe && recipe=$((recipe + hits))
	tasks=$(growth '^samples task/wakeup/' count)
	cat $EVENTS/synthetic/wakeup_latency/hist >"$SCRATCH/latency.hist"
	echo 0 >$FILES/enable
	: >$EVENTS/sched/sched_wakeup_new/trigger
	hist_stop
}

# The program knows to the last one how often it was woken.
count_known_wakeups()
{
	echo 0 >$FILES/enable && echo 1 >$FILES/reset && echo 'pp comm=pingpong' >$FILES/watch &&
		echo 1 >$FILES/enable || return
	on_each_cpu $((ROUNDS - 500))
	echo 0 >$FILES/enable
	known=$(cat "$SCRATCH"/pingpong.* | awk '$1 == "wakeups" { sum += $2 } END { printf "%.0f\n", sum }')
	watched=$(total '^samples watch/pp/wakeup ' count)
}

all_known_wakeups()
{
	between "wakeups that the programs know" "$known" \
		$((ROUNDS * 198 / 100 * $(nproc))) $((ROUNDS * 202 / 100 * $(nproc))) &&
		between "waits of the watch" "$watched" $((known - ODD_WAKEUPS)) $((known + ODD_WAKEUPS))
}

none_is_lost()
{
	expect "dropped waits" "$(total '^counters task' dropped)" 0
}

# At rest the idle task is what runs most: its turns must not count.
count_idle_switches()
{
	echo 0 >$FILES/enable && echo 1 >$FILES/reset &&
		echo 'hist:keys=common_cpu if next_pid != 0' >>$EVENTS/sched/sched_switch/trigger || return
	echo 1 >$FILES/enable
	read_dump && read_hits sched/sched_switch && switches=$((0 - hits))
	sleep 10
	read_dump && read_hits sched/sched_switch && switches=$((switches + hits))
	samples=$(growth '^samples task/' count)
	untracked=$(growth '^counters task' untracked)
	own=$(growth '^counters task' own)
	echo 0 >$FILES/enable
	: >$EVENTS/sched/sched_switch/trigger
}

idle_does_not_wait()
{
	between "switches to a task" "$switches" 10 100000 &&
		between "samples, and switches whose start was not seen," $((samples + untracked + own)) \
			$((switches - IN_FLIGHT)) $((switches + IN_FLIGHT))
}

# wakelat_timers SECONDS TO: the expiries of all CPUs coincide, as those of the peers
wakelat_timers()
{
	load wakelat enable=0 task=0 stagger=0 period_us=$((PERIOD_US / 2)) rt_priority=$PRIORITY &&
		measure "$1" && cat $FILES/dump >"$2" && rmmod wakelat
}

run_cyclictest()
{
	cyclictest -q -N -m -a -t "$(nproc)" -d 0 -p $PRIORITY -i $PERIOD_US -D "$1" >"$2" 2>"$SCRATCH/cyclictest.log"
}

# cyclictest_figure NAME: of each thread
cyclictest_figure()
{
	sed -n "s/^T:.* $1: *\([0-9]*\).*/\1/p" "$2"
}

run_timerlat()
{
	timerlat_start $PERIOD_US && sleep "$1" && echo 0 >$TRACING/tracing_on &&
		cat $TRACING/trace >"$2" && timerlat_stop && echo 1 >$TRACING/tracing_on
}

# timerlat_figures CONTEXT FILE: a line "CPU NS" for each sample
timerlat_figures()
{
	sed -n "s/.*\[\([0-9]*\)\].* context *$1 timer_latency *\([0-9]*\) ns/\1 \2/p" "$2"
}

# average: of the last number of each line
average()
{
	awk '{ sum += $NF } END { printf "%.0f\n", NR ? sum / NR : 0 }'
}

longest()
{
	awk '{ print $NF }' | sort -n | tail -n 1
}

# same_order POPULATION NS: its mean, against the peer's
same_order()
{
	order_mean=$(mean "^samples $1 " "$SCRATCH/wakelat")
	between "mean of the peer" "$2" 100 100000000 &&
		between "mean of $1, where the peer's is $2," "$order_mean" $(($2 / 3)) $(($2 * 3))
}

# longest_wait FILE: of timer/rt on the CPU that is held
longest_wait()
{
	awk -v cpu="$CPU" '
		$1 == "samples" { here = $2 == "timer/rt" && $4 == cpu }
		here && $1 == "max_ns" { print $2 }' "$1"
}

# same_longest NS: on the CPU that is held, against the peer's
same_longest()
{
	longest_rt=$(longest_wait "$SCRATCH/wakelat.held")
	between "max of timer/rt under holds of $HOLD_US us" "$longest_rt" \
		$((HOLD_US * 800)) $((HOLD_US * 1200)) &&
		between "max of the peer, where timer/rt has $longest_rt," "$1" \
			$((longest_rt / 5 * 4)) $((longest_rt / 5 * 6))
}

# Each measures alone, one after the other, under the same load.
measure_timers()
{
	measure_suffix=$1
	wakelat_timers 2 "$SCRATCH/wakelat$measure_suffix"
	[ -n "$(lacks cyclictest)" ] || run_cyclictest 2 "$SCRATCH/cyclictest$measure_suffix"
	[ -n "$(lacks timerlat)" ] || run_timerlat 2 "$SCRATCH/timerlat$measure_suffix"
}

restore()
{
	[ "$tracing_was" ] || return
	hist_stop
	timerlat_stop
	echo "$tracing_was" >$TRACING/tracing_on
}

tracing_was=
plan 11
mounted tracefs $TRACING
! tracers_ready || tracing_was=$(cat $TRACING/tracing_on)
load wakelat enable=0 timer=0
set -- "hist triggers: as many waits of tasks" "hist triggers: p50 in the same or the next bucket" \
	"hist triggers: p99 in the same or the next bucket"
if group 'tasks hist pingpong' "$@"; then
	watch_with_hist
	echo "# wakelat: $tasks waits, p50 to $(wakelat_percentile 50) ns, p99 to $(wakelat_percentile 99) ns"
	echo "# recipe:  $recipe waits, p50 to $(hist_percentile 50) ns, p99 to $(hist_percentile 99) ns"
	check "$1" as_many_as_hist
	check "$2" in_a_near_bucket 50
	check "$3" in_a_near_bucket 99
fi
set -- "pingpong: each of its wakeups is a wait" "pingpong: none is dropped"
if group 'tasks pingpong' "$@"; then
	count_known_wakeups
	echo "# pingpong: $known wakeups, wakelat: $watched waits"
	check "$1" all_known_wakeups
	check "$2" none_is_lost
fi
set -- "sched_switch: as many as samples in idle 10 s"
if group 'tasks hist' "$@"; then
	count_idle_switches
	echo "# 10 s idle: $switches switches to a task, wakelat: $samples samples, $untracked untracked, $own of its own"
	check "$1" idle_does_not_wait
fi
rmmod wakelat

if [ -z "$(lacks pingpong)" ]; then
	load_start
	measure_timers ''
	stop_background
fi
load wakelat_hold cpu="$CPU" hold_us=$HOLD_US pause_us=$((HOLD_US * 4)) kind=irqs
measure_timers .held
rmmod wakelat_hold
if [ -e "$SCRATCH/wakelat" ]; then
	echo "# wakelat, ns: timer/rt mean $(mean '^samples timer/rt ' "$SCRATCH/wakelat"), timer/irq mean $(mean '^samples timer/irq ' "$SCRATCH/wakelat"), timer/rt max when held $(longest_wait "$SCRATCH/wakelat.held")"
fi
set -- "cyclictest: the same order of mean as timer/rt" "cyclictest: a hold is as long as for timer/rt"
if group 'cyclictest pingpong' "$@"; then
	thread=$(cyclictest_figure Avg "$SCRATCH/cyclictest" | average)
	held=$(cyclictest_figure Max "$SCRATCH/cyclictest.held" | longest)
	echo "# cyclictest, ns: mean $thread, max when held $held"
	check "$1" same_order timer/rt "$thread"
	check "$2" same_longest "$held"
fi
set -- "timerlat: the same order of mean as timer/rt" "timerlat: the same order of mean as timer/irq" \
	"timerlat: a hold is as long as for timer/rt"
if group 'timerlat pingpong' "$@"; then
	thread=$(timerlat_figures thread "$SCRATCH/timerlat" | average)
	irq=$(timerlat_figures irq "$SCRATCH/timerlat" | average)
	held=$(timerlat_figures thread "$SCRATCH/timerlat.held" | awk -v cpu="$CPU" '$1 + 0 == cpu' | longest)
	echo "# timerlat, ns: thread mean $thread, irq mean $irq, thread max when held $held"
	check "$1" same_order timer/rt "$thread"
	check "$2" same_order timer/irq "$irq"
	check "$3" same_longest "$held"
fi
finish
