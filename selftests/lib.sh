# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What the tests share: KTAP, the module and its files. POSIX shell, so that
# busybox and dash run it. A test script sources this, says "plan N", runs N checks
# and ends with "finish".
#
# WAKELAT_MODULES is the folder of wakelat.ko and the test modules (default: the
# folder of the script); what is not there is left to modprobe. SCRATCH is a folder
# for temporary files.
#
# Where nothing can be tested, all of the script is skipped, and says why. Else all
# that it loads, starts and changes is undone when it ends, also by a signal: a
# script that changes more than this file knows of defines "restore", which is run
# then and must do no harm if nothing was changed. One that may need no module says
# READY_LATER=1, and calls ready or have_scratch itself.

WAKELAT_MODULES=${WAKELAT_MODULES:-$(dirname "$0")}
FILES=/sys/kernel/debug/wakelat
PARAMETERS=/sys/module/wakelat/parameters
# In the order in which they can be unloaded
MODULES='wakelat_hold wakelat_wake wakelat_hist_kunit wakelat_pairing_kunit wakelat'

tests=0
failures=0
skips=0
planned=0

# skip_all REASON
skip_all()
{
	echo "KTAP version 1"
	echo "1..0 # SKIP $1"
	exit 4
}

plan()
{
	planned=$1
	echo "KTAP version 1"
	echo "1..$planned"
}

# Is there such a module to load?
have_module()
{
	[ -e "$WAKELAT_MODULES/$1.ko" ] || modprobe -D "$1" >/dev/null 2>&1
}

# mounted TYPE FOLDER: mount it there, until the script ends, unless it is
mounted()
{
	! grep -q "^[^ ]* $2 $1 " /proc/mounts || return 0
	mount -t "$1" "$1" "$2" 2>/dev/null && echo "$2" >>"$SCRATCH/mounts"
}

# background COMMAND...: until stop_background, or the end of the script. Its id is
# in $!; from a subshell, too, it is known which ones there are.
background()
{
	"$@" &
	echo $! >>"$SCRATCH/pids"
}

wait_background()
{
	wait
	# Such an id may soon be another process.
	: >"$SCRATCH/pids"
}

stop_background()
{
	kill -9 $(cat "$SCRATCH/pids")
	wait_background
} 2>/dev/null

restore()
{
	:
}

clean_up()
{
	{
		stop_background
		# In a shell of its own: what fails there may end it.
		(restore)
		unload_all
		for clean_up_folder in $(cat "$SCRATCH/mounts"); do
			umount "$clean_up_folder" || return
		done
		rm -rf "$SCRATCH"
	} >/dev/null 2>&1
}

# SCRATCH, and that all is undone when the script ends
have_scratch()
{
	SCRATCH=$(mktemp -d) || skip_all "no temporary folder can be made"
	: >"$SCRATCH/pids"
	: >"$SCRATCH/mounts"
	trap clean_up EXIT
	trap 'echo "# interrupted"; exit 1' HUP INT TERM
}

# What must be so before anything can be tested; NEED_DEBUGFS=0: even without debugfs
ready()
{
	[ "$(id -u)" = 0 ] || skip_all "only root can load modules"
	for ready_name in $MODULES; do
		[ ! -d "/sys/module/$ready_name" ] || skip_all "$ready_name is loaded: unload it first"
	done
	have_module wakelat ||
		skip_all "wakelat.ko is not in $WAKELAT_MODULES, and modprobe does not know it"
	have_scratch
	mounted securityfs /sys/kernel/security
	ready_lockdown=$(sed -n 's/.*\[\(.*\)\].*/\1/p' /sys/kernel/security/lockdown 2>/dev/null)
	case $ready_lockdown in
	''|none) ;;
	*) skip_all "the kernel is locked down ($ready_lockdown): controls in debugfs do not open, nor do unsigned modules load" ;;
	esac
	[ "${NEED_DEBUGFS:-1}" = 0 ] || mounted debugfs /sys/kernel/debug ||
		skip_all "debugfs cannot be mounted on /sys/kernel/debug (CONFIG_DEBUG_FS)"
}

# check NAME COMMAND...: one test; what the command prints explains a failure.
check()
{
	check_name=$1
	shift
	tests=$((tests + 1))
	# To a file: who is interrupted must not wait for loads to close a pipe.
	if ("$@") >"$SCRATCH/output" 2>&1; then
		echo "ok $tests - $check_name"
	else
		failures=$((failures + 1))
		sed 's/^/# /' "$SCRATCH/output"
		echo "not ok $tests - $check_name"
	fi
}

skip()
{
	tests=$((tests + 1))
	skips=$((skips + 1))
	echo "ok $tests - $1 # SKIP $2"
}

# Exit status as kselftest has it: 0 pass, 1 fail, 4 nothing but skips.
finish()
{
	if [ "$tests" != "$planned" ]; then
		echo "# planned $planned tests, ran $tests"
		failures=$((failures + 1))
	fi
	echo "# Totals: pass:$((tests - failures - skips)) fail:$failures xfail:0 xpass:0 skip:$skips error:0"
	[ "$failures" = 0 ] || exit 1
	[ "$tests" != "$skips" ] || exit 4
	exit 0
}

# expect WHAT IS WANTED: compare and explain.
expect()
{
	[ "$2" = "$3" ] && return
	echo "$1 is '$2', want '$3'"
	return 1
}

# between WHAT VALUE LEAST MOST
between()
{
	case $2 in ''|*[!0-9]*) echo "$1 is '$2', not a number"; return 1 ;; esac
	[ "$2" -ge "$3" ] && [ "$2" -le "$4" ] && return
	echo "$1 is $2, want $3 to $4"
	return 1
}

# load NAME PARAMETER...
load()
{
	load_name=$1
	shift
	if [ -e "$WAKELAT_MODULES/$load_name.ko" ]; then
		insmod "$WAKELAT_MODULES/$load_name.ko" "$@"
	else
		modprobe "$load_name" "$@"
	fi
}

unload_all()
{
	for unload_name in $MODULES; do
		[ ! -d "/sys/module/$unload_name" ] || rmmod "$unload_name"
	done
}

# threads NAME: kernel threads whose names begin so, a line "PID NAME" each
threads()
{
	for threads_stat in /proc/[0-9]*/stat; do
		sed -n "s/^\([0-9]*\) (\($1[^)]*\)).*/\1 \2/p" "$threads_stat" 2>/dev/null
	done
}

# field NAME: a header field of dump
field()
{
	sed -n "s/^# $1: //p" "$FILES/dump"
}

# sample POPULATION CPU NAME: one number of dump
sample()
{
	awk -v population="$1" -v cpu="$2" -v name="$3" '
		$1 == "samples" { here = $2 == population && $4 == cpu }
		here && $1 == name { print $2 }' "$FILES/dump"
}

# online_cpus: their numbers, a line each
online_cpus()
{
	for online_cpu in /sys/devices/system/cpu/cpu[0-9]*; do
		if [ "$(cat "$online_cpu/online" 2>/dev/null || echo 1)" = 1 ]; then
			echo "${online_cpu##*cpu}"
		fi
	done
}

# measure SECONDS: from empty histograms, and stopped afterwards
measure()
{
	echo 0 >"$FILES/enable" && echo 1 >"$FILES/reset" && echo 1 >"$FILES/enable" &&
		sleep "$1" && echo 0 >"$FILES/enable" && sleep 0.1
}

# new_log COMMAND...: what the command added to the log of the module. A line is
# told once, since insmod of busybox tries twice when it is refused.
new_log()
{
	new_log_before=$(dmesg | wc -l)
	"$@" >/dev/null 2>&1
	dmesg | tail -n +$((new_log_before + 1)) | sed 's/^\[[^]]*\] //' |
		grep '^wakelat: ' | grep -v 'taint[a-z]* kernel' | sort -u
}

# same_at_any_read_size SIZE...: dump, of which each SIZE bytes a read
same_at_any_read_size()
{
	same_whole=$(sha256sum <"$FILES/dump")
	for same_size; do
		expect "dump read by $same_size" \
			"$(dd if="$FILES/dump" bs="$same_size" 2>/dev/null | sha256sum)" \
			"$same_whole" || return
	done
}

[ -n "${READY_LATER:-}" ] || ready
