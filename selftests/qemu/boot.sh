#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# boot.sh KERNEL-FOLDER INITRAMFS MODE OUT [KERNEL-ARGUMENT...]
#
# Boots under QEMU, on the NPCM845 board, and returns 0 only if the guest's verdict
# came, as the last line of its second serial line, and was "pass".
#
# KERNEL-FOLDER holds Image and npcm845.dtb; without the latter, it is booted on
# QEMU's generic machine. MODE is free (host time, four
# CPUs) or counted time: counted1 (one CPU, the exact instrument), counted4
# (four CPUs) or count (one CPU, a nanosecond an instruction); or virt64, 64 CPUs
# in counted time on QEMU's generic machine.
# The tests are told in their environment what such time is like (selftests/truth.sh).
# OUT receives console.log, verdict.log and the files that the guest sent.
# WAKELAT_BOOT_SECONDS is the hard limit in host seconds (default 300).

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=$1 initramfs=$2 mode=$3 out=$4
shift 4

machine=npcm845-evb cpus=4 console=ttyS0 verdict=ttyS1
if [ "$mode" = virt64 ] || [ ! -e "$kernel/npcm845.dtb" ]; then
	machine='virt,gic-version=3' console=ttyAMA0 verdict=ttyAMA1
fi
case $mode in
free)		icount='' ;;
counted1)	icount='shift=2,sleep=off' cpus=1 ;;
counted4)	icount='shift=2,sleep=off' ;;
count)		icount='shift=0,sleep=off' cpus=1 ;;
virt64)		icount='shift=2,sleep=off' cpus=64 ;;
*)		die "boot: unknown mode '$mode'" ;;
esac

rm -rf "$out"
mkdir -p "$out"

# A panic, an oops and a warning all end in a reboot, which ends QEMU.
append="console=$console VERDICT=$verdict maxcpus=$cpus panic=-1 oops=panic panic_on_warn=1 fw_devlink=permissive ramdisk_size=65536 quiet"
if [ -n "$icount" ]; then
	append="$append COUNTED=1"
	# With several, an idle one is left asleep while another spins.
	[ "$cpus" = 1 ] || append="$append IDLE_OVERSLEEPS=1"
fi
append="$append $*"

# The board starts all CPUs running, but Linux wants to start them itself
# through PSCI, which here is QEMU's own.
qmp='{"execute":"qmp_capabilities"}'
if [ "$machine" = npcm845-evb ]; then
	for cpu in 1 2 3; do
		qmp="$qmp
{\"execute\":\"qom-set\",\"arguments\":{\"path\":\"/machine/soc/cpu-cluster/cpu[$cpu]\",\"property\":\"start-powered-off\",\"value\":true}}"
	done
	board=(-dtb "$kernel/npcm845.dtb" -global cortex-a35-arm-cpu.psci-conduit=1)
else
	board=(-cpu cortex-a35 -smp "$cpus")
fi
qmp="$qmp
{\"execute\":\"system_reset\"}
{\"execute\":\"set-action\",\"arguments\":{\"reboot\":\"shutdown\",\"panic\":\"shutdown\"}}
{\"execute\":\"cont\"}"

# In counted time QEMU has to stay on one host CPU. On two, its main loop and the
# thread that runs the guest's CPUs race for who runs an expired timer, and that
# decides where a CPU's turn ends: with four CPUs, 4 of 8 boots differed; pinned,
# none of 14 did. What is left is the host's scheduler, when it is very busy with
# other work. Boots side by side take different CPUs, of all checkouts that share
# a cache; if there is none left, this one waits for the last.
pin=()
if [ -n "$icount" ]; then
	host_cpus=$(taskset -cp $$ | sed 's/.*: //' | tr , '\n' |
		while IFS=- read -r first last; do seq "$first" "${last:-$first}"; done)
	for host_cpu in $host_cpus; do
		exec 8>"$CACHE/locks/host-cpu-$host_cpu"
		pin=(taskset -c "$host_cpu")
		! flock -n 8 || break
	done
	flock 8
fi

status=0
printf '%s\n' "$qmp" |
	timeout -k 5 "${WAKELAT_BOOT_SECONDS:-300}" "${pin[@]}" \
	qemu-system-aarch64 -M "$machine" "${board[@]}" -m 1G -nodefaults \
		-display none -S -qmp stdio \
		-rtc base=2026-01-01,clock=vm ${icount:+-icount "$icount"} \
		-serial "file:$out/console.log" -serial "file:$out/verdict.log" \
		-kernel "$kernel/Image" -initrd "$initramfs" -append "$append" \
		>"$out/qmp.log" 2>&1 || status=$?

# Files come as "file NAME LINES" and that many lines.
LC_ALL=C awk -v out="$out" '
	lines > 0 { print >file; if (!--lines) close(file); next }
	$1 == "file" && NF == 3 && $2 ~ /^[a-z0-9._-]+$/ {
		file = out "/" $2
		lines = $3
		printf "" >file
	}
	$1 != "file" { print >(out "/result.log") }
	END { if (lines > 0) print "file " file " is cut short" >(out "/cut.log") }
' "$out/verdict.log"

# A verdict inside of a file that is cut short is none.
word=$(tail -n 1 "$out/result.log" 2>/dev/null) || word=
if [ "$word" = 'verdict: pass' ] && [ ! -e "$out/cut.log" ]; then
	exit 0
fi
case $status in
124|137) reason="it was still running after ${WAKELAT_BOOT_SECONDS:-300} s" ;;
0) reason="its verdict is '$word'" ;;
*) reason="QEMU ended with status $status" ;;
esac
{
	echo "boot: the guest did not pass: $reason"
	[ ! -e "$out/result.log" ] || { echo "result:"; tail -n 20 "$out/result.log"; }
	[ "$status" = 0 ] || { echo "qemu:"; tail -n 5 "$out/qmp.log"; }
	echo "console, last lines:"
	tail -n 25 "$out/console.log"
} >&2
exit 1
