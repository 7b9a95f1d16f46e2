#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Measures under each load of $LOADS (separated by commas) for $SECONDS and
# sends LOAD.wakelat, the text of dump.

. /guest/send.sh
. /guest/loads.sh

FILES=/sys/kernel/debug/wakelat

prepare_loads || exit 1
insmod /modules/wakelat.ko enable=0 task=0 || exit 1
for load in $(echo "$LOADS" | tr , ' '); do
	start_load "$load" || exit 1
	# Let the start itself pass.
	sleep 0.5
	echo 1 >$FILES/reset
	echo 1 >$FILES/enable
	sleep "$SECONDS_EACH"
	echo 0 >$FILES/enable
	stop_load "$load"
	# Waits that were under way when it stopped end now.
	sleep 0.5
	cat $FILES/dump >"/tmp/$load.wakelat"
	send "$load.wakelat" "/tmp/$load.wakelat"
done
rmmod wakelat
