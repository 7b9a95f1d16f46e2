# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# The loads under which the contrast measures.
#
# idle  nothing
# cpu   on each CPU: system calls that stay long in the kernel (kallsyms,
#       directory walks), user-mode computing (gzip), forks
# file  on each CPU: write, sync, read and remove files of an ext2 file system
#       on a RAM disk
# hog   synthetic: a kernel thread on CPU 0 that computes 20 ms at a time in the
#       kernel without a scheduling point, then sleeps 79.3 ms, so that
#       the holds drift through the phases of the probe

cpus=$(nproc)

prepare_loads()
{
	mke2fs -F /dev/ram0 49152 >/dev/null && mkdir -p /mnt && mount -t ext2 /dev/ram0 /mnt
}

cpu_load()
{
	while :; do
		gzip -c /proc/kallsyms >/dev/null
		find /proc /sys -name nothing
		n=0
		while [ $n -lt 20 ]; do
			(:)
			n=$((n + 1))
		done
	done
}

file_load()
{
	while :; do
		dd if=/dev/zero of="/mnt/$1" bs=64k count=128 conv=fsync 2>/dev/null
		dd if="/mnt/$1" of=/dev/null bs=64k 2>/dev/null
		rm "/mnt/$1"
	done
}

# A load's processes are children of one shell a CPU, pinned there.
start_load()
{
	pids=
	case $1 in
	idle)
		;;
	cpu|file)
		cpu=0
		while [ $cpu -lt "$cpus" ]; do
			taskset $(printf '0x%x' $((1 << cpu))) \
				setsid sh -c ". /guest/loads.sh; ${1}_load $cpu" &
			pids="$pids $!"
			cpu=$((cpu + 1))
		done
		;;
	hog)
		insmod /modules/wakelat_hold.ko cpu=0 hold_us=20000 pause_us=79300 kind=loop
		;;
	esac
}

stop_load()
{
	case $1 in
	hog)
		rmmod wakelat_hold
		;;
	*)
		# A negative number means the whole process group.
		for pid in $pids; do
			kill -9 -"$pid" 2>/dev/null || kill -9 "$pid"
		done
		wait
		;;
	esac
}
