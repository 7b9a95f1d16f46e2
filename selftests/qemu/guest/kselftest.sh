#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs what kselftest.sh of the host installed in /kselftest/SERIES: by the kernel's
# runner of each series, by run.sh under dash, and by hand. Sends their KTAP.

. /guest/send.sh

# As who runs them on a board has it: modules are beside the scripts.
unset WAKELAT_MODULES
# The runner logs to it, and devtmpfs has none.
ln -s /proc/self/fd/1 /dev/stdout
TESTS=/kselftest/6.1/wakelat
failed=0

# check TEXT COMMAND...: what the command prints explains a failure
check()
{
	check_text=$1
	shift
	if "$@" >/tmp/check.log 2>&1; then
		echo "kselftest: ok - $check_text"
	else
		cat /tmp/check.log
		echo "kselftest: not ok - $check_text"
		failed=1
	fi
}

# With all tests in 6.1; in the others, with a pass and a skip
by_runner()
{
	cd "/kselftest/$1" || return
	set -- "$1" -t wakelat:kunit.sh -t wakelat:watch.sh -t wakelat:lockdown.sh
	[ "$1" != 6.1 ] || set -- "$1"
	runner_series=$1
	shift
	# Appended, as the runner opens it anew for what the tests say
	./run_kselftest.sh "$@" >>"/tmp/runner-$runner_series.tap" 2>&1
	runner_status=$?
	cat "/tmp/runner-$runner_series.tap"
	return $runner_status
}

# Also what the scripts start with sh
under_dash()
{
	ln -sf dash /bin/sh
	$TESTS/run.sh >/tmp/all.tap 2>&1
	dash_status=$?
	ln -sf busybox /bin/sh
	cat /tmp/all.tap
	return $dash_status
}

# skips REASON COMMAND...: the script is skipped for that reason
skips()
{
	skips_reason=$1
	shift
	"$@" >/tmp/skips.tap 2>&1
	skips_status=$?
	cat /tmp/skips.tap
	[ $skips_status = 4 ] && grep -q "^1\.\.0 # SKIP .*$skips_reason" /tmp/skips.tap
}

user_keeps_wakelat()
{
	insmod $TESTS/wakelat.ko && skips 'wakelat is loaded: unload it first' $TESTS/timer.sh &&
		grep -q '^# running: 1$' /sys/kernel/debug/wakelat/dump && rmmod wakelat
}

alone()
{
	mkdir -p /tmp/alone && cp $TESTS/timer.sh $TESTS/lib.sh /tmp/alone/ &&
		skips 'wakelat.ko is not in /tmp/alone, and modprobe does not know it' /tmp/alone/timer.sh
}

without_root()
{
	mkdir -p /etc && echo 'nobody:x:65534:65534::/:/bin/sh' >/etc/passwd &&
		skips 'only root' su nobody -c $TESTS/timer.sh
}

# Where it is not mounted, and is not to be had
without_debugfs()
{
	umount /sys/kernel/debug && mkdir -p /tmp/bin && printf 'exit 1\n' >/tmp/bin/mount &&
		chmod 755 /tmp/bin/mount || return
	without_status=0
	PATH=/tmp/bin:$PATH skips 'debugfs cannot be mounted' dash $TESTS/timer.sh || without_status=1
	rm -r /tmp/bin
	mount -t debugfs debugfs /sys/kernel/debug
	return $without_status
}

locked_down()
{
	mount -t tmpfs tmpfs /sys/kernel && mkdir /sys/kernel/security &&
		echo 'none [integrity] confidentiality' >/sys/kernel/security/lockdown || return
	locked_status=0
	skips 'locked down (integrity)' $TESTS/timer.sh || locked_status=1
	umount /sys/kernel
	return $locked_status
}

# state: what tests could leave behind
state()
{
	cut -d" " -f1 /proc/modules
	cat /sys/devices/system/cpu/online /proc/mounts
	ls /tmp
	cat /sys/kernel/tracing/tracing_on 2>/dev/null
	# Not the kernel's own
	for state_process in /proc/[0-9]*; do
		tr '\0' ' ' <"$state_process/cmdline" 2>/dev/null | grep .
	done
}

# interrupted SIGNAL TEXT SECONDS SHELL TEST: so long after it said TEXT; the script
# ends, and leaves nothing. With a "-" before SIGNAL, it is for the process group, as
# from a terminal.
interrupted()
{
	: >/tmp/pid
	: >/tmp/interrupted.tap
	state >/before
	{
		tries=600
		until [ $tries = 0 ] || grep -q "$2" /tmp/interrupted.tap; do
			tries=$((tries - 1))
			sleep 0.05
		done
		sleep "$3"
		case $1 in
		-*) kill "$1" -$(cat /tmp/pid) ;;
		*) kill "-$1" $(cat /tmp/pid) ;;
		esac
	} &
	interrupted_killer=$!
	setsid sh -c "echo \$\$ >/tmp/pid; exec $4 $TESTS/$5.sh" >/tmp/interrupted.tap 2>&1
	interrupted_status=$?
	wait $interrupted_killer
	state >/after
	cat /tmp/interrupted.tap
	[ $interrupted_status = 1 ] && grep -q '^# interrupted' /tmp/interrupted.tap &&
		diff /before /after
}

for series in 6.1 5.10 6.12 7.3; do
	check "by the runner of $series" by_runner $series
	send "runner-$series.tap" "/tmp/runner-$series.tap"
done
check "all of them, under dash" under_dash
send all.tap /tmp/all.tap
cd /
check "by hand, busybox" busybox sh $TESTS/timeline.sh
check "by hand, dash" dash $TESTS/timeline.sh
check "skips when wakelat is loaded, and leaves it alone" user_keeps_wakelat
check "skips without the module" alone
check "skips without root" without_root
check "skips without debugfs" without_debugfs
check "skips in a lockdown" locked_down
for shell in 'busybox sh' dash; do
	# Here CPU 1 is offline,
	check "INT: hotplug, $shell" interrupted INT '^1\.\.' 0.3 "$shell" hotplug
	# here tracing gets stopped,
	check "TERM: worst, $shell" interrupted TERM 'names the culprit' 0.2 "$shell" worst
	# and here are loads, which a shell starts with INT ignored.
	check "HUP to all: watch, $shell" interrupted -HUP 'every term' 0.3 "$shell" watch
	check "INT to all: task, $shell" interrupted -INT 'policies are' 0.6 "$shell" task
	# Once without and once with it
	mount -t tracefs tracefs /sys/kernel/tracing
done
exit $failed
