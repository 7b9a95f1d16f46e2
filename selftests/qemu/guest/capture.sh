#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Takes the captures of contrast.sh as one does on a board, and sends them.

. /guest/send.sh

sh /selftests/contrast.sh capture /tmp/captures || exit 1
for file in /tmp/captures/*; do
	send "${file##*/}" "$file"
done
