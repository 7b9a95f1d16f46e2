#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Ends in one of the ways ($BREAK) that must not pass for a verdict.

case $BREAK in
silent)
	poweroff -f
	;;
complain)
	echo '<4>WARNING: made up by the test' >/dev/kmsg
	exit 0
	;;
hang)
	sleep 1000
	;;
esac
