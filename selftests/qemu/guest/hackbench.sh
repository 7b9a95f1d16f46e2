#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What watching takes from a throughput: hackbench without wakelat and with its
# task populations, in turns. Sends hackbench.txt, a line "off|on SECONDS" a run.

. /guest/send.sh

hackbench_run()
{
	hackbench -p -g 1 -l 1000 >/tmp/hackbench || return
	sed -n "s/^Time: /$1 /p" /tmp/hackbench >>/tmp/hackbench.txt
}

set -e
# The first one warms up.
hackbench_run warm-up
for turn in 1 2 3 4; do
	hackbench_run off
	insmod /modules/wakelat.ko timer=0
	hackbench_run on
	rmmod wakelat
done
send hackbench.txt /tmp/hackbench.txt
