#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The price of watching, on one CPU whose clock advances a nanosecond an
# instruction: what a round of pingpong takes under each watcher. Sends pairs.txt,
# a line "WATCHER N" for each repeat, N in tenths of instructions a round. PEERS=1: with
# programs that watch, too.

. /guest/send.sh
. /selftests/tracers.sh

FILES=/sys/kernel/debug/wakelat
ROUNDS=10000
REPEATS=3

# rounds WATCHER
rounds()
{
	pingpong 0 $ROUNDS $REPEATS >/tmp/rounds || return
	sed -n "s/^round_ns /$1 /p" /tmp/rounds >>/tmp/pairs.txt
	# Two wakeups a round, but for the few that another task got in between of,
	# or it was no measurement.
	awk -v name="$1" '
		$1 == "rounds" { rounds = $2 }
		$1 == "wakeups" { wakeups = $2 }
		END {
			print name ": " wakeups " wakeups in " rounds " rounds"
			exit wakeups < rounds * 1.99 || wakeups > rounds * 2.01
		}' /tmp/rounds
}

# wakelat WATCHER PARAMETER...
wakelat()
{
	wakelat_name=$1
	shift
	insmod /modules/wakelat.ko enable=0 "$@" &&
	rounds_enabled "$wakelat_name" && rmmod wakelat
}

rounds_enabled()
{
	echo 1 >$FILES/enable && rounds "$1" && echo 0 >$FILES/enable
}

# with_watches WATCHER TIMER GLOB: fifteen watches of that glob, and one of pingpong
# if WATCHER is not no-match
with_watches()
{
	insmod /modules/wakelat.ko enable=0 "timer=$2" || return
	for watch in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do
		echo "w$watch comm=$3" >$FILES/watch || return
	done
	if [ "$1" = no-match ]; then
		echo "w16 comm=$3" >$FILES/watch
	else
		echo 'w16 comm=pingpong' >$FILES/watch
	fi && rounds_enabled "$1" && rmmod wakelat
}

# program WATCHER COMMAND...: one that watches until it is interrupted, and is ready
# some time after its start. What it prints goes to /tmp/program.log.
program()
{
	program_name=$1
	shift
	"$@" >/tmp/program.log 2>&1 &
	program_pid=$!
	sleep 5
	rounds "$program_name" || return
	kill -INT $program_pid && { wait $program_pid || true; }
}

# The histogram of a program, in lines "2 -> 3 : 123" or "[2, 4) 123", has all wakeups.
saw_all()
{
	awk -v name="$program_name" '
		FNR == NR { if ($1 == "wakeups") wakeups = $2; next }
		$2 == "->" { seen += $5 }
		sub(/^\[[^])]*[])]/, "") { seen += $1 }
		END {
			print name " saw " seen + 0 " of " wakeups " wakeups"
			exit seen < wakeups
		}' /tmp/rounds /tmp/program.log && return
	tail -n 40 /tmp/program.log
	return 1
}

programs()
{
	program runqslower runqslower-libbpf 1000000000 &&
	program runqlat runqlat-libbpf && saw_all &&
	program bpftrace bpftrace /bin/runqlat.bt && saw_all &&
	program cyclictest-slow cyclictest -q -p 50 -i 100000 &&
	program cyclictest cyclictest -q -p 50 -i 1000
}

set -e
tracers_ready
rounds nothing
insmod /modules/wakelat.ko enable=0
rounds disabled
rmmod wakelat
wakelat timer task=0
wakelat task timer=0
with_watches no-match 0 'nobody*'
with_watches one-match 0 'nobody*'
with_watches match 0 pingpong
with_watches all 1 'nobody*'
ftrace_start
rounds ftrace
ftrace_stop
hist_start
rounds hist
hist_stop
if has_timerlat; then
	# It also hooks into each switch, from its first expiry on: with long periods
	# there is just that.
	timerlat_start 100000
	sleep 0.3
	rounds timerlat-slow
	timerlat_stop
	timerlat_start 1000
	rounds timerlat
	timerlat_stop
fi
[ "${PEERS:-0}" = 0 ] || programs
rounds nothing-again
send pairs.txt /tmp/pairs.txt
