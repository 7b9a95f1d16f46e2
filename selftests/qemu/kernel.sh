#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# kernel.sh NAME...: have the kernels kernels/NAME, configured and checked, in
# the cache. build/kernels/NAME is then a link to each.
#
# What a kernel's folder holds: config, tree/ (to build modules against), and
# for a board Image and npcm845.dtb. It is keyed by the source package, the
# configuration, the compiler and this script; a build that was interrupted is
# taken up where it stopped.
#
# A file kernels/NAME sets: ABOUT; SERIES and SUITE (Debian's linux-source-SERIES
# from there); CONFIG, the fragments config/*.config, the last of which wins;
# then either BOARD and MODEL, a kernel to boot, or ARCH and HEADERS, one to
# build modules against only: its exported symbols are those of Debian's package
# HEADERS.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$QEMU_DIR/packages.sh"

unpack_source()
{
	unpack_deb=$(fetch_package "$SUITE" "$HOST_ARCH" "linux-source-$SERIES" "$version")
	[ ! -e "$source/unpacked" ] || return 0
	rm -rf "$source"
	mkdir -p "$source"
	dpkg-deb --fsys-tarfile "$unpack_deb" |
		tar -xO --wildcards "./usr/src/linux-source-$SERIES.tar.xz" |
		tar -xJ --strip-components=1 -C "$source"
	touch "$source/unpacked"
}

kmake()
{
	make -C "$source" O="$folder/tree" ARCH="$ARCH" CROSS_COMPILE="$cross" \
		KBUILD_BUILD_TIMESTAMP='Thu Jan 1 00:00:00 UTC 1970' \
		KBUILD_BUILD_USER=wakelat KBUILD_BUILD_HOST=wakelat -j"$JOBS" "$@"
}

# A fragment asks; Kconfig may drop what it asks for without a word.
check_config()
{
	check_bad=0
	while read -r check_line; do
		case $check_line in
		CONFIG_*=*)
			grep -qxF "$check_line" "$folder/tree/.config" && continue
			;;
		'# CONFIG_'*' is not set')
			check_word=${check_line#\# }
			grep -q "^${check_word%% *}=" "$folder/tree/.config" || continue
			;;
		*)
			continue
			;;
		esac
		echo "asked for, but not configured: $check_line"
		check_bad=1
	done <"$folder/asked"
	return $check_bad
}

configure()
{
	# shellcheck disable=SC2086 # a list of words
	(cd "$QEMU_DIR/config" && cat $(printf '%s.config ' $CONFIG)) >"$folder/asked"
	kmake allnoconfig
	"$source/scripts/kconfig/merge_config.sh" -m -O "$folder/tree" \
		"$folder/tree/.config" "$folder/asked"
	kmake olddefconfig
	check_config
	cp "$folder/tree/.config" "$folder/config"
}

# The model that was asked for is the one that this kernel was given.
check_model()
{
	case $MODEL in
	none) check_symbol=CONFIG_PREEMPT_NONE ;;
	voluntary) check_symbol=CONFIG_PREEMPT_VOLUNTARY ;;
	full) check_symbol=CONFIG_PREEMPT ;;
	lazy) check_symbol=CONFIG_PREEMPT_LAZY ;;
	rt) check_symbol=CONFIG_PREEMPT_RT ;;
	*) die "kernels/$name: unknown MODEL '$MODEL'" ;;
	esac
	grep -qx "$check_symbol=y" "$folder/config" && return
	echo "kernels/$name wants the model $MODEL, but $check_symbol is not set:"
	grep PREEMPT "$folder/config"
	return 1
}

build_device_tree()
{
	build_dts=$source/arch/arm64/boot/dts
	cpp -nostdinc -undef -x assembler-with-cpp -I "$source/include" \
		-I "$build_dts" "$build_dts/nuvoton/nuvoton-npcm845-evb.dts" |
		dtc -q -@ -I dts -O dtb -o "$folder/evb.dtb" -
	dtc -q -@ -I dts -O dtb -o "$folder/qemu.dtbo" "$QEMU_DIR/npcm845-qemu.dtso"
	fdtoverlay -i "$folder/evb.dtb" -o "$folder/npcm845.dtb" "$folder/qemu.dtbo"
}

build_image()
{
	kmake Image modules
	cp "$folder/tree/arch/arm64/boot/Image" "$folder/"
	build_device_tree
	# Building modules wants neither objects nor vmlinux.
	find "$folder/tree" -path "$folder/tree/scripts" -prune -o \
		\( -name '*.o' -o -name '.*.cmd' -o -name '*.a' -o -name 'vmlinux*' \) \
		-type f -exec rm -f {} +
	touch "$folder/done"
}

fetch_symbols()
{
	fetch_arch=$(case $ARCH in x86_64) echo amd64 ;; arm) echo armhf ;; *) echo "$ARCH" ;; esac)
	apt_refresh "$SUITE" "$fetch_arch"
	# The package of the name without a version depends on the one with it.
	fetch_name=$(apt_at "$SUITE" "$fetch_arch" apt-cache -t "$SUITE" depends "$HEADERS" |
		sed -n 's/.*Depends: \(linux-headers-[0-9].*\)/\1/p')
	fetch_version=$(package_version "$SUITE" "$fetch_arch" "$fetch_name")
	dpkg-deb --fsys-tarfile \
		"$(fetch_package "$SUITE" "$fetch_arch" "$fetch_name" "$fetch_version")" |
		tar -xO --wildcards '*/Module.symvers' >"$folder/tree/Module.symvers"
}

prepare_headers()
{
	kmake modules_prepare
	fetch_symbols
	touch "$folder/done"
}

have_kernel()
{
	name=$1
	[ -f "$QEMU_DIR/kernels/$name" ] ||
		die "no kernel '$name'; there are: $(ls "$QEMU_DIR/kernels" | tr '\n' ' ')"
	unset BOARD MODEL HEADERS
	ARCH=arm64
	# shellcheck source=/dev/null
	. "$QEMU_DIR/kernels/$name"
	cross=$(cross_of "$ARCH")
	version=$(package_version "$SUITE" "$HOST_ARCH" "linux-source-$SERIES")
	source=$CACHE/source/linux-$version
	# shellcheck disable=SC2046,SC2086 # lists of words
	folder=$CACHE/kernels/$name-$(cd "$QEMU_DIR" && key "$version" kernels/"$name" \
		$(printf 'config/%s.config ' $CONFIG) kernel.sh npcm845-qemu.dtso \
		"$("${cross}gcc" --version)" "$("${cross}ld" --version)")
	mkdir -p "$folder/tree" "$BUILD/kernels"
	ln -sfn "$folder" "$BUILD/kernels/$name"
	[ ! -e "$folder/done" ] || return 0

	step "get the source of Linux $version" unpack_source
	step "configure $name and check what it got" configure
	if [ -n "${BOARD:-}" ]; then
		check_model || die "$name is not the kernel that was asked for"
		step "build $name ($ABOUT)" build_image
	else
		step "prepare $name ($ABOUT)" prepare_headers
	fi
}

HOST_ARCH=$(dpkg --print-architecture)
for kernel; do
	under_lock kernels have_kernel "$kernel"
done
