#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kselftest.sh KERNEL: the tests as a target of the kernel's selftests. Of each of
# SOURCES a tree with its lib.mk and its runner gets a copy of selftests/ and installs
# it; KERNEL is booted with all of these, and guest/kselftest.sh runs them. Results are
# in build/kselftest/out; kunit.py has to count them as we do.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

SOURCES='5.10-arm64 6.1-full 6.12-arm64 7.3-arm64'
# That of 5.10 knows no KTAP.
PARSERS='6.1-full 6.12-arm64 7.3-arm64'
SKIPS=$QEMU_DIR/expected-skips
OUT=$BUILD/kselftest

# install_target SOURCE: into root/kselftest/SERIES
install_target()
{
	install_source=$BUILD/kernels/$1/tree/source
	install_tree=$OUT/${1%-*}
	install_folder=$install_tree/tools/testing/selftests
	mkdir -p "$install_tree/scripts" "$install_folder"
	cp "$install_source/scripts/subarch.include" "$install_tree/scripts/"
	cp -r "$install_source"/tools/testing/selftests/{Makefile,lib.mk,run_kselftest.sh,kselftest} \
		"$install_folder/"
	# 5.10 wants the kernel's headers for any test; ours are scripts.
	printf 'headers_install:\n' >"$install_tree/Makefile"
	cp -rL "$TOP/selftests" "$install_folder/wakelat"
	make -C "$install_folder" TARGETS=wakelat FORCE_TARGETS=1 install \
		INSTALL_PATH="$OUT/root/kselftest/${1%-*}" KDIR="$tree" ARCH=arm64 \
		CROSS_COMPILE=aarch64-linux-gnu-
	diff <(scripts) "$OUT/root/kselftest/${1%-*}/kselftest-list.txt"
}

# scripts: what the list of an installed target must be
scripts()
{
	for script in "$TOP"/selftests/*.sh; do
		[ ! -x "$script" ] || [ "${script##*/}" = run.sh ] || echo "wakelat:${script##*/}"
	done
}

# kunit_counts SOURCE TAP: "N passed, N failed, N skipped", after kunit.py of that source
kunit_counts()
{
	PYTHONDONTWRITEBYTECODE=1 python3 "$BUILD/kernels/$1/tree/source/tools/testing/kunit/kunit.py" \
		parse "$2" >"$OUT/kunit.txt"
	! grep -a 'ERROR' "$OUT/kunit.txt" >&2
	sed -n 's/.*Testing complete\. //p' "$OUT/kunit.txt" | awk '
		{ for (i = 1; i < NF; i++) n[$i] = $(i + 1) + 0 }
		END { printf "%d passed, %d failed, %d skipped\n", n["passed:"],
			n["failed:"] + n["crashed:"] + n["errors:"], n["skipped:"] }'
}

# counts_agree TAP COUNTS
counts_agree()
{
	for parser in $PARSERS; do
		parsed=$(kunit_counts "$parser" "$1")
		echo "${1##*/}: kunit.py of $parser: $parsed"
		[ "$parsed" = "$2" ] || { echo "want: $2"; return 1; }
	done
}

# says STATUS TEXT COMMAND...: it ends with that status, and says that
says()
{
	says_want=$1 says_text=$2
	shift 2
	says_status=0
	says_output=$("$@" 2>&1) || says_status=$?
	printf '%s\n' "$says_output"
	[ "$says_status" = "$says_want" ] && grep -qF -- "$says_text" <<<"$says_output" && return
	echo "it ended with $says_status, want $says_want and '$says_text': $*"
	return 1
}

# fake NAME STATUS TEXT: a test that says so
fake()
{
	printf '#!/bin/sh\nprintf "%s"\nexit %s\n' "KTAP version 1\\n$3" "$2" >"$OUT/fake/$1.sh"
	chmod 755 "$OUT/fake/$1.sh"
}

# run.sh believes no test that did not keep its plan.
run_is_strict()
{
	mkdir "$OUT/fake"
	cp "$TOP/selftests/run.sh" "$OUT/fake/"
	fake good 0 '1..1\\nok 1 - a\\n'
	fake skip 4 '1..0 # SKIP why\\n'
	fake bad 1 '1..1\\nnot ok 1 - a\\n'
	fake short 0 '1..2\\nok 1 - a\\n'
	fake none 0 ''
	fake lies 0 '1..1\\nnot ok 1 - a\\n'
	fake dies '$(kill -9 $$)' '1..1\\nok 1 - a\\n'
	says 0 'ok 2 - skip.sh # SKIP why' "$OUT/fake/run.sh" good skip
	says 4 'pass:0 fail:0 xfail:0 xpass:0 skip:1' "$OUT/fake/run.sh" skip
	for bad in bad short none lies dies gone; do
		says 1 "not ok 2 - $bad.sh" "$OUT/fake/run.sh" good "$bad"
	done
	# Without names, all that can be executed
	rm "$OUT"/fake/{bad,short,none,lies,dies}.sh
	says 0 '1..2' "$OUT/fake/run.sh"
}

# From our own tree. This machine does not run the kernel: refuse skips itself.
make_kselftest()
{
	mkdir "$OUT/bin"
	printf '#!/bin/sh\necho 1000\n' >"$OUT/bin/id"
	chmod 755 "$OUT/bin/id"
	PATH=$OUT/bin:$PATH says 2 'run it as root' make -C "$TOP" kselftest
	printf '#!/bin/sh\necho 0\n' >"$OUT/bin/id"
	PATH=$OUT/bin:$PATH says 2 'ok 1 - refuse.sh # SKIP' make -C "$TOP" kselftest \
		TESTS=refuse KDIR="$tree" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu-
	PATH=$OUT/bin:$PATH says 2 'no kernel build tree' make -C "$TOP" kselftest KDIR=/nowhere
}

kernel=$1
tree=$(readlink -f "$BUILD/kernels/$kernel/tree")
rm -rf "$OUT"
mkdir -p "$OUT"
run_is_strict
make_kselftest
for source in $SOURCES; do
	install_target "$source"
done
"$QEMU_DIR/userland.sh" "$OUT/userland" trixie dash dash
# Peers are compared elsewhere, and it takes long.
rm "$OUT/userland/bin/pingpong"
# What is not beside the scripts is left to modprobe.
modules=$OUT/root/lib/modules/$(cat "$tree/include/config/kernel.release")
install -D -m 644 "$BUILD/ko/$kernel/kunit.ko" "$modules/kunit.ko"
echo kunit.ko: >"$modules/modules.dep"
"$QEMU_DIR/initramfs.sh" "$OUT/initramfs.gz" "$OUT/root" "$OUT/userland"
WAKELAT_BOOT_SECONDS=900 "$QEMU_DIR/boot.sh" "$BUILD/kernels/$kernel" "$OUT/initramfs.gz" \
	counted4 "$OUT/out" TASK=kselftest

for tap in "$OUT"/out/runner-*.tap "$OUT/out/all.tap"; do
	"$QEMU_DIR/total.sh" "$SKIPS" "$tap"
done
for tap in "$OUT"/out/runner-*.tap; do
	counts_agree "$tap" "$("$QEMU_DIR/total.sh" "$SKIPS" "$tap" | tail -n 1)"
done
# Here the results of all scripts are subtests; a script that is skipped counts as one.
counts_agree "$OUT/out/all.tap" "$(awk '
	/^  1\.\.0 # SKIP/ || /^  ok .*# SKIP/ { skipped++; next }
	/^  ok / { passed++ }
	/^  not ok / { failed++ }
	END { printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped }' "$OUT/out/all.tap")"
