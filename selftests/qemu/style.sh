#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# style.sh: the kernel's checkpatch --strict over every C file, shellcheck over
# every script. Where we disagree with checkpatch:
#
# BIT_MACRO, PREFER_KERNEL_TYPES, NEW_TYPEDEFS: hist.[ch] is also built where
#	there is no BIT() and where u64 has to be made of uint64_t.
# For the host tool and the tests of pure code, which have to do without the
# kernel's headers, also:
# ARRAY_SIZE, CAMELCASE: names of the kernel, and of the C library.
# MACRO_WITH_FLOW_CONTROL: one macro that leaves a test case at what fails.
# compat.h asks for versions, as it is for; the trace event is laid out as the
# kernel's are.
# And with shellcheck: SC2046, lists of words are meant to be split; SC2034,
# variables are for the scripts that source a file; SC2187, busybox is near dash.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

cd "$TOP"
checkpatch=$(readlink -f "$BUILD/kernels/6.1-none/tree/source")/scripts/checkpatch.pl
[ -e "$checkpatch" ] || die "style: no kernel source yet: make contrast or make check fetches it"

# strict IGNORE FILE...
strict()
{
	strict_ignore=BIT_MACRO,PREFER_KERNEL_TYPES,NEW_TYPEDEFS$1
	shift
	"$checkpatch" --no-tree --no-summary --terse --strict --show-types \
		--ignore "$strict_ignore" -f "$@"
}

status=0
mapfile -t kernel_files < <(find module selftests -name tests -prune -o -name '*.[ch]' \
	! -name compat.h ! -name wakelat_trace.h -print)
strict '' "${kernel_files[@]}" || status=1
strict ,LINUX_VERSION_CODE,CONSTANT_COMPARISON module/compat.h || status=1
strict ,OPEN_ENDED_LINE,PARENTHESIS_ALIGNMENT module/wakelat_trace.h || status=1
mapfile -t host_files < <(find tools module/tests -name '*.[ch]')
strict ,ARRAY_SIZE,CAMELCASE,MACRO_WITH_FLOW_CONTROL "${host_files[@]}" || status=1
mapfile -t scripts < <(find selftests -name '*.sh')
shellcheck -S warning -e SC2046,SC2034,SC2187 -x -P SCRIPTDIR "${scripts[@]}" selftests/qemu/guest/init .ci/run || status=1
exit $status
