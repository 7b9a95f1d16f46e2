#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Compares the captures in /captures, as a board can, and sends what it says.

. /guest/send.sh

cd /captures || exit 1
sh /selftests/contrast.sh compare none full >/tmp/compare.txt
status=$?
send compare.txt /tmp/compare.txt
exit $status
