#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# check.sh [KERNEL...]: everything that proves wakelat; or only what is to be run on
# these kernels. Each result is a line of KTAP in build/check/*.tap; the last line
# printed counts them all. A skipped test that is not expected to be skipped counts as
# failed, and so does a plan not kept.
#
# What is booted is the table "runs"; as much at once as there are CPUs.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

HEADERS_ONLY='5.10-arm64 6.12-arm64 7.3-arm64 6.1-x86_64 6.1-arm'
OUT=$BUILD/check
TOOL=$BUILD/tools/wakelat-asan
MODULE_BYTES_MOST=65536
CPU_BYTES_MOST=40960

rm -rf "$OUT"
mkdir -p "$OUT" "$BUILD/log"

# try TEXT COMMAND...: one test of the host. Several may run at once: what they say
# comes in one piece.
try()
{
	try_text=$1
	shift
	echo "$try_text" >>"$OUT/tried"
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
		printf '  %-66s FAILED\n%s\n' "$try_text" "$(tail -n 40 "$try_log" | sed 's/^/    | /')"
	fi
}

# beside COMMAND...: as soon as a CPU is free, and then go on. What waits for it waits
# for all.
beside()
{
	while [ "$(jobs -rp | wc -l)" -ge "$JOBS" ]; do
		wait -n || true
	done
	"$@" &
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
	WAKELAT_BOOT_SECONDS=900 boot "$guest_kernel" "$guest_mode" tests TASK=check "TESTS=$guest_list" \
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

# runs [KERNEL...]: the lines of the table, or those of the kernels
runs()
{
	grep -v '^#' "$QEMU_DIR/runs" | while read -r runs_line; do
		runs_kernel=${runs_line%%[[:space:]]*}
		[ $# = 0 ] || [[ " $* " = *" $runs_kernel "* ]] || continue
		printf '%s\n' "$runs_line"
	done
}

# boot_runs KERNEL...: what the table says of them
boot_runs()
{
	while read -r run_kernel run_mode run_tests run_arguments <&3; do
		# shellcheck disable=SC2086 # a list of words
		beside try "$run_kernel $run_mode: $run_tests" guest_tests \
			"$run_kernel" "$run_mode" "$run_tests" $run_arguments
	done 3< <(runs "$@")
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

total()
{
	echo "1..$(wc -l <"$OUT/tried")" >>"$OUT/host.tap"
	"$QEMU_DIR/matrix.sh" "$OUT"
	"$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT"/*.tap
}

# have KERNEL...: and the modules against it, and of one to boot the root file system
have()
{
	"$QEMU_DIR/kernel.sh" "$@"
	for kernel; do
		try "module builds without warnings: $kernel" "$QEMU_DIR/module.sh" "$kernel"
		read_kernel "$kernel"
		[ -z "$MODEL" ] || step "make the root file system for $kernel" root_file_system "$kernel"
	done
}

if [ $# != 0 ]; then
	for kernel; do
		read_kernel "$kernel"
		[ -n "$(runs "$kernel")" ] || die "no test is run on $kernel (see selftests/qemu/runs)"
	done
	have "$@"
	boot_runs "$@"
	wait
	total
	exit
fi

echo "wakelat: all tests"
step "build the host tool and the userspace tests" make -C "$TOP/tools" all tests
try "histogram: userspace, with sanitizers" hist_is_right
try "pairing, rules, reader of dump: userspace, with sanitizers" pure_code_is_right
# shellcheck disable=SC2046,SC2086 # lists of words
have $(runs | awk '!had[$1]++ { print $1 }') $HEADERS_ONLY
try "sparse says nothing" sparse_is_silent
try "checkpatch and shellcheck say nothing" "$QEMU_DIR/style.sh"

# The longest first.
boot_runs 6.1-tracers
beside try "kselftest: installed from four kernel trees, run, interrupted, parsed" \
	"$QEMU_DIR/kselftest.sh" 6.1-full
beside try "broken on purpose: the truth table fails" "$QEMU_DIR/mutants.sh" 6.1-none
beside . "$QEMU_DIR/check-contrast.sh"
# shellcheck disable=SC2046 # a list of words
boot_runs $(runs | awk '$1 != "6.1-tracers" && !had[$1]++ { print $1 }')
beside . "$QEMU_DIR/check-harness.sh"
beside try "refuses without debugfs" boot 6.1-full counted1 debugfs TASK=check TESTS=refuse \
	EXPECT_LACK=debugfs debugfs=off
beside try "refuses without high resolution timers" boot 6.1-full counted1 highres TASK=check \
	TESTS=refuse EXPECT_LACK=highres highres=off
beside try "size and cost stay in bounds" cost_is_kept
beside try "a 20 ms hog shows under none and not under full" models_differ
beside try "two boots agree to the byte, one CPU" same_twice counted1
beside try "two boots agree to the byte, four CPUs" same_twice counted4
wait
try "tool: no difference between two runs of one build" nothing_differs
try "tool: damaged captures are refused" damaged
try "tool: what does not compare is refused" not_comparable
total
