#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# What one timer expiry costs, in instructions: the growth of a user loop of
# fixed length, on one CPU whose clock advances a nanosecond an instruction.
# Sends cost.txt, "name value" a line.

. /guest/send.sh

FILES=/sys/kernel/debug/wakelat

now_ns()
{
	sed -n 's/^now at \([0-9]*\) nsecs/\1/p' /proc/timer_list
}

loop_ns()
{
	start=$(now_ns)
	awk 'BEGIN { for (i = 0; i < 200000; i++) n += i }'
	end=$(now_ns)
	echo $((end - start))
}

irq_count()
{
	awk '$1 == "samples" { here = $2 == "timer/irq" } here && $1 == "count" { print $2; exit }' $FILES/dump
}

loop_ns >/dev/null
unloaded=$(loop_ns)
insmod /modules/wakelat.ko enable=0 task=0 || exit 1
disabled=$(loop_ns)
echo 1 >$FILES/enable
before=$(irq_count)
enabled=$(loop_ns)
after=$(irq_count)
echo 0 >$FILES/enable
# The counts were read just outside the timed loop: use the loop's own share.
expiries=$((enabled / 1000000))
{
	echo "loop_unloaded $unloaded"
	echo "loop_disabled $disabled"
	echo "loop_enabled $enabled"
	echo "expiries_counted $((after - before))"
	echo "expiries_in_loop $expiries"
	echo "instructions_per_expiry $(((enabled - disabled) / expiries))"
	echo "cpu_bytes $(sed -n 's/^# cpu_bytes: //p' $FILES/dump)"
} >/tmp/cost.txt
cat /tmp/cost.txt
send cost.txt /tmp/cost.txt
rmmod wakelat
