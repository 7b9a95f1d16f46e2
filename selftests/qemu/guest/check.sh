#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Runs the test scripts named in $TESTS (separated by commas) and sends the
# KTAP of each. Passes if all of them pass.

. /guest/send.sh

failed=0
for test in $(echo "$TESTS" | tr , ' '); do
	sh "/selftests/$test.sh" >"/tmp/$test.tap" 2>&1 || failed=1
	cat "/tmp/$test.tap"
	send "$test.tap" "/tmp/$test.tap"
done
exit $failed
