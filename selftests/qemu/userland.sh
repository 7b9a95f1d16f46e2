#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# userland.sh OUT SUITE PROGRAMS [PACKAGE...]: a folder of arm64 programs, for
# initramfs.sh: those written in C in guest/, and PROGRAMS (names in usr/bin or
# usr/sbin of the PACKAGEs of Debian's SUITE) with the libraries that they are linked against.
#
# The packages with all that they depend on are unpacked in the cache, under a
# key of their names and versions.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$QEMU_DIR/packages.sh"

# apt as if nothing were installed yet
apt_from_nothing()
{
	apt_at "$suite" arm64 apt-get -y --no-install-recommends \
		-o Dir::State::status="$(apt_dir "$suite" arm64)/nothing" "$@"
}

have_packages()
{
	apt_refresh "$suite" arm64
	: >"$(apt_dir "$suite" arm64)/nothing"
	have_list=$(apt_from_nothing -s -t "$suite" install "$@" | sed -n 's/^Inst \([^ ]*\) (\([^ ]*\) .*/\1 \2/p')
	folder=$CACHE/userland/$suite-$(key "$have_list")
	[ ! -e "$folder/done" ] || return 0
	rm -rf "$folder"
	mkdir -p "$folder/debs/partial" "$folder/root"
	printf '%s\n' "$have_list" >"$folder/packages"
	apt_from_nothing -o Dir::Cache::archives="$folder/debs" --download-only -t "$suite" install "$@"
	for have_deb in "$folder"/debs/*.deb; do
		dpkg-deb -x "$have_deb" "$folder/root"
	done
	rm -rf "$folder/debs"
	touch "$folder/done"
}

# add PATH TO: that file and, unless they are there, the libraries it names
add()
{
	[ ! -e "$2" ] || return 0
	install -D -m 755 "$1" "$2"
	for add_library in $(aarch64-linux-gnu-readelf -d "$1" 2>/dev/null | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
		add_path=$(find "$folder/root" -name "$add_library" | sort | head -n 1)
		[ -n "$add_path" ] || die "userland: $1 wants $add_library, which no package has"
		add "$add_path" "$out/lib/$add_library"
	done
}

out=$1 suite=$2 programs=$3
shift 3

rm -rf "$out"
mkdir -p "$out/bin"
if [ $# != 0 ]; then
	mkdir -p "$CACHE/userland"
	exec 9>"$CACHE/locks/userland"
	flock 9
	have_packages "$@"
	for program in $programs; do
		add "$(ls "$folder"/root/usr/*bin/"$program")" "$out/bin/$program"
	done
fi
for program in "$QEMU_DIR"/guest/*.c; do
	aarch64-linux-gnu-gcc -static -s -O2 -Wall -Wextra -Werror \
		-o "$out/bin/$(basename "$program" .c)" "$program"
done
