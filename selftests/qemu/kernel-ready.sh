# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of the kernel at hand, which kernel.sh sets
# A ready-made kernel of Debian's for arm64, to be booted on QEMU's generic
# machine: the image of the package IMAGE, and a tree to build modules against
# from HEADERS. Nothing of it is installed.
#
# Where SERIES is set, the host's part of the tree (modpost and its like) is
# made from Debian's linux-source-SERIES instead of taken from its package:
# that one may want a newer C library, and the configuration a newer compiler,
# than this machine has.
#
# Sourced by kernel.sh. Keyed by the version of the packages and this script.

ready_key()
{
	(cd "$QEMU_DIR" && key "$version" "$IMAGE $HEADERS ${SERIES:-}" kernel-ready.sh \
		"$("${cross}gcc" --version)")
}

# unpack ARCH PACKAGE: below the folder's root/
unpack()
{
	unpack_version=$(package_version "$SUITE" "$1" "$2")
	dpkg-deb -x "$(fetch_package "$SUITE" "$1" "$2" "$unpack_version")" "$folder/root"
}

get_image()
{
	image_deb=$(fetch_real "$SUITE" arm64 "$IMAGE" linux-image)
	if ! dpkg-deb -c "$image_deb" | grep '\./boot/vmlinuz-' >/dev/null; then
		image_deb=$(fetch_real "$SUITE" arm64 "$(dpkg-deb -f "$image_deb" Package)" linux-binary)
	fi
	dpkg-deb --fsys-tarfile "$image_deb" |
		tar -xO --wildcards './boot/vmlinuz-*' >"$folder/Image"
}

# Debian's own tree: a folder of the configuration, one of the common headers,
# and the tools. They point to where they would be installed.
get_headers()
{
	rm -rf "$folder/root"
	mkdir -p "$folder/root"
	unpack arm64 "$headers_name"
	cp "$ready_tree/.config" "$folder/config"
}

use_debian_tools()
{
	unpack arm64 "$(real_name "$SUITE" arm64 "$headers_name" 'linux-headers-.*-common')"
	unpack "$HOST_ARCH" "$(real_name "$SUITE" arm64 "$headers_name" linux-kbuild)"
	sed -i "s|/usr/src/|$folder/root/usr/src/|" "$ready_tree/Makefile"
	ln -sfn "root/usr/src/$headers_name" "$folder/tree"
}

# What a compiler can do may differ; what the kernel is may not.
only_compiler_differs()
{
	diff <(grep -E '^(CONFIG_|# CONFIG_)' "$folder/config" | sort) \
		<(grep -E '^(CONFIG_|# CONFIG_)' "$folder/tree/.config" | sort) |
		grep '^[<>]' | grep -vE 'CONFIG_((TOOLS_SUPPORT|CC|GCC|LD|AS|CLANG|RUSTC|PAHOLE)_|GCC|RUST|HAVE_RUST|[A-Z_]*_VERSION)' |
		sed 's/^/differs: /' >"$folder/differs"
	cat "$folder/differs"
}

make_tools()
{
	rm -rf "$folder/tree"
	mkdir -p "$folder/tree"
	cp "$folder/config" "$folder/tree/.config"
	ready_release=$(cat "$ready_tree/include/config/kernel.release")
	# What the source's Makefile does not say itself
	ready_local=${ready_release#"$(make -s -C "$source" kernelversion)"}
	kmake LOCALVERSION="$ready_local" olddefconfig
	only_compiler_differs
	kmake LOCALVERSION="$ready_local" modules_prepare
	cp "$ready_tree/Module.symvers" "$folder/tree/"
	[ "$(cat "$folder/tree/include/config/kernel.release")" = "$ready_release" ]
}

have_ready()
{
	step "get Debian's Linux $version ($ABOUT)" get_image
	headers_name=$(real_name "$SUITE" arm64 "$HEADERS" linux-headers)
	ready_tree=$folder/root/usr/src/$headers_name
	step "get what modules of $name are built against" get_headers
	if [ -n "${SERIES:-}" ]; then
		ready_source=$(source_version "$SUITE" "$SERIES")
		have_source "$SUITE" "$SERIES" "$ready_source"
		source=$(source_dir "$ready_source")
		step "make the tools of $name" make_tools
	else
		step "arrange the tools of $name" use_debian_tools
	fi
	check_model
	touch "$folder/done"
}
