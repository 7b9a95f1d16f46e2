#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# dynamic.sh, told to end in its midst, must set the model back. On a kernel with one
# model (SWITCHABLE=0) it must skip.

. /guest/send.sh

SWITCH=/sys/kernel/debug/sched/preempt

if [ "$SWITCHABLE" = 0 ]; then
	sh /selftests/dynamic.sh >/tmp/dynamic.tap 2>&1
	status=$?
	send dynamic.tap /tmp/dynamic.tap
	[ $status = 4 ]
	exit
fi

before=$(cat $SWITCH)
sh /selftests/dynamic.sh >/dev/null 2>&1 &
pid=$!
switched=0
for second in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	sleep 1
	[ "$(cat $SWITCH)" = "$before" ] || { switched=1; break; }
done
kill -TERM $pid
wait $pid
if [ $switched = 0 ] || [ "$(cat $SWITCH)" != "$before" ] || [ -d /sys/module/wakelat ]; then
	echo "ended in its midst (switched: $switched): $(cat $SWITCH), was $before"
	exit 1
fi
