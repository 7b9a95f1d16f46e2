# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The tests of contrast.sh and dynamic.sh. check.sh sources this.

CONTRAST=$TOP/selftests/contrast.sh
BUILDS=$OUT/builds

captures_are_taken()
{
	mkdir -p "$BUILDS"
	for contrast_model in none full; do
		boot 6.1-$contrast_model counted4 captures TASK=capture SECONDS_EACH=5
		mkdir "$BUILDS/$contrast_model"
		mv "$OUT/6.1-$contrast_model-counted4-captures"/{*.wakelat,conditions} \
			"$BUILDS/$contrast_model/"
		"$TOOL" check "$BUILDS/$contrast_model"/*.wakelat
	done
}

# compared STATUS TEXT ARGUMENT...: compare ends like that, and says TEXT
compared()
{
	compared_want=$1 compared_text=$2 compared_status=0
	shift 2
	compared_output=$(cd "$BUILDS" && COUNTED=1 dash "$CONTRAST" compare "$@" 2>&1) ||
		compared_status=$?
	printf '%s\n' "$compared_output"
	[ "$compared_status" = "$compared_want" ] || { echo "status $compared_status"; return 1; }
	grep -qF -- "$compared_text" <<<"$compared_output"
}

# mutant NAME BUILD SED FILE...: BUILD under NAME, with some of its files changed
mutant()
{
	mutant_name=$1 mutant_of=$2 mutant_sed=$3
	shift 3
	rm -rf "${BUILDS:?}/$mutant_name"
	cp -r "$BUILDS/$mutant_of" "$BUILDS/$mutant_name"
	for mutant_file; do
		sed -i "$mutant_sed" "$BUILDS/$mutant_name/$mutant_file"
		! cmp -s "$BUILDS/$mutant_of/$mutant_file" "$BUILDS/$mutant_name/$mutant_file"
	done
}

ALL_LOADS='idle.wakelat hog.wakelat tick.wakelat user.wakelat'

# model NAME BUILD MODEL: BUILD that says it is another model
model()
{
	# shellcheck disable=SC2086 # a list of words
	mutant "$1" "$2" "s/^# \(preempt_model.*\): .*/# \1: $3/" $ALL_LOADS
}

models_contrast()
{
	compared 0 '# Totals: pass:5 fail:0 ' none full
	compared 0 'ok 2 - hog: timer/rt p99.9 of full is below that of none, by the hold' full none
}

# busybox's shell and awk read and say the same as dash and mawk
board_says_the_same()
{
	mkdir -p "$OUT/captures-root/captures"
	cp -r "$BUILDS"/{none,full} "$OUT/captures-root/captures/"
	"$QEMU_DIR/initramfs.sh" "$OUT/compare.gz" "$OUT/captures-root"
	"$QEMU_DIR/boot.sh" "$BUILD/kernels/6.1-full" "$OUT/compare.gz" counted1 \
		"$OUT/compare" TASK=compare
	compared 0 'KTAP' none full
	diff - "$OUT/compare/compare.txt" <<<"$compared_output"
}

# With one CPU, the figures are those that the tool finds.
figures_are_right()
{
	boot 6.1-full counted1 captures TASK=capture SECONDS_EACH=2
	figures_one=$OUT/6.1-full-counted1-captures
	compared 4 SKIP "$figures_one" "$figures_one"
	for figures_load in idle hog tick user; do
		for figures_of in irq rt fair; do
			figures_want=$(for figures_name in p50 p99 p99.9 max; do
				"$TOOL" get "$figures_one/$figures_load.wakelat" \
					timer/$figures_of $figures_name
			done | awk '{ printf " %.1f", $1 / 1000 }')
			awk -v load=$figures_load -v population=timer/$figures_of -v want="$figures_want" '
				$2 == load && $3 == population && " " $5 " " $7 " " $8 " " $9 == want { found++ }
				END { if (found != 2) { print load, population, "want" want; exit 1 } }' \
				<<<"$compared_output"
		done
	done
}

nothing_to_contrast()
{
	compared 4 '# SKIP nothing to assert between full full' full full
	model voluntary none voluntary
	compared 4 '# SKIP nothing to assert between none voluntary' none voluntary
	model unknown none unknown
	compared 4 'does not tell its model' unknown full
}

# What a model does not do is noticed, whatever its captures say.
wrong_model_fails()
{
	model says-full none full
	model says-none full none
	compared 1 'not ok 2 - hog: timer/rt p99.9 of full is below' says-full says-none
	compared 1 'not ok 2 - hog: timer/rt p99.9 of full is below' says-full none
	compared 1 'not ok 2 - full: timer/rt waits for what it must' full says-full
	mutant hog-says-full none 's/^# \(preempt_model.*\): .*/# \1: full/' hog.wakelat
	compared 1 'hog.wakelat: preempt_model: full, that of idle.wakelat is none' hog-says-full full
	# A full that says it is lazy lets no normal task wait for the tick.
	model says-lazy full lazy
	compared 1 'not ok 5 - tick: timer/fair p90 of lazy is above that of full' full says-lazy
	# And those that are bound to be wrong in one number.
	mutant late-irq full '/^samples timer.irq cpu 3/,/^over/s/^max_ns .*/max_ns 90000000/' hog.wakelat
	compared 1 'not ok 4 - hog: timer/irq max of full and of none are alike' none late-irq
	mutant late-idle full '/^samples timer.rt cpu 3/,/^over/s/^max_ns .*/max_ns 90000000/' idle.wakelat
	compared 1 'not ok 5 - full: timer/rt waits for what it must' none late-idle
	# Two of a model are no skip if one of them is not that.
	compared 1 'not ok' full full late-idle
}

# A mutant that passes for lazy: its normal thread waits half a tick.
lazy_is_known()
{
	model lazy full lazy
	mutant waits lazy '/^samples timer.fair cpu 3/,/^samples/s/^bucket [0-9]* [0-9]* /bucket 1966080 2031616 /
		/^samples timer.fair cpu 3/,/^over/s/^max_ns .*/max_ns 2000000/' tick.wakelat
	compared 0 'ok 5 - tick: timer/fair p90 of lazy is above that of full' full waits
	compared 0 'hog: timer/rt max of lazy is below that of none' none waits
	compared 0 '# Totals: pass:14' none full waits
	# Two ticks are too long.
	mutant waits lazy '/^samples timer.fair cpu 3/,/^samples/s/^bucket [0-9]* [0-9]* /bucket 7864320 8126464 /
		/^samples timer.fair cpu 3/,/^over/s/^max_ns .*/max_ns 8000000/' tick.wakelat
	compared 1 'not ok 5 - tick' full waits
}

unlike_is_refused()
{
	for unlike_name in machine hz clocksource cpus period_us rt_priority; do
		mutant unlike full "s/^# $unlike_name: .*/# $unlike_name: 77/" hog.wakelat
		compared 1 "not comparable: hog: $unlike_name: \"" none unlike
		grep -q "in none, \"77\" in unlike" <<<"$compared_output"
	done
	for unlike_name in seconds hold_us pause_us; do
		mutant unlike full "s/^$unlike_name .*/$unlike_name 77/" conditions
		compared 1 "not comparable: conditions: $unlike_name: \"" none unlike
		grep -q "in none, \"77\" in unlike" <<<"$compared_output"
	done
	mutant unlike full 's/^cpu .*/cpu 0/' conditions
	compared 1 'conditions: cpu: "3" in none, "0" in unlike' none unlike
	# shellcheck disable=SC2086 # a list of words
	mutant unlike full 's/^# kernel_release: .*/# kernel_release: 6.12.9-77/' $ALL_LOADS
	compared 1 'kernel_release: "6.1.176" in none, "6.12.9" in unlike' none unlike
	compared 0 pass:5 --any-kernel none unlike
	# shellcheck disable=SC2086 # a list of words
	mutant unlike full 's/^# kernel_release: .*/&-rt77/' $ALL_LOADS
	compared 0 pass:5 none unlike
}

damage_is_refused()
{
	mutant damaged full '$d' user.wakelat
	compared 1 'damaged/user.wakelat: damaged, the end is missing' none damaged
	mutant damaged full '0,/^bucket /{/^bucket /d}' hog.wakelat
	compared 1 'damaged/hog.wakelat: timer/irq adds up to' none damaged
	mutant damaged full '0,/^samples timer.rt cpu 3/s/^samples timer.rt cpu 3/samples timer\/rt cpu 9/' hog.wakelat
	compared 1 'no timer populations of CPU 3' none damaged
	mutant damaged full '1s/2/1/' idle.wakelat
	compared 1 'damaged/idle.wakelat: not a wakelat dump of version 2' none damaged
	mutant damaged full 's/^# preempt_model_at_start: .*/# preempt_model_at_start: none/' tick.wakelat
	compared 1 'tick.wakelat: preempt_model_at_start: none, that of idle.wakelat is full' none damaged
	rm "$BUILDS/damaged/idle.wakelat"
	compared 1 'damaged: no idle.wakelat' none damaged
	rm "$BUILDS/damaged/conditions"
	compared 1 'damaged: no conditions' none damaged
	compared 1 'nowhere: no conditions' nowhere damaged
	compared 2 usage none
	compared 2 usage --all none full
}

one_model_skips()
{
	boot 6.1-full counted1 dynamic TASK=dynamic SWITCHABLE=0
	grep 'SKIP no /sys/kernel/debug/sched/preempt' "$OUT/6.1-full-counted1-dynamic/dynamic.tap"
}

model_is_set_back()
{
	boot 6.1-dynamic counted4 interrupted TASK=dynamic SECONDS_EACH=5
}

try "contrast.sh: captures of two builds are taken" captures_are_taken
try "contrast.sh: none and full contrast" models_contrast
try "contrast.sh: a board says the same of captures" board_says_the_same
try "contrast.sh: figures are those of the tool" figures_are_right
try "contrast.sh: without a contrast it is a skip" nothing_to_contrast
try "contrast.sh: captures of a wrong model fail" wrong_model_fails
try "contrast.sh: lazy waits for the tick, and no longer" lazy_is_known
try "contrast.sh: what does not compare is refused" unlike_is_refused
try "contrast.sh: what is damaged is refused" damage_is_refused
try "dynamic.sh: a kernel with one model is a skip" one_model_skips
try "dynamic.sh: interrupted, it sets the model back" model_is_set_back
