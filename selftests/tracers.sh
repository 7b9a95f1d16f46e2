# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The kernel's own means of watching wakeups, as peers.sh and the bench use them.
# A script sources this. tracers_ready mounts what they need.

TRACING=/sys/kernel/tracing
EVENTS=$TRACING/events

tracers_ready()
{
	[ -e $TRACING/trace ] || mount -t tracefs tracefs $TRACING 2>/dev/null
	[ -e $TRACING/trace ]
}

has_hist_triggers()
{
	[ -e $EVENTS/sched/sched_waking/hist ]
}

has_timerlat()
{
	grep -qw timerlat $TRACING/available_tracers 2>/dev/null
}

# ftrace: each event is recorded; the oldest are overwritten.
ftrace_start()
{
	echo 1 >$EVENTS/sched/sched_waking/enable && echo 1 >$EVENTS/sched/sched_switch/enable
}

ftrace_stop()
{
	echo 0 >$EVENTS/sched/sched_switch/enable
	echo 0 >$EVENTS/sched/sched_waking/enable
	echo >$TRACING/trace
}

# The recipe of Documentation/trace/histogram.rst, for all tasks, in log2 buckets
# of nanoseconds.
hist_start()
{
	echo 'wakeup_latency u64 lat; pid_t pid; int prio' >>$TRACING/synthetic_events &&
	echo 'hist:keys=lat.log2:sort=lat' >>$EVENTS/synthetic/wakeup_latency/trigger &&
	echo 'hist:keys=$saved_pid:saved_pid=pid:ts0=common_timestamp' \
		>>$EVENTS/sched/sched_waking/trigger &&
	echo 'hist:keys=next_pid:wakeup_lat=common_timestamp-$ts0:onmatch(sched.sched_waking).wakeup_latency($wakeup_lat,$saved_pid,next_prio)' \
		>>$EVENTS/sched/sched_switch/trigger
}

# What uses the variables of another trigger goes first.
hist_stop()
{
	: >$EVENTS/sched/sched_switch/trigger
	: >$EVENTS/sched/sched_waking/trigger
	: >$EVENTS/synthetic/wakeup_latency/trigger
	: >$TRACING/synthetic_events
}

# timerlat_start PERIOD_US
timerlat_start()
{
	echo "$1" >$TRACING/osnoise/timerlat_period_us && echo timerlat >$TRACING/current_tracer
}

timerlat_stop()
{
	echo nop >$TRACING/current_tracer
}
