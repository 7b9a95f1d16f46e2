#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# contrast.sh: the same kernel under two preemption models on the emulated
# board, measured under the same loads in counted time, side by side.
#
# Captures, console logs and configurations go to build/contrast/.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

ONE=6.1-none
TWO=6.1-full
LOADS='idle cpu file hog'
SECONDS_EACH=4
OUT=$BUILD/contrast
TOOL=$BUILD/tools/wakelat


# measure_one KERNEL MODE: four captures, unless the same were taken before
measure_one()
{
	measure_out=$OUT/$1/$2
	measure_key=$(key "$BUILD/kernels/$1/Image" "$OUT/$1/initramfs.gz" "$QEMU_DIR/boot.sh" \
		"$2 $LOADS $SECONDS_EACH" "$(qemu-system-aarch64 --version)")
	if [ "$(cat "$measure_out/key" 2>/dev/null)" = "$measure_key" ]; then
		return
	fi
	"$QEMU_DIR/boot.sh" "$BUILD/kernels/$1" "$OUT/$1/initramfs.gz" "$2" "$measure_out" \
		TASK=contrast "LOADS=${LOADS// /,}" "SECONDS_EACH=$SECONDS_EACH"
	"$TOOL" check "$measure_out"/*.wakelat
	echo "$measure_key" >"$measure_out/key"
}

# Counted time does not see the host: boots may share it.
measure_both()
{
	measure_one "$ONE" "$1" &
	measure_first=$!
	measure_one "$TWO" "$1"
	wait $measure_first
}

prepare()
{
	mkdir -p "$OUT/$1"
	"$QEMU_DIR/initramfs.sh" "$OUT/$1/initramfs.gz" "$BUILD/ko/$1"/{wakelat,wakelat_hold}.ko
	cp "$BUILD/kernels/$1/config" "$OUT/$1/config"
}

measure_cost()
{
	"$QEMU_DIR/boot.sh" "$BUILD/kernels/$1" "$OUT/$1/initramfs.gz" count "$OUT/$1/cost" TASK=cost
}

cost()
{
	sed -n "s/^$2 //p" "$OUT/$1/cost/cost.txt"
}

# ms FILE-UNDER-OUT POPULATION FIGURE: in milliseconds
ms()
{
	"$TOOL" get "$OUT/$1" "$2" "$3" | awk '{ printf "%.3f", $1 / 1e6 }'
}

echo "wakelat: $ONE against $TWO on the emulated NPCM845 board"
"$QEMU_DIR/kernel.sh" "$ONE" "$TWO"
step "build the host tool" make -C "$TOP/tools"
for kernel in "$ONE" "$TWO"; do
	step "build the module for $kernel" "$QEMU_DIR/module.sh" "$kernel"
	step "make the root file system for $kernel" prepare "$kernel"
done
step "measure with one CPU, $LOADS, $SECONDS_EACH s each" measure_both counted1
step "measure with four CPUs, the same" measure_both counted4
step "count the instructions of an expiry" measure_cost "$TWO"

cat <<END

How long did a thread wait on this board? Times in microseconds of COUNTED TIME:
the guest's clock advances 4 ns with each instruction. That is free of this
machine's noise and repeatable to the bit, so anyone gets this table. It is one
course of events: another phase of the expiries gives other tails, so read large
factors, and those that come back under several loads. And it is a model (no
caches, no slow devices): not the times that a board will show.

Loads: idle; cpu (system calls, gzip and forks on each CPU); file (write, sync,
read, remove on ext2 on a RAM disk, on each CPU); hog, which is SYNTHETIC: a
kernel thread on CPU 0 computes 20 ms at a time without giving the CPU away.

One CPU: the exact instrument
END
# shellcheck disable=SC2086 # a list of words
"$TOOL" contrast "${ONE#*-}=$OUT/$ONE/counted1" "${TWO#*-}=$OUT/$TWO/counted1" $LOADS
cat <<END

Four CPUs: as repeatable, but the emulator runs them in turns, so that under load
all waits hold an artefact of tens to hundreds of microseconds
END
# shellcheck disable=SC2086 # a list of words
"$TOOL" contrast "${ONE#*-}=$OUT/$ONE/counted4" "${TWO#*-}=$OUT/$TWO/counted4" $LOADS
cat <<END

What it costs: $(module_bytes "$BUILD/ko/$TWO/wakelat.ko") bytes of module; $(cost "$TWO" cpu_bytes) bytes of timer statistics a CPU; $(cost "$TWO" instructions_per_expiry)
instructions an expiry under ${TWO#*-} (interrupt, wakeup and two switches). The task
populations were off: this is of the timers (make bench has the price of both).

What a platform owner may conclude: when kernel code computes for 20 ms, a
real-time thread waited $(ms "$ONE/counted1/hog.wakelat" timer/rt max) ms at worst under ${ONE#*-} and $(ms "$TWO/counted1/hog.wakelat" timer/rt max) ms under
${TWO#*-}; under the natural loads it was $(ms "$ONE/counted1/cpu.wakelat" timer/rt max) ms and $(ms "$TWO/counted1/cpu.wakelat" timer/rt max) ms (cpu),
$(ms "$ONE/counted1/file.wakelat" timer/rt max) ms and $(ms "$TWO/counted1/file.wakelat" timer/rt max) ms (file). The order of the two models, and that the
kernel's longest stretch without a scheduling point is the bound under
${ONE#*-}, carry over to a board; the figures do not. To choose for a product, load the
module there, under the product's own load, with both builds.

Captures, console logs and kernel configurations: ${OUT#"$TOP"/}/
END
