#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A CPU is held for a known time, in each way that a kernel has: who must see it,
# under the preemption model of this kernel? truth-table tells.
#
# HOLD_MS (default 100, in counted time 50) is the length of one hold; from 50 on it is
# longer than what the scheduler may let a normal thread wait. COUNTED=1 says that time
# is counted, so that a tenth of the hold is all that the machine may add to a wait. Else, on a
# free-running emulator or real hardware, it is a half, and where somebody waited
# longer than is told it is measured anew, three times in all, for it may have been
# chance: a bug has no luck three times. Too short a wait is no chance.
# KINDS=loop,irqs runs these kinds only. EXPECT_MODEL is the model that this kernel
# was built with. IDLE_OVERSLEEPS=1 says that this machine may leave idle CPUs asleep
# while one spins with interrupts off, as QEMU does in counted time with several CPUs:
# they were found in the idle instruction, past their timers.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

TABLE=$(dirname "$0")/truth-table
if [ "${COUNTED:-0}" = 1 ]; then
	HOLD_MS=${HOLD_MS:-50}
	HOLD_NS=$((HOLD_MS * 1000000))
	NOISE_NS=$((HOLD_NS / 10))
	TRIES=1
else
	HOLD_MS=${HOLD_MS:-100}
	HOLD_NS=$((HOLD_MS * 1000000))
	NOISE_NS=$((HOLD_NS / 2))
	TRIES=3
fi
# Three holds of 100 ms with their pauses, or six of 50.
MEASURE_MS=1500
CPU=$(online_cpus | tail -n 1)
user_pid=

# rows: "kind population cell" for each that applies to this kernel and to KINDS
rows()
{
	awk -v release="$release" -v model="$model" -v kinds="${KINDS:-}" '
		function number(version, part) {
			split(version, part, ".")
			return part[1] * 1000 + part[2]
		}
		$1 == "hold" { for (i = 4; i <= NF; i++) column[$i] = i }
		$1 == "bound" { exit }
		$2 !~ "^timer/" || !(model in column) { next }
		kinds != "" && index("," kinds ",", "," $1 ",") == 0 { next }
		number($3) > number(release) { next }
		{
			if (!($1 " " $2 in cell))
				order[++n] = $1 " " $2
			cell[$1 " " $2] = $column[model]
		}
		END { for (i = 1; i <= n; i++) print order[i], cell[order[i]] }' "$TABLE"
}

# bound_ns slice|lazy
bound_ns()
{
	awk -v release="$release" -v bound="$1" -v hz="$(field hz)" \
			-v cpus="$(online_cpus | wc -l)" '
		function number(version, part) {
			split(version, part, ".")
			return part[1] * 1000 + part[2]
		}
		$1 == bound && NF == 4 && number($2) <= number(release) { us = $3; ticks = $4 }
		END {
			factor = cpus >= 8 ? 4 : cpus >= 4 ? 3 : cpus >= 2 ? 2 : 1
			if (us)
				printf "%d\n", us * 1000 * factor + ticks * 1000000000 / hz
		}' "$TABLE"
}

# at_most POPULATION CELL: it was measured, and no wait is longer than is told
at_most()
{
	case $2 in
	hidden) told_most=$NOISE_NS ;;
	slice|lazy) told_most=$(($(bound_ns "$2") + NOISE_NS)) ;;
	seen|any) told_most=$((HOLD_NS * 2)) ;;
	*) echo "truth-table says '$2'"; return 1 ;;
	esac
	between "longest of $1 on CPU $CPU" "$(sample "$1" "$CPU" max_ns)" 1 $told_most
}

# as_told POPULATION CELL
as_told()
{
	at_most "$@" || return
	[ "$2" != seen ] || between "longest of $1 on CPU $CPU" \
		"$(sample "$1" "$CPU" max_ns)" $((HOLD_NS / 10 * 9)) $((HOLD_NS * 2))
}

others_do_not_see()
{
	for cpu in $(online_cpus); do
		[ "$cpu" != "$CPU" ] || continue
		for population in timer/irq timer/rt timer/fair; do
			between "longest of $population on CPU $cpu" \
				"$(sample $population "$cpu" max_ns)" 1 $NOISE_NS || return
		done
	done
}

nothing_is_seen()
{
	for population in timer/irq timer/rt timer/fair; do
		as_told $population hidden || return
	done
	others_do_not_see
}

# worst POPULATION NAME: of the longest wait on the CPU, what NAME says
worst()
{
	awk -v population="$1" -v cpu="$CPU" -v name="$2" '
		$1 == "worst" { here = $2 == population && $4 == cpu; next }
		/^(samples|counters|window)/ { here = 0 }
		here && $1 == "wait_ns" && ++waits > 1 { exit }
		here && $1 == name { sub(/^[^ ]* /, ""); print }' $FILES/dump
}

# names_culprit KIND POPULATION
names_culprit()
{
	expect "who was found" "$(worst "$2" instead | cut -d' ' -f4)" wakelat_hold || return
	[ "$(worst "$2" found_in)" = kernel ] || return 0
	! worst "$2" stack | grep -q "^hold_$1+" || return 0
	echo "no hold_$1 in the stack:"
	worst "$2" stack
	return 1
}

# held_expiries: how many expiries of one thread fell into holds, which take up
# a fifth of the time
held_expiries()
{
	echo $(($(field span_ns) / 5 / ($(field period_us) * 2000)))
}

# missed_as_told CELL: of timer/rt, in tenths of the expiries in holds. The machine may
# add what it made interrupts miss, which come for both threads in turns: in counted
# time that is nothing.
missed_as_told()
{
	case $1 in
	seen) told_least=7 told_most=13 ;;
	hidden) told_least=0 told_most=$((NOISE_NS * 10 / HOLD_NS)) ;;
	esac
	between "missed of timer/rt" "$(sample timer/rt "$CPU" missed)" \
		$(($(held_expiries) * told_least / 10)) \
		$(($(held_expiries) * told_most / 10 + $(sample timer/irq "$CPU" missed) / 2))
}

# What each missed period waited: with waits of T, T-2, T-4 ... ms, of those
# longer than T/10 half are longer than 0.55 T.
samples_spread()
{
	awk -v cpu="$CPU" -v hold=$HOLD_NS '
		$1 == "samples" { here = $2 == "timer/rt" && $4 == cpu }
		here && $1 == "bucket" && $2 > hold / 10 { all += $4 }
		here && $1 == "bucket" && $2 > hold * 0.55 { long += $4 }
		END {
			if (long * 3 > all && long * 3 < all * 2)
				exit 0
			print long " of " all " waits are in the longer half"
			exit 1
		}' $FILES/dump
}

begin_hold()
{
	if [ "$1" = user ]; then
		taskset "$(printf %x $((1 << CPU)))" sh -c 'while :; do :; done' &
		user_pid=$!
	else
		load wakelat_hold cpu="$CPU" hold_us=$((HOLD_NS / 1000)) \
			pause_us=$((HOLD_NS * 4 / 1000)) kind="$1"
	fi
}

end_hold()
{
	if [ -n "$user_pid" ]; then
		kill -9 "$user_pid"
		wait "$user_pid"
		user_pid=
	elif [ -d /sys/module/wakelat_hold ]; then
		rmmod wakelat_hold
	fi 2>/dev/null
}

# held_ms KIND: how long it has been held so far
held_ms()
{
	if [ "$1" = user ]; then
		# In hundredths of a second, by the user and by the kernel for it.
		awk '{ print ($14 + $15) * 10 }' "/proc/$user_pid/stat"
	else
		echo $(($(cat /sys/module/wakelat_hold/parameters/holds) * HOLD_MS))
	fi
}

# What hides a hold is not that there was none: a fifth of the time, but for one.
was_held()
{
	was_least=$((MEASURE_MS / 5 - HOLD_MS))
	[ "$1" != user ] || was_least=$((MEASURE_MS / 2))
	between "milliseconds held" $held $was_least 100000
}

# measure_until COMMAND...: a wait that is too long may be noise
measure_until()
{
	until_left=$TRIES
	while :; do
		[ -z "$kind" ] || held=$(held_ms "$kind")
		measure $((MEASURE_MS / 1000)).$((MEASURE_MS % 1000))
		[ -z "$kind" ] || held=$(($(held_ms "$kind") - held))
		until_left=$((until_left - 1))
		[ $until_left != 0 ] && ! "$@" >/dev/null || break
	done
}

# quiet KIND: nobody waited longer, or more often, than is told
quiet()
{
	others_do_not_see || return
	while read -r quiet_kind quiet_population quiet_cell; do
		[ "$quiet_kind" = "$1" ] || continue
		at_most "$quiet_population" "$quiet_cell" || return
		[ "$1 $quiet_population" != 'loop timer/rt' ] ||
			missed_as_told "$quiet_cell" || return
	done <<-END
		$told
	END
}

# check_kind KIND: what the table tells of it
check_kind()
{
	check "$1: it held" was_held "$1"
	while read -r row_kind population cell; do
		[ "$row_kind" = "$1" ] || continue
		check "$1: $population under $model: $cell" as_told "$population" "$cell"
		case $population,$cell in
		timer/irq,seen|timer/rt,seen)
			check "$1: $population under $model: names the culprit" \
				names_culprit "$1" "$population"
			;;
		esac
		[ "$1 $population" = 'loop timer/rt' ] || continue
		check "loop: timer/rt under $model: missed periods are counted" \
			missed_as_told "$cell"
		[ "$cell" != seen ] || check \
			"loop: timer/rt under $model: each missed period is a sample of its own length" \
			samples_spread
	done <<-END
		$told
	END
	if [ "$1,${IDLE_OVERSLEEPS:-0}" = irqs,1 ]; then
		skip "$1: other CPUs do not see it" "idle CPUs oversleep on this machine"
	else
		check "$1: other CPUs do not see it" others_do_not_see
	fi
}

model_is_told()
{
	expect "the model" "$model" "${EXPECT_MODEL:-$model}" || return
	[ -n "$told" ] && return
	echo "truth-table has nothing on $model, or not on ${KINDS:-it}"
	return 1
}

# count REGEX: of the rows that are told
count()
{
	printf '%s\n' "$told" | grep -cE "$1"
}

clean_up()
{
	end_hold
	unload_all >/dev/null 2>&1
}

trap clean_up EXIT
trap 'exit 1' HUP INT TERM
load wakelat
model=$(field preempt_model)
release=$(field kernel_release)
told=$(rows)
kinds=$(printf '%s\n' "$told" | cut -d' ' -f1 | uniq)

# A row is a check, and one more where the culprit is to be named; each kind has two
# more, and loop one or two.
plan $((2 + $(count timer/) + $(count 'timer/(irq|rt) seen') + 2 * $(count timer/irq) +
	$(count 'loop timer/rt') + $(count 'loop timer/rt seen')))
trap clean_up EXIT

check "the table tells of the model $model" model_is_told
for kind in $kinds; do
	echo 0 >$FILES/enable
	begin_hold "$kind"
	measure_until quiet "$kind"
	check_kind "$kind"
	end_hold
done
kind=
measure_until nothing_is_seen
check "nothing is seen when nothing holds" nothing_is_seen
finish
