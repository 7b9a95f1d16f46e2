#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# module.sh NAME: build the module, the test modules and where the kernel has
# KUnit its suites, against the kernel kernels/NAME, without warnings, into
# build/ko/NAME.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

name=$1
read_kernel "$name"
tree=$(readlink -f "$BUILD/kernels/$name/tree")
out=$BUILD/ko/$name

rm -rf "$out"
make -j"$JOBS" -C "$TOP/selftests" W=1 KDIR="$tree" OUTPUT="$out" ARCH="$ARCH" \
	CROSS_COMPILE="$(cross_of "$ARCH")" CC="$(cross_of "$ARCH")gcc" 2>&1 |
	tee "$BUILD/log/module-$name.txt"
# Debian's kernels are built by another version of the compiler.
if grep -v 'the compiler differs' "$BUILD/log/module-$name.txt" | grep -iE 'warning|undefined'; then
	echo "module: warnings when built against $name" >&2
	exit 1
fi
# The kernel has no libgcc for 64-bit divisions (32-bit ones it has).
if "$(cross_of "$ARCH")nm" -u "$out/wakelat.ko" | grep -E '__u?(div|mod)di3|__aeabi_u?ldivmod'; then
	echo "module: a division is left to libgcc on $ARCH" >&2
	exit 1
fi
if [ -e "$tree/lib/kunit/kunit.ko" ]; then
	cp "$tree/lib/kunit/kunit.ko" "$out/"
fi
