# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash
# What every host script of the harness shares: where things are, how a step
# is announced and timed, and the keys under which results are kept.
#
# Sourced, never run.  The caller sets nothing; it may be started from
# anywhere in the checkout.

set -euo pipefail
export LC_ALL=C

QEMU_DIR=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd -P)
TOP=$(CDPATH='' cd -- "$QEMU_DIR/../.." && pwd -P)
BUILD=$TOP/build
CACHE=${WAKELAT_CACHE:-${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/wakelat}
JOBS=$(nproc)

die()
{
	printf 'wakelat: %s\n' "$*" >&2
	exit 1
}

# kbuild cannot name a file below a folder with a space (or a colon) in it.
case "$TOP$CACHE" in
*[[:space:]:]*)
	die "kbuild cannot work below a path with a space or a colon in it: move the checkout ($TOP) or set WAKELAT_CACHE ($CACHE)" ;;
esac

mkdir -p "$BUILD" "$CACHE/locks"

# step TEXT COMMAND...: say what is done, do it with its output in a log, and
# say how long it took.  On failure the end of the log is shown.
step()
{
	step_text=$1
	shift
	step_log=$BUILD/log/$(printf '%s' "$step_text" | tr -cs 'A-Za-z0-9._-' '-').log
	mkdir -p "$BUILD/log"
	step_start=$(date +%s)
	printf '  %-58s ' "$step_text"
	# Not as the condition of an if: that would switch errexit off inside.
	set +e
	(set -e; "$@") >"$step_log" 2>&1 </dev/null
	step_status=$?
	set -e
	if [ "$step_status" = 0 ]; then
		printf '%4d s\n' $(($(date +%s) - step_start))
	else
		printf 'FAILED\n'
		tail -n 30 "$step_log" | sed 's/^/    | /' >&2
		die "$step_text failed; the whole log is ${step_log#"$TOP"/}"
	fi
}

# key FILE|WORD...: one hash over the contents of the files and the words.
key()
{
	for key_item; do
		if [ -f "$key_item" ]; then
			cat "$key_item"
		else
			printf '%s\n' "$key_item"
		fi
	done | sha256sum | cut -c1-16
}

# under_lock NAME COMMAND...: one at a time for each NAME on this cache.
under_lock()
{
	under_lock_file=$CACHE/locks/$1
	shift
	(
		flock 9
		"$@"
	) 9>"$under_lock_file"
}

# module_bytes FILE: what an arm64 module takes in memory when it is loaded
module_bytes()
{
	aarch64-linux-gnu-size "$1" | awk 'NR == 2 { print $4 }'
}

# read_kernel NAME: sets what kernels/NAME says, and nothing that another said
read_kernel()
{
	[ -f "$QEMU_DIR/kernels/$1" ] ||
		die "no kernel '$1'; there are: $(cd "$QEMU_DIR/kernels" && echo *)"
	BOARD='' IMAGE='' HEADERS='' SERIES='' MODEL='' ARCH=arm64
	# shellcheck source=/dev/null
	. "$QEMU_DIR/kernels/$1"
}

# debian_arch ARCH: Debian's name of a kernel architecture
debian_arch()
{
	case $1 in
	x86_64) echo amd64 ;;
	arm) echo armhf ;;
	*) echo "$1" ;;
	esac
}

# cross_of ARCH: the prefix of the compiler for a kernel architecture.
cross_of()
{
	case $1 in
	arm64) echo aarch64-linux-gnu- ;;
	arm) echo arm-linux-gnueabihf- ;;
	x86_64) echo x86_64-linux-gnu- ;;
	*) die "no compiler known for the architecture '$1'" ;;
	esac
}
