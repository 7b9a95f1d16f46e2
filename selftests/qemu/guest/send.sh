# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# send NAME FILE: hand a text file to the host under that name.
send()
{
	echo "file $1 $(wc -l <"$2")" >"/dev/$VERDICT"
	cat "$2" >"/dev/$VERDICT"
}
