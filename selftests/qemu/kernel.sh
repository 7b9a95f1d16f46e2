#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh NAME...: have the kernels kernels/NAME, checked, in the cache.
# build/kernels/NAME is then a link to each.
#
# What a kernel's folder holds: config, tree/ (to build modules against), Image
# if it can be booted, and npcm845.dtb if it boots on that board. A build that
# was interrupted is taken up where it stopped.
#
# A file kernels/NAME sets ABOUT; SUITE, of Debian; MODEL, of one to boot; and
#   BOARD, SERIES, CONFIG           built here (kernel-built.sh)
#   ARCH, SERIES, CONFIG, HEADERS   built here, only to build modules against
#   IMAGE, HEADERS, perhaps SERIES  ready-made (kernel-ready.sh)

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$QEMU_DIR/packages.sh"
# shellcheck source=selftests/qemu/sources.sh
. "$QEMU_DIR/sources.sh"
# shellcheck source=selftests/qemu/kernel-built.sh
. "$QEMU_DIR/kernel-built.sh"
# shellcheck source=selftests/qemu/kernel-ready.sh
. "$QEMU_DIR/kernel-ready.sh"

# The model that was asked for is the one that this kernel was given.
check_model()
{
	case $MODEL in
	none) check_symbol=CONFIG_PREEMPT_NONE ;;
	voluntary) check_symbol=CONFIG_PREEMPT_VOLUNTARY ;;
	full) check_symbol=CONFIG_PREEMPT ;;
	lazy) check_symbol=CONFIG_PREEMPT_LAZY ;;
	rt) check_symbol=CONFIG_PREEMPT_RT ;;
	*) die "kernels/$name: unknown MODEL '$MODEL'" ;;
	esac
	grep -qx "$check_symbol=y" "$folder/config" && return
	grep PREEMPT "$folder/config" >&2 || true
	die "$name is not the kernel that was asked for: MODEL is $MODEL, but $check_symbol is not set"
}

have_kernel()
{
	name=$1
	read_kernel "$name"
	cross=$(cross_of "$ARCH")
	if [ -n "$IMAGE" ]; then
		version=$(package_version "$SUITE" "$(debian_arch "$ARCH")" "$IMAGE")
		folder=$CACHE/kernels/$name-$(ready_key)
	else
		version=$(source_version "$SUITE" "$SERIES")
		source=$(source_dir "$version")
		folder=$CACHE/kernels/$name-$(built_key)
	fi
	mkdir -p "$folder" "$BUILD/kernels"
	ln -sfn "$folder" "$BUILD/kernels/$name"
	if [ -e "$folder/done" ]; then
		return
	elif [ -n "$IMAGE" ]; then
		have_ready
	else
		mkdir -p "$folder/tree"
		have_built
	fi
}

for kernel; do
	under_lock "kernel-$kernel" have_kernel "$kernel"
done
