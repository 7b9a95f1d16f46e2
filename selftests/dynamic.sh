#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-only
# A kernel with PREEMPT_DYNAMIC is switched through its models while it runs: dump
# names each, and what contrast.sh says of builds holds between them.
#
# HOLD_MS, SECONDS_EACH, CPU and COUNTED are those of contrast.sh.

# shellcheck source=selftests/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/contrast_lib.sh
. "$(dirname "$0")/contrast_lib.sh"

SWITCH=${SWITCH:-/sys/kernel/debug/sched/preempt}	# such as "none voluntary (full)"
model_before=
CPU=${CPU:-$(online_cpus | tail -n 1)}

nothing_to_switch()
{
	plan 1
	skip "models can be switched" "$1"
	finish
}

set_model()
{
	sed -n 's/.*(\(.*\)).*/\1/p' "$SWITCH"
}

restore()
{
	[ -z "$model_before" ] || echo "$model_before" >"$SWITCH"
}

# switched N MODEL: to that, and the captures of it are build N
switched()
{
	echo "$2" >"$SWITCH" && expect "$SWITCH" "$(set_model)" "$2" &&
		expect preempt_model "$(field preempt_model)" "$2" || return
	mkdir "$work/$2" && capture_all "$work/$2" && read_build "$1" "$work/$2" &&
		expect "preempt_model of the captures" "$(cat "$work/$1.model")" "$2"
}

# It is told apart whether it was so from the start.
switched_while_measuring()
{
	echo "$1" >"$SWITCH" && echo 1 >$FILES/enable && echo "$2" >"$SWITCH" &&
		expect preempt_model "$(field preempt_model)" "$2" &&
		expect preempt_model_at_start "$(field preempt_model_at_start)" "$1" &&
		grep -q "measuring began under $1" $FILES/summary && echo 0 >$FILES/enable
}

[ -e "$SWITCH" ] || nothing_to_switch "no $SWITCH: no PREEMPT_DYNAMIC or, before 6.15, no SCHED_DEBUG"
models=$(tr -d '()' <"$SWITCH")
# shellcheck disable=SC2086 # a list of words
set -- $models
[ $# -gt 1 ] || nothing_to_switch "this kernel offers $models only"
model_before=$(set_model)
work=$SCRATCH
list_all "$@" >"$work/list"

plan $(($(grep -cv '^#' "$work/list") + $# + 3))
check "settings are sane" settings_are_sane
load wakelat enable=0 task=0
builds=0
for model; do
	builds="$builds $((${builds##* } + 1))"
	check "switched to $model, dump names it" switched "${builds##* }" "$model"
done
check "a switch while measuring is told" switched_while_measuring "$1" "$2"
# Without captures there is nothing to check: a plan that is not kept fails.
[ "$failures" = 0 ] || finish
limits "$work/$1" "$(field hz)"
table ${builds#0 }
check_all
echo "$model_before" >"$SWITCH"
check "the model that was set is set again" expect model "$(field preempt_model)" "$model_before"
finish
