#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Decides a preemption model where no host tool runs: on each build of the kernel
# take captures, then compare them, anywhere.

usage()
{
	cat <<-END
		usage: contrast.sh capture FOLDER
		       contrast.sh compare [--any-kernel] FOLDER FOLDER...

		capture measures this kernel under loads into FOLDER. It needs root, the
		modules (WAKELAT_MODULES=their folder, default: that of this script), and
		wakelat not loaded. One CPU is not of much use meanwhile.
		  CPU           the CPU under load (default: the last one online)
		  HOLD_MS       length T of one hold in the kernel, 20 to 250 (default 100)
		  SECONDS_EACH  how long each load is measured (default 10)

		compare says in KTAP what must hold between the builds' preemption models
		and whether it does, and prints their waits. Exit status 0: all holds, 1: not,
		or the captures do not compare, 4: nothing must, as between equal models.
		  --any-kernel  the builds may be of different kernel versions
		  COUNTED       1: taken in an emulator's counted time, which has no noise
	END
}

READY_LATER=1	# to compare needs no module, nor root
# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/contrast_lib.sh
. "$(dirname "$0")/contrast_lib.sh"

die()
{
	echo "contrast: $*" >&2
	exit 1
}

# To capture is no test: nothing is skipped.
skip_all()
{
	die "$1"
}

# other_build FILE: in what a capture is not of the kernel that runs
other_build()
{
	for other_name in machine kernel_release kernel_version preempt_model; do
		expect "$1 is of another build: its $other_name" \
			"$(header "$1" $other_name)" "$(field $other_name)" || return 0
	done
	return 1
}

capture()
{
	CPU=${CPU:-$(online_cpus | tail -n 1)}
	reason=$(settings_are_sane) || die "$reason"
	ready
	mkdir -p "$1" || exit 1
	load wakelat enable=0 task=0 || die "wakelat.ko does not load from $WAKELAT_MODULES"
	for file in "$1"/*.wakelat; do
		[ ! -e "$file" ] || ! reason=$(other_build "$file") || die "$reason"
	done
	echo "preemption model $(field preempt_model), CPU $CPU, holds of $HOLD_MS ms"
	capture_all "$1" || die "the captures in $1 are not complete"
	echo "done: $1"
}

# read_builds FOLDER...: all that is to be compared
read_builds()
{
	for folder; do
		builds="$builds $((${builds##* } + 1))"
		read_build "${builds##* }" "$folder" && alike 1 "${builds##* }" || return
	done
}

each_by_itself()
{
	for build in $builds; do
		sees_what_it_must "$build" || return
	done
}

compare()
{
	# A module that is loaded is not ours to unload.
	MODULES=
	have_scratch
	work=$SCRATCH
	builds=0
	if ! read_builds "$@" >"$work/reason" 2>&1; then
		plan 1
		check "captures compare" eval 'cat "$work/reason"; false'
		finish
	fi
	builds=${builds#0 }
	models=$(for build in $builds; do cat "$work/$build.model"; done)
	list_all $models >"$work/list"
	limits "$1" "$(header "$1/idle.wakelat" hz)"
	if grep -qv '^#\|^alone' "$work/list" || ! each_by_itself >/dev/null; then
		plan "$(grep -cv '^#' "$work/list")"
		table $builds
		check_all
	else
		plan 1
		table $builds
		grep '^#' "$work/list"
		skip "preemption models differ" "nothing to assert between $(echo $models)"
	fi
	finish
}

case $1 in
-h|--help)
	usage
	exit 0
	;;
capture)
	[ $# = 2 ] || { usage >&2; exit 2; }
	capture "$2"
	;;
compare)
	shift
	if [ "$1" = --any-kernel ]; then
		any_kernel=1
		shift
	fi
	case $1 in -*) usage >&2; exit 2 ;; esac
	[ $# -ge 2 ] || { usage >&2; exit 2; }
	compare "$@"
	;;
*)
	usage >&2
	exit 2
	;;
esac
