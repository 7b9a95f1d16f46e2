#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh: everything that proves wakelat. Each result is a line of KTAP in
# build/check/*.tap; the last line printed counts them all. A skipped test that
# is not expected to be skipped counts as failed, and so does a plan not kept.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

BOARDS='6.1-none 6.1-full 6.1-stock 6.1-tracers'
READY='debian-6.1-voluntary debian-6.1-rt'
HEADERS_ONLY='5.10-arm64 6.12-arm64 7.3-arm64 6.1-x86_64 6.1-arm'
OUT=$BUILD/check
TOOL=$BUILD/tools/wakelat-asan
MODULE_BYTES_MOST=65536
CPU_BYTES_MOST=40960

rm -rf "$OUT"
mkdir -p "$OUT" "$BUILD/log"

tried=0

# try TEXT COMMAND...: one test of the host
try()
{
	try_text=$1
	shift
	tried=$((tried + 1))
	try_start=$(date +%s)
	try_log=$OUT/$(printf '%s' "$try_text" | tr -cs 'A-Za-z0-9._-' '-').log
	set +e
	(set -e; "$@") >"$try_log" 2>&1 </dev/null
	try_status=$?
	set -e
	try_took=$(($(date +%s) - try_start))
	if [ "$try_status" = 0 ]; then
		echo "ok - $try_text" >>"$OUT/host.tap"
		printf '  %-66s ok %4d s\n' "$try_text" "$try_took"
	else
		echo "not ok - $try_text" >>"$OUT/host.tap"
		printf '  %-66s FAILED\n' "$try_text"
		tail -n 40 "$try_log" | sed 's/^/    | /'
	fi
}

# refused TEXT COMMAND...: the command fails, and says TEXT
refused()
{
	refused_text=$1
	shift
	if refused_output=$("$@" 2>&1); then
		echo "it passed: $*"
		return 1
	fi
	printf '%s\n' "$refused_output"
	grep -qF -- "$refused_text" <<<"$refused_output"
}

# boot KERNEL MODE NAME ARGUMENT...: into build/check/KERNEL-MODE-NAME
boot()
{
	boot_kernel=$1 boot_mode=$2 boot_out=$OUT/$1-$2-$3
	shift 3
	"$QEMU_DIR/boot.sh" "$BUILD/kernels/$boot_kernel" "$OUT/$boot_kernel.gz" \
		"$boot_mode" "$boot_out" "$@"
}

# guest_tests KERNEL MODE TESTS ARGUMENT...
guest_tests()
{
	guest_kernel=$1 guest_mode=$2 guest_list=$3
	shift 3
	read_kernel "$guest_kernel"
	guest_status=0
	boot "$guest_kernel" "$guest_mode" tests TASK=check "TESTS=$guest_list" \
		"EXPECT_MODEL=$MODEL" "$@" || guest_status=1
	for guest_test in ${guest_list//,/ }; do
		guest_tap=$OUT/$guest_kernel-$guest_mode-tests/$guest_test.tap
		[ -e "$guest_tap" ] || { echo "no result of $guest_test"; guest_status=1; continue; }
		cp "$guest_tap" "$OUT/$guest_kernel-$guest_mode-$guest_test.tap"
		grep -E '^(not ok|#)|# SKIP' "$guest_tap" || true
	done
	return $guest_status
}

# root_file_system KERNEL: where there are tracers, with the programs that are peers
root_file_system()
{
	root_folder=
	if [ "$1" = 6.1-tracers ]; then
		root_folder=$OUT/userland
		"$QEMU_DIR/userland.sh" "$root_folder" bookworm cyclictest rt-tests
	fi
	"$QEMU_DIR/initramfs.sh" "$OUT/$1.gz" "$BUILD/ko/$1"/*.ko $root_folder
}

peers_agree()
{
	cat "$OUT/peers.txt"
	return "$peers_status"
}

# Two boots that differ in nothing but the host's time must agree to the byte. A
# host that is busy enough can part QEMU's two threads (boot.sh), so a pair that
# disagrees is booted anew, twice at most, and that is said.
same_twice()
{
	for same_try in 1 2 3; do
		for same_run in one two; do
			boot 6.1-full "$1" "same-$same_run" TASK=contrast \
				LOADS=idle,cpu,file,hog SECONDS_EACH=2 &
		done
		wait %1 && wait %2
		if same_captures "$1"; then
			return 0
		fi
		echo "# try $same_try of 3: two boots disagree"
	done
	return 1
}

same_captures()
{
	for same_load in idle cpu file hog; do
		cmp "$OUT/6.1-full-$1-same-one/$same_load.wakelat" \
			"$OUT/6.1-full-$1-same-two/$same_load.wakelat" || return
		"$TOOL" check "$OUT/6.1-full-$1-same-one/$same_load.wakelat" || return
	done
}

models_differ()
{
	for differ_kernel in 6.1-none 6.1-full; do
		boot "$differ_kernel" counted1 hog TASK=contrast LOADS=hog SECONDS_EACH=1
	done
	"$TOOL" contrast none="$OUT/6.1-none-counted1-hog" full="$OUT/6.1-full-counted1-hog" hog
	differ_none=$("$TOOL" get "$OUT/6.1-none-counted1-hog/hog.wakelat" timer/rt max)
	differ_full=$("$TOOL" get "$OUT/6.1-full-counted1-hog/hog.wakelat" timer/rt max)
	# The hold is 20 ms, an expiry falls into its first 2 ms.
	[ "$differ_none" -ge 18000000 ] && [ "$differ_none" -le 22000000 ]
	[ "$differ_full" -le 2000000 ]
}

cost_is_kept()
{
	boot 6.1-full count cost TASK=cost
	cat "$OUT/6.1-full-count-cost/cost.txt"
	cost_bytes=$(sed -n 's/^cpu_bytes //p' "$OUT/6.1-full-count-cost/cost.txt")
	[ "$cost_bytes" -le $CPU_BYTES_MOST ]
	cost_bytes=$(module_bytes "$BUILD/ko/6.1-full/wakelat.ko")
	echo "module: $cost_bytes bytes in memory"
	[ "$cost_bytes" -le $MODULE_BYTES_MOST ]
}

sparse_is_silent()
{
	sparse_out=$BUILD/ko/sparse
	rm -rf "$sparse_out"
	make -C "$TOP/selftests" C=2 KDIR="$(readlink -f "$BUILD/kernels/6.1-full/tree")" \
		OUTPUT="$sparse_out" ARCH=arm64 CROSS_COMPILE=aarch64-linux-gnu- \
		2>&1 | tee "$OUT/sparse.txt"
	grep -q 'CHECK .*timer.c' "$OUT/sparse.txt"
	! grep -E 'warning|error' "$OUT/sparse.txt"
}

hist_is_right()
{
	"$BUILD/tools/hist_test" | tee "$OUT/hist.tap"
}

pure_code_is_right()
{
	for pure_test in pairing rule dump; do
		"$BUILD/tools/${pure_test}_test" | tee "$OUT/$pure_test.tap"
	done
}

# damaged_line NAME SED TEXT: of NAME.wakelat the tool names the line, and says TEXT
damaged_line()
{
	sed "$2" "$damaged_good" >"$OUT/$1.wakelat"
	refused "$3" "$TOOL" check "$OUT/$1.wakelat"
	grep -q "^$OUT/$1.wakelat:[0-9]*: " <<<"$refused_output"
}

# A capture that is damaged in any way is refused, with its line.
damaged()
{
	damaged_good=$OUT/6.1-full-counted1-same-one/hog.wakelat
	"$TOOL" check "$damaged_good"
	head -n -1 "$damaged_good" >"$OUT/cut.wakelat"
	refused 'the end is missing' "$TOOL" check "$OUT/cut.wakelat"
	sed 's/^count [0-9]*/count 5/' "$damaged_good" >"$OUT/sum.wakelat"
	refused 'add up' "$TOOL" check "$OUT/sum.wakelat"
	sed 's/^# wakelat dump 2/# wakelat dump 1/' "$damaged_good" >"$OUT/version.wakelat"
	refused 'dump version 1, this tool reads 2' "$TOOL" check "$OUT/version.wakelat"
	sed 's/^bucket \([0-9]*\) /bucket 1\1 /' "$damaged_good" >"$OUT/bucket.wakelat"
	refused 'not a bucket' "$TOOL" check "$OUT/bucket.wakelat"
	sed '/^samples/,$d' "$damaged_good" >"$OUT/none.wakelat"
	echo '# end of 12' >>"$OUT/none.wakelat"
	refused '0 records of 12' "$TOOL" check "$OUT/none.wakelat"
	# tools/dump_test.c has every kind of damage; these have real records around them.
	damaged_line wait '/^worst timer.rt cpu 0/,/^wait_ns/s/^wait_ns .*/wait_ns 1/' \
		'not the longest first'
	damaged_line window 's/^window \([0-9]*\) .*/window \1 2 1/' 'ends before it starts'
	damaged_line coarse 's/^coarse .*/& 0/' 'and 27 numbers'
	refused 'not a wakelat dump' "$TOOL" check "$TOP/README.md"
	refused 'No such file' "$TOOL" check "$OUT/no.wakelat"
}

not_comparable()
{
	mkdir -p "$OUT/other"
	sed 's/^# period_us: .*/# period_us: 500/' "$OUT/6.1-full-counted1-same-one/hog.wakelat" \
		>"$OUT/other/hog.wakelat"
	refused 'not comparable' "$TOOL" contrast a="$OUT/6.1-full-counted1-same-one" b="$OUT/other" hog
}

nothing_differs()
{
	"$TOOL" contrast a="$OUT/6.1-full-counted1-same-one" b="$OUT/6.1-full-counted1-same-two" \
		idle cpu file hog | tee "$OUT/nothing.txt"
	[ "$(tail -n 1 "$OUT/nothing.txt")" = nothing ]
}

# The harness itself: what must not pass does not.
never_a_verdict()
{
	refused "its verdict is ''" boot 6.1-full counted1 silent TASK=broken BREAK=silent
	refused 'Kernel panic' boot 6.1-full counted1 panic rdinit=/guest/send.sh
	refused "'verdict: fail'" boot 6.1-full counted1 warn TASK=broken BREAK=complain
	refused "'verdict: fail'" boot 6.1-full counted1 after TASK=broken BREAK=after
	refused "its verdict is ''" boot 6.1-full counted1 cut TASK=broken BREAK=cut
	refused "'verdict: fail'" boot 6.1-full counted1 missing TASK=no-such-task
	WAKELAT_BOOT_SECONDS=10 refused 'still running after 10 s' \
		boot 6.1-full free hang TASK=broken BREAK=hang
}

# What Kconfig drops is noticed.
wrong_model()
{
	cat >"$QEMU_DIR/kernels/wrong-model" <<-'END'
		ABOUT="asks for what it does not configure" SERIES=6.1 SUITE=bookworm
		BOARD=npcm845 MODEL=full CONFIG="base tracing kunit none"
	END
	wrong_status=0
	refused 'is not the kernel that was asked for' "$QEMU_DIR/kernel.sh" wrong-model || wrong_status=1
	rm -f "$QEMU_DIR/kernels/wrong-model"
	return $wrong_status
}

bad_places()
{
	refused 'with a space' env WAKELAT_CACHE="$OUT/a b" "$QEMU_DIR/kernel.sh" 6.1-none
	mkdir -p "$OUT/a b/selftests"
	cp "$TOP/Makefile" "$OUT/a b/"
	refused 'with a space' make -C "$OUT/a b" check
	refused 'there are: 5.10-arm64' "$QEMU_DIR/kernel.sh" 6.1-nome
	refused 'no kernel build tree' make -C "$TOP" module KDIR=/nowhere
}

# not_passed REASON LOG: such a log does not pass, for that reason
not_passed()
{
	printf "$2" >"$OUT/fake.log"
	refused "$1" "$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT/fake.log"
}

# What must not count as passed does not.
judging_is_strict()
{
	printf '1..2\nok 1 - a\n  not ok 1 - of a subtest\nok 2 - b\n' >"$OUT/fake.log"
	[ "$("$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT/fake.log")" = '2 passed, 0 failed, 0 skipped' ]
	not_passed 'has 0 plans' 'ok 1 - a\n'
	not_passed 'planned 2 and ran 1' '1..2\nok 1 - a\n'
	not_passed 'planned 1 and ran 2' '1..1\nok 1 - a\nok 2 - b\n'
	not_passed 'not ok 2' '1..1\nok 1 - a\nnot ok 2 - b\n'
	not_passed 'has 2 plans' '1..1\nok 1 - a\n1..1\n'
	not_passed 'must not be skipped' '1..1\nok 1 - a # SKIP\n'
	not_passed 'must not be skipped' '1..0 # SKIP no root\n'
	not_passed 'plans nothing' '1..0\n'
	not_passed 'end of a line' '1..2\nok 1 - a\nok 2 - '
	not_passed 'end of a line' ''
	not_passed 'Oops' '1..1\nok 1 - a\n[ 1.0] Internal error: Oops: 96000004\n'
	not_passed 'Bail out!' '1..1\nok 1 - a\nBail out!\n'
	# All that passes is a skip that is expected: still nothing was tested.
	printf 'fake.log a\n' >"$OUT/fake-skips"
	printf '1..1\nok 1 - a # SKIP why\n' >"$OUT/fake.log"
	refused '0 passed, 0 failed, 1 skipped' "$QEMU_DIR/total.sh" "$OUT/fake-skips" "$OUT/fake.log"
}

total()
{
	echo "1..$tried" >>"$OUT/host.tap"
	"$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT"/*.tap
}

echo "wakelat: all tests"
step "build the host tool and the userspace tests" make -C "$TOP/tools" all tests
try "histogram: userspace, with sanitizers" hist_is_right
try "pairing, rules, reader of dump: userspace, with sanitizers" pure_code_is_right
# shellcheck disable=SC2086 # lists of words
"$QEMU_DIR/kernel.sh" $BOARDS $READY $HEADERS_ONLY
for kernel in $BOARDS $READY $HEADERS_ONLY; do
	try "module builds without warnings: $kernel" "$QEMU_DIR/module.sh" "$kernel"
done
try "sparse says nothing" sparse_is_silent
try "checkpatch and shellcheck say nothing" "$QEMU_DIR/style.sh"
for kernel in $BOARDS $READY; do
	step "make the root file system for $kernel" root_file_system "$kernel"
done

# The longest runs beside the others, on the other CPU.
WAKELAT_BOOT_SECONDS=900 guest_tests 6.1-tracers counted4 watch,peers >"$OUT/peers.txt" 2>&1 &
peers=$!
try "6.1-none, four CPUs, counted time" guest_tests 6.1-none counted4 \
	timer,input,hotplug,truth,kunit,task,worst,timeline HOLD_MS=50 COUNTED=1 IDLE_OVERSLEEPS=1
try "6.1-full, four CPUs, counted time" guest_tests 6.1-full counted4 \
	timer,input,hotplug,truth,kunit,task,worst,watch,timeline \
	HOLD_MS=50 COUNTED=1 IDLE_OVERSLEEPS=1
try "6.1-stock, four CPUs, counted time" guest_tests 6.1-stock counted4 \
	timer,input,hotplug,truth,task,worst,timeline HOLD_MS=50 COUNTED=1 IDLE_OVERSLEEPS=1
try "6.1-none, one CPU, counted time" guest_tests 6.1-none counted1 timer,truth,task \
	HOLD_MS=50 COUNTED=1
try "6.1-full, one CPU, counted time" guest_tests 6.1-full counted1 timer,truth,task \
	HOLD_MS=50 COUNTED=1
try "6.1-full, four CPUs, the host's time" guest_tests 6.1-full free hotplug,truth,task NOISY=1
for kernel in $READY; do
	WAKELAT_BOOT_SECONDS=900 try "$kernel, four CPUs, counted time" guest_tests "$kernel" \
		counted4 timer,hotplug,worst,watch,timeline IDLE_OVERSLEEPS=1
done
try "broken on purpose: the truth table fails" "$QEMU_DIR/mutants.sh" 6.1-none
try "64 CPUs, counted time" guest_tests 6.1-full virt64 manycpus EXPECT_CPUS=64
try "refuses without debugfs" boot 6.1-full counted1 debugfs TASK=check TESTS=refuse \
	EXPECT_LACK=debugfs debugfs=off
try "refuses without high resolution timers" boot 6.1-full counted1 highres TASK=check \
	TESTS=refuse EXPECT_LACK=highres highres=off
try "two boots agree to the byte, one CPU" same_twice counted1
try "two boots agree to the byte, four CPUs" same_twice counted4
try "a 20 ms hog shows under none and not under full" models_differ
try "tool: no difference between two runs of one build" nothing_differs
try "tool: damaged captures are refused" damaged
try "tool: what does not compare is refused" not_comparable
try "size and cost stay in bounds" cost_is_kept
try "kselftest: installed from four kernel trees, run, interrupted, parsed" \
	"$QEMU_DIR/kselftest.sh" 6.1-full
try "harness: what must not count as passed does not" judging_is_strict
try "harness: no verdict is a failure" never_a_verdict
try "harness: the model asked for is the one configured" wrong_model
try "harness: bad places and names are refused" bad_places
# shellcheck source=selftests/qemu/check-contrast.sh
. "$QEMU_DIR/check-contrast.sh"
peers_status=0
wait "$peers" || peers_status=$?
try "6.1-tracers, four CPUs, counted time: peers agree" peers_agree

total
