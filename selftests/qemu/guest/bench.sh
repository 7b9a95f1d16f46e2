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

# watches GLOB: sixteen of them
watches()
{
	for watch in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		echo "w$watch comm=$1" >$FILES/watch || return
	done
}

with_watches()
{
	insmod /modules/wakelat.ko enable=0 "timer=$3" && watches "$2" &&
	rounds_enabled "$1" && rmmod wakelat
}

set -e
tracers_ready
rounds nothing
insmod /modules/wakelat.ko enable=0
rounds disabled
rmmod wakelat
wakelat timer task=0
wakelat task timer=0
with_watches no-match 'nobody*' 0
with_watches match pingpong 0
with_watches all pingpong 1
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
