#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# matrix.sh FOLDER: kernel by model by result, a table in Markdown, from the
# KERNEL-MODE-TEST.tap in FOLDER. A cell is what passed in all modes, "-" if it was not
# run there; what failed or was skipped is added.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"

# ran: a line "KERNEL TEST FILE" each, in the order of the table of runs
ran()
{
	grep -v '^#' "$QEMU_DIR/runs" | while read -r kernel mode tests _; do
		for test in ${tests//,/ }; do
			tap=$1/$kernel-$mode-$test.tap
			[ ! -e "$tap" ] || echo "$kernel $test $tap"
		done
	done
}

# about KERNEL: its release, model and machine
about()
{
	read_kernel "$1"
	machine=virt
	[ -z "$BOARD" ] || machine=NPCM845
	about_release=$(cat "$BUILD/kernels/$1/tree/include/config/kernel.release")
	echo "$1 | $about_release | $MODEL | $machine"
}

ran "$1" >"$1/ran"
awk '{ if (!had[$1]++) print $1 }' "$1/ran" | while read -r kernel; do
	about "$kernel"
done >"$1/about"
awk '
	FILENAME ~ /about$/ {
		name = $1
		kernel[++kernels] = name
		about[name] = $0
		next
	}
	{
		if (!had[$2]++)
			test[++tests] = $2
		cell = $1 " " $2
		ran[cell] = 1
		while ((getline line <$3) > 0) {
			if (line ~ /^1\.\.0 # SKIP/ || line ~ /^ok .*# SKIP/)
				skipped[cell]++
			else if (line ~ /^ok /)
				passed[cell]++
			else if (line ~ /^not ok /)
				failed[cell]++
		}
	}
	END {
		printf "| kernel | release | model | machine |"
		for (t = 1; t <= tests; t++)
			printf " %s |", test[t]
		printf "\n| --- | --- | --- | --- |"
		for (t = 1; t <= tests; t++)
			printf " --- |"
		print ""
		for (k = 1; k <= kernels; k++) {
			printf "| %s |", about[kernel[k]]
			for (t = 1; t <= tests; t++) {
				cell = kernel[k] " " test[t]
				text = cell in ran ? passed[cell] + 0 : "-"
				if (failed[cell])
					text = text ", " failed[cell] " failed"
				if (skipped[cell])
					text = text ", " skipped[cell] " skipped"
				printf " %s |", text
			}
			print ""
		}
	}' "$1/about" "$1/ran"
