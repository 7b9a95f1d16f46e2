#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ends in one of the ways ($BREAK) that must not pass for a verdict.

. /guest/send.sh

case $BREAK in
silent)
	poweroff -f
	;;
complain)
	echo '<4>WARNING: made up by the test' >/dev/kmsg
	exit 0
	;;
after)
	# All is well, and then the kernel complains.
	printf '1..1\nok 1 - a\n' >/tmp/a.tap
	send a.tap /tmp/a.tap
	echo '<4>BUG: made up by the test' >/dev/kmsg
	exit 0
	;;
cut)
	printf 'file a.tap 3\n1..1\nok 1 - a\n' >"/dev/$VERDICT"
	exit 0
	;;
hang)
	sleep 1000
	;;
esac
