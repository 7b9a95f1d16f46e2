#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# mutants.sh KERNEL: can the truth table fail? For each file mutants/NAME the
# modules are built from a copy of the sources that is broken in one place, and
# booted on kernels/KERNEL: truth.sh must run to its end, and fail where the file
# says.
#
# A file sets: ABOUT; SOURCE, and EDIT, a sed expression that changes one line of
# it; MODE of boot.sh and KINDS of truth.sh; FAILS, the names of the tests that must
# fail, a line each, in which MODEL is the kernel's; and ONLY_MODELS where these
# tests are not of every model.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

kernel=$1
read_kernel "$kernel"
folder=$BUILD/kernels/$kernel

# All in one folder, so that only what differs from the last mutant is compiled.
build_mutant()
{
	mkdir -p "$out"
	sed -i "$EDIT" "$work/copy/$SOURCE"
	changed=$(diff "$TOP/$SOURCE" "$work/copy/$SOURCE" | grep -c '^>') || true
	if [ "$changed" != 1 ]; then
		echo "$mutant: the edit changes $changed lines of $SOURCE"
		return 1
	fi
	make -j"$JOBS" -C "$work/copy/selftests" KDIR="$(readlink -f "$folder/tree")" \
		OUTPUT="$work/ko" ARCH="$ARCH" CROSS_COMPILE="$(cross_of "$ARCH")" >"$out/build.txt" 2>&1 || {
		tail -n 20 "$out/build.txt"
		return 1
	}
	"$QEMU_DIR/initramfs.sh" "$out/initramfs.gz" "$work/ko/wakelat.ko" "$work/ko/wakelat_hold.ko"
}

is_noticed()
{
	if "$QEMU_DIR/boot.sh" "$folder" "$out/initramfs.gz" "$MODE" "$out/boot" TASK=check \
			TESTS=truth "EXPECT_MODEL=$MODEL" "KINDS=$KINDS" 2>"$out/boot.txt"; then
		echo "$mutant: the test passed: $ABOUT"
		return 1
	fi
	if ! grep -q '^# Totals: ' "$out/boot/truth.tap"; then
		echo "$mutant: the test did not end:"
		cat "$out/boot.txt"
		return 1
	fi
	grep '^not ok ' "$out/boot/truth.tap"
	while read -r name; do
		grep -q "^not ok [0-9]* - $name\$" "$out/boot/truth.tap" && continue
		echo "$mutant: did not fail: $name"
		return 1
	done <<<"$FAILS"
}

work=$BUILD/mutants/$kernel
rm -rf "$work"
mkdir -p "$work/copy"
cp -r "$TOP/module" "$TOP/selftests" "$work/copy/"
status=0
for file in "$QEMU_DIR"/mutants/*; do
	mutant=${file##*/}
	out=$work/$mutant
	unset ONLY_MODELS
	# shellcheck source=/dev/null
	. "$file"
	[[ " ${ONLY_MODELS:-$MODEL} " = *" $MODEL "* ]] || continue
	echo "$mutant: $ABOUT"
	if ! { build_mutant && is_noticed; }; then
		status=1
	fi
	cp "$TOP/$SOURCE" "$work/copy/$SOURCE"
done
exit $status
