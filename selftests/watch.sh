#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# Watches: each rule counts the tasks that it names, reads back as it can be
# written, and one that is refused changes nothing.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"

CGROUP=$SCRATCH/cgroup

restore()
{
	rmdir $CGROUP/a/b $CGROUP/a $CGROUP/c
}

# watched NAME: wakeups over all CPUs
watched()
{
	awk -v population="watch/$1/wakeup" '
		$1 == "samples" { here = $2 == population }
		here && $1 == "count" { n += $2 }
		END { print n + 0 }' $FILES/dump
}

none()
{
	for none_name in $(cut -d' ' -f1 $FILES/watch); do
		printf "%s\n" "-$none_name" >$FILES/watch || return
	done
	expect watches "$(cat $FILES/watch)" ""
}

# wake: 200 wakeups of wakelat_slpr, counted from zero
wake()
{
	echo 1 >$FILES/reset && echo 1 >$FILES/enable &&
		echo 1 >/sys/module/wakelat_wake/parameters/go && echo 0 >$FILES/enable
}

reads_back_as_input()
{
	rules='a comm=wakelat_*
b tid=1
c pid=1 policy=fair
d policy=rt prio=0-50
e comm=k?o* prio=100-139'
	echo "$rules" >$FILES/watch && expect watches "$(cat $FILES/watch)" "$rules" || return
	# Written again it is the same, and so it is after it was taken away.
	cat $FILES/watch >"$SCRATCH/rules" && cat "$SCRATCH/rules" >$FILES/watch &&
		expect watches "$(cat $FILES/watch)" "$rules" && none &&
		cat "$SCRATCH/rules" >$FILES/watch && expect watches "$(cat $FILES/watch)" "$rules" && none
}

every_term_selects()
{
	tid=$(grep -l '^wakelat_slpr$' /proc/[0-9]*/comm | sed 's,/proc/\([0-9]*\)/.*,\1,')
	printf '%s\n' 'glob comm=wakelat_s*' 'exact comm=wakelat_slpr' 'quest comm=wakelat?slpr' \
		'other comm=wakelat_slp' "tid tid=$tid" "pid pid=$tid" 'fair comm=wakelat_slpr policy=fair' \
		'rt comm=wakelat_slpr policy=rt' 'prio comm=wakelat_slpr prio=120' \
		'prios comm=wakelat_slpr prio=100-139' 'rtprios comm=wakelat_slpr prio=0-99' >$FILES/watch &&
		wake || return
	for name in glob exact quest tid pid fair prio prios; do
		expect "wakeups of $name" "$(watched $name)" 200 || return
	done
	for name in other rt rtprios; do
		expect "wakeups of $name" "$(watched $name)" 0 || return
	done
	none
}

# All threads of a process by its process id, one by its thread id: kernel
# threads are processes of their own, so that a shell with its parent will do.
two_rules_both_count()
{
	printf '%s\n' 'one comm=wakelat_slpr' 'two policy=fair comm=wakelat_slpr' >$FILES/watch &&
		wake && expect one "$(watched one)" 200 && expect two "$(watched two)" 200 && none
}

# What was worked out for a task is forgotten when it changes.
change_is_noticed()
{
	background sh -c 'while :; do usleep 1000 2>/dev/null || sleep 0.001; done'
	changed=$!
	printf '%s\n' "low tid=$changed prio=120" "high tid=$changed prio=130-139" >$FILES/watch
	echo 1 >$FILES/reset && echo 1 >$FILES/enable
	sleep 0.3
	renice -n 15 -p $changed >/dev/null
	low=$(watched low)
	sleep 0.3
	low_after=$(watched low)
	high=$(watched high)
	echo 0 >$FILES/enable
	stop_background
	between "wakeups before" "$low" 5 100000 && between "more of the old" $((low_after - low)) 0 2 &&
		between "wakeups after" "$high" 5 100000 && none
}

takes_away_one()
{
	printf '%s\n' 'one comm=wakelat_slpr' 'two comm=wakelat_slpr' >$FILES/watch && wake &&
		echo -one >$FILES/watch && expect watches "$(cat $FILES/watch)" 'two comm=wakelat_slpr' &&
		expect "what the other has counted" "$(watched two)" 200 && none
}

sixteen_and_no_more()
{
	n=0
	while [ $n -lt 16 ]; do
		echo "w$n comm=wakelat_slpr" >$FILES/watch || return
		n=$((n + 1))
	done
	refused 'w16 comm=x' 'there are 16 watches already (error -28)' && wake || return
	for n in 0 7 15; do
		expect "wakeups of w$n" "$(watched w$n)" 200 || return
	done
	none
}

# refused TEXT LOG: the write fails, says LOG, and changes nothing
refused()
{
	refused_before=$(cat $FILES/watch)
	refused_log=$(new_log sh -c "printf '%s' '$1' >$FILES/watch")
	case $refused_log in
	*"$2"*) ;;
	*) echo "'$1' says '$refused_log', want '$2'"; return 1 ;;
	esac
	expect "watches after '$1'" "$(cat $FILES/watch)" "$refused_before"
}

bad_rules_are_refused()
{
	echo 'good comm=x' >$FILES/watch &&
	refused 'name' 'column 5 of "name": want a term after the name (error -22)' &&
	refused 'na-me comm=x' 'column 1' && refused 'averylongname1 comm=x' 'column 1' &&
	refused 'a comm=' 'column 3' && refused 'a  foo=1' 'column 4' &&
	refused 'a tid=0' 'want a number from 1 to 4194304 (error -34)' &&
	refused 'a tid=1x' '(error -22)' && refused 'a tid=99999999999' '(error -34)' &&
	refused 'a comm=x prio=50-40' 'column 10' && refused 'a prio=140' '(error -34)' &&
	refused 'a policy=deadline' 'want dl, rt, fair, ext or idle (error -22)' &&
	refused 'a tid=4000000' 'no such task (error -3)' &&
	refused 'a cgroup=relative' 'column 3' &&
	refused 'good comm=y' 'there is another watch of that name (error -17)' &&
	refused '-nobody' 'no watch of that name (error -2)' && none
}

# Of several lines none counts if one is bad.
all_or_nothing()
{
	echo 'old comm=x' >$FILES/watch &&
	refused 'new comm=y
-old
bad' 'line 3, column 4 of "bad"' && none
}

cgroups_select()
{
	mkdir $CGROUP && mounted cgroup2 $CGROUP && mkdir -p $CGROUP/a/b $CGROUP/c || return
	refused 'x cgroup=/nowhere' 'no such cgroup (error -2)' || return
	background sh -c 'while :; do usleep 1000 2>/dev/null || sleep 0.001; done'
	inside=$!
	echo $inside >$CGROUP/a/b/cgroup.procs
	printf '%s\n' "a tid=$inside cgroup=/a" "ab tid=$inside cgroup=/a/b" "c tid=$inside cgroup=/c" >$FILES/watch
	echo 1 >$FILES/reset && echo 1 >$FILES/enable && sleep 0.2 && echo 0 >$FILES/enable
	first="$(watched a) $(watched ab) $(watched c)"
	echo $inside >$CGROUP/c/cgroup.procs
	echo 1 >$FILES/enable && sleep 0.2 && echo 0 >$FILES/enable
	second="$(watched a) $(watched ab) $(watched c)"
	stop_background
	none && rmdir $CGROUP/a/b $CGROUP/a $CGROUP/c || return
	set -- $first $second
	between "in a" "$1" 5 100000 && between "in a/b" "$2" 5 100000 && expect "in c" "$3" 0 &&
		between "more in a after it left" $(($4 - $1)) 0 2 && between "in c" "$6" 5 100000
}

load wakelat enable=0 timer=0 || load wakelat enable=0
if [ "$(field task)" != on ]; then
	skip_all "this kernel has no tracepoints"
fi
plan 11
load wakelat_wake count=200
check "reads back as it can be written" reads_back_as_input
check "every term selects" every_term_selects
check "a task that two rules name counts in both" two_rules_both_count
check "a change of a task is noticed" change_is_noticed
check "one is taken away, the others keep their counts" takes_away_one
check "sixteen, and no more" sixteen_and_no_more
check "bad rules are refused with their column" bad_rules_are_refused
check "all lines of a write or none" all_or_nothing
if grep -q cgroup2 /proc/filesystems; then
	check "cgroups select, with what is below them" cgroups_select
else
	skip "cgroups select, with what is below them" "no cgroups"
fi
check "summary shows a watch" sh -c "echo 'shown comm=wakelat_slpr' >$FILES/watch && grep -q '^shown/wakeup ' $FILES/summary"
check "unloads with a watch" rmmod wakelat_wake wakelat
finish
