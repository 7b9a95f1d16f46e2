# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of the kernel at hand, which kernel.sh sets
# Kernel sources: Debian's linux-source packages, unpacked once in the cache.
#
# Sourced after lib.sh and packages.sh.

HOST_ARCH=$(dpkg --print-architecture)

# source_version SUITE SERIES
source_version()
{
	package_version "$1" "$HOST_ARCH" "linux-source-$2"
}

# source_dir VERSION: where it is, or will be
source_dir()
{
	printf '%s/source/linux-%s' "$CACHE" "$1"
}

# unpack_source SUITE SERIES VERSION
unpack_source()
{
	unpack_deb=$(fetch_package "$1" "$HOST_ARCH" "linux-source-$2" "$3")
	unpack_dir=$(source_dir "$3")
	[ ! -e "$unpack_dir/unpacked" ] || return 0
	rm -rf "$unpack_dir"
	mkdir -p "$unpack_dir"
	dpkg-deb --fsys-tarfile "$unpack_deb" |
		tar -xO --wildcards "./usr/src/linux-source-$2.tar.xz" |
		tar -xJ --strip-components=1 -C "$unpack_dir"
	touch "$unpack_dir/unpacked"
}

# have_source SUITE SERIES VERSION
have_source()
{
	[ ! -e "$(source_dir "$3")/unpacked" ] || return 0
	step "get the source of Linux $3" under_lock "source-$3" unpack_source "$@"
}

# kmake TARGET...: in the tree of the kernel at hand ($folder, $source, $ARCH,
# $cross), with nothing of this machine in what it builds
kmake()
{
	make -C "$source" O="$folder/tree" ARCH="$ARCH" CROSS_COMPILE="$cross" \
		KBUILD_BUILD_TIMESTAMP='Thu Jan 1 00:00:00 UTC 1970' \
		KBUILD_BUILD_USER=wakelat KBUILD_BUILD_HOST=wakelat -j"$JOBS" "$@"
}
