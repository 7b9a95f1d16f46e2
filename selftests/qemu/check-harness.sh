# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# The harness itself: what must not pass does not. check.sh sources this.

never_a_verdict()
{
	refused "its verdict is ''" boot 6.1-full counted1 silent TASK=broken BREAK=silent
	refused 'Kernel panic' boot 6.1-full counted1 panic rdinit=/guest/send.sh
	refused "'verdict: fail'" boot 6.1-full counted1 warn TASK=broken BREAK=complain
	refused "'verdict: fail'" boot 6.1-full counted1 after TASK=broken BREAK=after
	refused "its verdict is ''" boot 6.1-full counted1 cut TASK=broken BREAK=cut
	refused "'verdict: fail'" boot 6.1-full counted1 missing TASK=no-such-task
	WAKELAT_BOOT_SECONDS=10 refused 'still running after 10 s' \
		boot 6.1-full free hang TASK=broken BREAK=hang
}

# What Kconfig drops is noticed.
wrong_model()
{
	cat >"$QEMU_DIR/kernels/wrong-model" <<-'END'
		ABOUT="asks for what it does not configure" SERIES=6.1 SUITE=bookworm
		BOARD=npcm845 MODEL=full CONFIG="base tracing kunit none"
	END
	wrong_status=0
	refused 'is not the kernel that was asked for' "$QEMU_DIR/kernel.sh" wrong-model || wrong_status=1
	rm -f "$QEMU_DIR/kernels/wrong-model"
	return $wrong_status
}

bad_places()
{
	refused 'with a space' env WAKELAT_CACHE="$OUT/a b" "$QEMU_DIR/kernel.sh" 6.1-none
	mkdir -p "$OUT/a b/selftests"
	cp "$TOP/Makefile" "$OUT/a b/"
	refused 'with a space' make -C "$OUT/a b" check
	refused 'there are: 5.10-arm64' "$QEMU_DIR/kernel.sh" 6.1-nome
	refused 'no kernel build tree' make -C "$TOP" module KDIR=/nowhere
}

# not_passed REASON LOG: such a log does not pass, for that reason
not_passed()
{
	printf "$2" >"$OUT/fake.log"
	refused "$1" "$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT/fake.log"
}

# What must not count as passed does not.
judging_is_strict()
{
	printf '1..2\nok 1 - a\n  not ok 1 - of a subtest\nok 2 - b\n' >"$OUT/fake.log"
	[ "$("$QEMU_DIR/total.sh" "$QEMU_DIR/expected-skips" "$OUT/fake.log")" = '2 passed, 0 failed, 0 skipped' ]
	not_passed 'has 0 plans' 'ok 1 - a\n'
	not_passed 'planned 2 and ran 1' '1..2\nok 1 - a\n'
	not_passed 'planned 1 and ran 2' '1..1\nok 1 - a\nok 2 - b\n'
	not_passed 'not ok 2' '1..1\nok 1 - a\nnot ok 2 - b\n'
	not_passed 'has 2 plans' '1..1\nok 1 - a\n1..1\n'
	not_passed 'must not be skipped' '1..1\nok 1 - a # SKIP\n'
	not_passed 'must not be skipped' '1..0 # SKIP no root\n'
	not_passed 'plans nothing' '1..0\n'
	not_passed 'end of a line' '1..2\nok 1 - a\nok 2 - '
	not_passed 'end of a line' ''
	not_passed 'Oops' '1..1\nok 1 - a\n[ 1.0] Internal error: Oops: 96000004\n'
	not_passed 'Bail out!' '1..1\nok 1 - a\nBail out!\n'
	# All that passes is a skip that is expected: still nothing was tested.
	printf 'fake.log a\n' >"$OUT/fake-skips"
	printf '1..1\nok 1 - a # SKIP why\n' >"$OUT/fake.log"
	refused '0 passed, 0 failed, 1 skipped' "$QEMU_DIR/total.sh" "$OUT/fake-skips" "$OUT/fake.log"
}

try "harness: what must not count as passed does not" judging_is_strict
try "harness: no verdict is a failure" never_a_verdict
try "harness: the model asked for is the one configured" wrong_model
try "harness: bad places and names are refused" bad_places
