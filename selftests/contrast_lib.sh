# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=sh
# What contrast.sh and dynamic.sh share: captures under loads, and what must hold
# between those of two preemption models. Needs lib.sh; runs on busybox.
#
# A build is a folder: LOAD.wakelat (the text of dump) for each of LOADS, and
# "conditions", which tells how all were taken and is written last.
#
# idle  nothing
# hog   a kernel thread on one CPU computes for T, without a scheduling point,
#       a fifth of the time
# tick  the same, but an expiry each 1.3 ticks (below: tick_period_us)
# user  an endless loop in user mode on that CPU

CONTRAST_VERSION=1
LOADS='idle hog tick user'
POPULATIONS='timer/irq timer/rt timer/fair'
FIGURES='p50 p90 p99 p99.9 max'
SECONDS_EACH=${SECONDS_EACH:-10}
HOLD_MS=${HOLD_MS:-100}

work=	# a folder that the caller names

# Most that two figures which are alike may differ, and that a wait may take which
# does not see the hold: T/2, for the noise of a machine. Counted time has none.
tolerance_ns()
{
	echo $(($1 * 1000 / (${COUNTED:-0} == 1 ? 10 : 2)))
}

# The real-time thread, when it wakes, ends the normal thread's wait too: the
# scheduler picks anew after it. An expiry each 1.3 ticks leaves the tick the first
# to come; and those of one thread, 2.6 ticks apart, have five places in a tick.
tick_period_us()
{
	echo $((1300000 / $(field hz)))
}

settings_are_sane()
{
	case $HOLD_MS$SECONDS_EACH$CPU in
	*[!0-9]*) echo "HOLD_MS=$HOLD_MS SECONDS_EACH=$SECONDS_EACH CPU=$CPU: want numbers"; return 1 ;;
	esac
	between HOLD_MS "$HOLD_MS" 20 250 && between SECONDS_EACH "$SECONDS_EACH" 2 3600 || return
	online_cpus | grep -qx "$CPU" || { echo "CPU=$CPU: there is no such CPU online"; return 1; }
	command -v taskset >/dev/null || { echo "no taskset (busybox has one), which the load 'user' needs"; return 1; }
}

# A hold of T, then four times that asleep.
start_load()
{
	case $1 in
	hog|tick)
		load wakelat_hold cpu="$CPU" hold_us=$((HOLD_MS * 1000)) \
			pause_us=$((HOLD_MS * 4000)) kind=loop
		;;
	user)
		background taskset -c "$CPU" sh -c 'while :; do :; done'
		;;
	esac
}

stop_load()
{
	[ ! -d /sys/module/wakelat_hold ] || rmmod wakelat_hold
	stop_background
}

# No load turns interrupts off: what timer/irq sees is noise. Half of what figures
# may differ by leaves the threads as much.
quiet()
{
	between "noise of CPU $CPU: timer/irq's max_ns under $1" "$(sample timer/irq "$CPU" max_ns)" \
		0 $(($(tolerance_ns $((HOLD_MS * 1000))) / 2))
}

# capture_load FOLDER LOAD: with wakelat loaded and stopped
capture_load()
{
	capture_period_us=$(cat $PARAMETERS/period_us)
	if [ "$2" = tick ]; then
		tick_period_us >$PARAMETERS/period_us || return
	fi
	capture_tries=3
	while :; do
		start_load "$2" && sleep 0.5 && measure "$SECONDS_EACH" || return
		stop_load
		# Waits that were under way when it stopped end now.
		sleep 0.5
		! quiet "$2" || break
		capture_tries=$((capture_tries - 1))
		[ $capture_tries != 0 ] || { echo "too noisy for holds of HOLD_MS=$HOLD_MS"; return 1; }
	done
	cat $FILES/dump >"$1/$2.part" && mv "$1/$2.part" "$1/$2.wakelat" &&
		echo "$capture_period_us" >$PARAMETERS/period_us
}

# capture_all FOLDER
capture_all()
{
	rm -f "$1/conditions"
	for capture_name in $LOADS; do
		echo "$capture_name: $SECONDS_EACH s"
		capture_load "$1" "$capture_name" || { stop_load; return 1; }
	done
	cat >"$1/conditions" <<-END
		contrast $CONTRAST_VERSION
		cpu $CPU
		seconds $SECONDS_EACH
		hold_us $((HOLD_MS * 1000))
		pause_us $((HOLD_MS * 4000))
	END
}

# condition FOLDER NAME
condition()
{
	sed -n "s/^$2 //p" "$1/conditions"
}

# header FILE NAME
header()
{
	sed -n "/^samples /q; s/^# $2: //p" "$1"
}

# read_capture N FOLDER LOAD CPU: the figures of that CPU and what tells how they were
# taken, into $work; or what is wrong with the capture. A percentile is its bucket's
# upper bound, as in summary.
read_capture()
{
	awk -v load="$3" -v cpu="$4" -v figures="$work/$1.figures" -v how="$work/$1.how" '
		function bad(text) {
			print FILENAME ": " text
			failed = 1
			exit 1
		}
		function tell(figure, ns) {
			printf "%s %s %s %.0f\n", load, population, figure, ns >>figures
		}
		function percentile(figure, ppm,	rank, seen, i) {
			rank = int((count * ppm + 999999) / 1000000)
			for (i = 1; i < buckets && seen + number[i] < rank; i++)
				seen += number[i]
			tell(figure, upper[i] - 1 < max ? upper[i] - 1 : max)
		}
		function close_record() {
			if (population == "")
				return
			if (sum + over != count)
				bad(population " adds up to " sum + over ", not " count)
			if (here && !count)
				bad(population " of CPU " cpu " has no samples")
			if (here) {
				percentile("p50", 500000)
				percentile("p90", 900000)
				percentile("p99", 990000)
				percentile("p99.9", 999000)
				tell("max", max)
				found++
			}
			population = ""
		}
		BEGIN {
			split("preempt_model: preempt_model_at_start: kernel_release: machine: hz: " \
			      "clocksource: clocksource_hz: cpus: cpus_online: timer: period_us: " \
			      "rt_priority: rt_priority_reached: stagger: task:", names)
			for (i in names)
				wanted[names[i]]
		}
		NR == 1 && $0 != "# wakelat dump 2" { bad("not a wakelat dump of version 2") }
		$1 == "samples" || $1 == "counters" || $1 == "worst" || $1 == "window" || $1 == "#" {
			close_record()
			if ($1 != "#")
				records++
		}
		$1 == "#" && $2 in wanted {
			# Builds may differ in what follows: 6.1.176-rt, 6.1.176+
			if ($2 == "kernel_release:")
				sub(/[^0-9.].*/, "", $3)
			sub(/^# /, "")
			print load " " $0 >>how
		}
		$1 == "samples" {
			population = $2
			here = $4 == cpu && $2 ~ /^timer\//
			buckets = sum = 0
		}
		$1 == "count" { count = $2 }
		$1 == "max_ns" { max = $2 }
		$1 == "over" { over = $2 }
		$1 == "bucket" { upper[++buckets] = $3; number[buckets] = $4; sum += $4 }
		{ last = $0 }
		END {
			if (failed)
				exit 1
			if (last != "# end of " records + 0)
				bad("damaged, the end is missing")
			if (found != 3)
				bad("no timer populations of CPU " cpu)
		}' "$2/$3.wakelat"
}

# figure N LOAD POPULATION FIGURE: of build N
figure()
{
	sed -n "s|^$2 $3 $4 ||p" "$work/$1.figures"
}

# read_build N FOLDER: into $work, N.name, N.model, N.figures and N.how, a line "LOAD
# NAME: VALUE" each; or what is wrong
read_build()
{
	echo "$2" >"$work/$1.name"
	[ -e "$2/conditions" ] || { echo "$2: no conditions: no captures, or they were interrupted"; return 1; }
	sed 's/^\([^ ]*\)/conditions \1:/' "$2/conditions" >"$work/$1.how"
	for read_load in $LOADS; do
		[ -e "$2/$read_load.wakelat" ] || { echo "$2: no $read_load.wakelat"; return 1; }
		read_capture "$1" "$2" "$read_load" "$(condition "$2" cpu)" || return
	done
	sed -n 's/^idle preempt_model: //p' "$work/$1.how" >"$work/$1.model"
	awk -v name="$2" -v model="$(cat "$work/$1.model")" '
		$2 ~ /^preempt_model/ && $3 != model {
			print name "/" $1 ".wakelat: " $2 " " $3 ", that of idle.wakelat is " model
			exit 1
		}' "$work/$1.how"
}

# alike N N: builds whose captures were taken in the same way
alike()
{
	awk -v one="$(cat "$work/$1.name")" -v two="$(cat "$work/$2.name")" -v any_kernel="${any_kernel:-0}" '
		$2 ~ /^preempt_model/ || any_kernel && $2 == "kernel_release:" { next }
		{
			key = $1 ": " $2
			value = $0
			sub(/^[^ ]* [^ ]* ?/, "", value)
			keys[key]
		}
		FNR == NR { first[key] = value }
		FNR != NR { second[key] = value }
		END {
			for (key in keys) {
				if (first[key] == second[key])
					continue
				print "not comparable: " key " \"" first[key] "\" in " one ", \"" second[key] "\" in " two
				if (key ~ /kernel_release/)
					print "(--any-kernel compares them all the same)"
				exit 1
			}
		}' "$work/$1.how" "$work/$2.how"
}

# kind_of MODEL: what ends kernel code that has no scheduling point, for whom
#
# waits  nothing: such code is waited out
# full   any wakeup whose task goes first
# lazy   one of a real-time task; a normal task's only at the next tick, see
#        resched_curr_lazy() and sched_tick() in kernel/sched/core.c
kind_of()
{
	case $1 in
	none|voluntary) echo waits ;;
	full|rt) echo full ;;
	lazy|rt+lazy) echo lazy ;;
	*) echo unknown ;;
	esac
}

# list_pair N MODEL N MODEL: a line "CHECK LESS MODEL MORE MODEL LOAD POPULATION FIGURE"
# for each thing that must hold between two builds; or "# why nothing must"
list_pair()
{
	case $(kind_of "$2")-$(kind_of "$4") in
	full-waits|lazy-waits)
		echo "below $* hog timer/rt p99.9"
		echo "below $* hog timer/rt max"
		echo "alike $* hog timer/irq max"
		;;
	full-lazy)
		echo "alike $* hog timer/rt p99.9"
		echo "alike $* hog timer/rt max"
		echo "alike $* hog timer/irq max"
		echo "tick $* tick timer/fair p90"
		echo "user $* user timer/fair p50"
		;;
	waits-full|waits-lazy|lazy-full)
		list_pair "$3" "$4" "$1" "$2"
		;;
	*unknown*)
		echo "# $2 and $4: nothing to assert, the kernel does not tell its model"
		;;
	*)
		echo "# $2 and $4: nothing to assert, neither must wait for what the other does not"
		;;
	esac
}

# list_all MODEL...: of builds 1, 2 ..., what must hold of each and between all
list_all()
{
	list_one=0
	for list_model; do
		list_one=$((list_one + 1))
		[ "$(kind_of "$list_model")" = unknown ] || echo "alone $list_one $list_model"
		list_two=0
		for list_other; do
			list_two=$((list_two + 1))
			[ $list_two -le $list_one ] || list_pair $list_one "$list_model" $list_two "$list_other"
		done
	done
}

us()
{
	awk -v ns="$1" 'BEGIN { printf "%.1f", ns / 1000 }'
}

# differ N N LOAD POPULATION FIGURE LEAST_NS MOST_NS: how much longer the second waits
differ()
{
	differ_one=$(figure "$1" "$3" "$4" "$5")
	differ_two=$(figure "$2" "$3" "$4" "$5")
	differ_ns=$((differ_two - differ_one))
	[ $differ_ns -ge "$6" ] && [ $differ_ns -le "$7" ] && return
	echo "$3: $4 $5 is $(us "$differ_one") us in $(cat "$work/$1.name") and $(us "$differ_two") us in $(cat "$work/$2.name"):"
	echo "$(us $differ_ns) us more, want $(us "$6") to $(us "$7")"
	return 1
}

# seen N LOAD LEAST_NS MOST_NS: what timer/rt waited at worst
seen()
{
	seen_ns=$(figure "$1" "$2" timer/rt max)
	[ "$seen_ns" -ge "$3" ] && [ "$seen_ns" -le "$4" ] && return
	echo "$(cat "$work/$1.name"), $2: timer/rt waited $(us "$seen_ns") us at worst, want $(us "$3") to $(us "$4")"
	return 1
}

# sees_what_it_must N: a build by itself
sees_what_it_must()
{
	seen "$1" idle 0 $near_ns && seen "$1" user 0 $near_ns || return
	case $(kind_of "$(cat "$work/$1.model")") in
	waits) seen "$1" hog $((hold_ns - near_ns)) $((hold_ns * 2)) ;;
	full|lazy) seen "$1" hog 0 $near_ns ;;
	esac
}

# limits FOLDER HZ: T as FOLDER tells it
limits()
{
	hold_ns=$(($(condition "$1" hold_us) * 1000))
	near_ns=$(tolerance_ns $((hold_ns / 1000)))
	tick_ns=$((1000000000 / $2))
}

late()
{
	[ "$(figure "$1" tick timer/irq p90)" -ge $((tick_ns / 4)) ]
}

# check_all: what list_all wrote to $work/list
check_all()
{
	grep '^#' "$work/list"
	while read -r kind one model two other under population name <&3; do
		case $kind in
		alone)
			check "$model: timer/rt waits for what it must, and for nothing else" \
				sees_what_it_must "$one"
			;;
		below)
			check "$under: $population $name of $model is below that of $other, by the hold" \
				differ "$one" "$two" "$under" "$population" "$name" \
				$((hold_ns - near_ns)) $((hold_ns * 2))
			;;
		alike)
			check "$under: $population $name of $model and of $other are alike" \
				differ "$one" "$two" "$under" "$population" "$name" -$near_ns $near_ns
			;;
		tick)
			title="$under: $population $name of $other is above that of $model, by part of a tick"
			# Held a fifth of the time, p90 is the median of the waits in
			# holds: of five places in a tick, the third.
			if late "$one" || late "$two"; then
				skip "$title" "noise: interrupts come too late to tell a tick"
			else
				check "$title" differ "$one" "$two" "$under" "$population" "$name" \
					$((tick_ns / 4)) $tick_ns
			fi
			;;
		user)
			# The way back to user mode also looks for what is lazy.
			check "$under: $population $name of $other is not above that of $model" \
				differ "$one" "$two" "$under" "$population" "$name" \
				-1000000000 $((tick_ns / 4))
			;;
		esac
	done 3<"$work/list"
}

# table N...: figures of the held CPU. Those of all builds are in the same order.
table()
{
	printf '# Waits on CPU %s, in us\n# %-6s %-10s %-9s' \
		"$(condition "$(cat "$work/1.name")" cpu)" load population model
	printf ' %9s' $FIGURES
	echo '  build'
	for table_build; do
		awk -v model="$(cat "$work/$table_build.model")" -v name="$(cat "$work/$table_build.name")" '
			$3 == "p50" { printf "%d # %-6s %-10s %-9s", NR, $1, $2, model }
			{ printf " %9.1f", $4 / 1000 }
			$3 == "max" { print "  " name }' "$work/$table_build.figures"
	done | sort -s -n -k 1,1 | cut -d ' ' -f 2-
}
