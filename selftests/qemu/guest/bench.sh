#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# The price of watching, on one CPU whose clock advances a nanosecond an
# instruction: what a round of pingpong takes under each watcher. Sends pairs.txt,
# a line "WATCHER N" for each repeat, N in tenths of instructions a round.

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
# It also hooks into each switch, from its first expiry on: with long periods there
# is just that.
timerlat_start 100000
sleep 0.3
rounds timerlat-slow
timerlat_stop
timerlat_start 1000
rounds timerlat
timerlat_stop
rounds nothing-again
send pairs.txt /tmp/pairs.txt
