# SPDX-License-Identifier: GPL-2.0-only
# shellcheck shell=bash disable=SC2154 # of the kernel at hand, which kernel.sh sets
# A kernel that is built here: for a board (BOARD, MODEL), to be booted; or
# without one only to build modules against, its exported symbols being those of
# Debian's package HEADERS. CONFIG are the fragments config/*.config.
#
# Sourced by kernel.sh. Keyed by the source package, the configuration, the
# compiler and this script.

built_key()
{
	# shellcheck disable=SC2046,SC2086 # a list of words
	(cd "$QEMU_DIR" && key "$version" "$ARCH $CONFIG ${BOARD:-$HEADERS}" \
		$(printf 'config/%s.config ' $CONFIG) kernel-built.sh npcm845-qemu.dtso \
		"$("${cross}gcc" --version)" "$("${cross}ld" --version)")
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
	# shellcheck disable=SC2046,SC2086 # a list of words
	(cd "$QEMU_DIR/config" && cat $(printf '%s.config ' $CONFIG)) >"$folder/asked"
	kmake allnoconfig
	"$source/scripts/kconfig/merge_config.sh" -m -O "$folder/tree" \
		"$folder/tree/.config" "$folder/asked"
	kmake olddefconfig
	check_config
	cp "$folder/tree/.config" "$folder/config"
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

prepare_headers()
{
	kmake modules_prepare
	prepare_deb=$(fetch_real "$SUITE" "$(debian_arch "$ARCH")" "$HEADERS" linux-headers)
	dpkg-deb --fsys-tarfile "$prepare_deb" |
		tar -xO --wildcards '*/Module.symvers' >"$folder/tree/Module.symvers"
	touch "$folder/done"
}

have_built()
{
	have_source "$SUITE" "$SERIES" "$version"
	step "configure $name and check what it got" configure
	if [ -n "$BOARD" ]; then
		check_model
		step "build $name ($ABOUT)" build_image
	else
		step "prepare $name ($ABOUT)" prepare_headers
	fi
}
