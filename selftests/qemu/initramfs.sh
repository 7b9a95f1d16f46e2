#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# initramfs.sh OUT MODULE|FOLDER...: a root file system in memory: busybox, the
# guest's scripts, the tests, the modules, and what is in the folders (those of
# userland.sh).

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$QEMU_DIR/packages.sh"

out=$1
shift
root=$out.root

rm -rf "$root"
mkdir -p "$root"/{bin,dev,guest,mnt,modules,proc,selftests,sys,tmp}
busybox_version=$(package_version bookworm arm64 busybox-static)
dpkg-deb --fsys-tarfile "$(fetch_package bookworm arm64 busybox-static "$busybox_version")" |
	tar -xO ./bin/busybox >"$root/bin/busybox"
chmod 755 "$root/bin/busybox"
install -m 755 "$QEMU_DIR/guest/init" "$root/init"
install -m 644 "$QEMU_DIR"/guest/*.sh "$root/guest/"
install -m 644 "$TOP"/selftests/*.sh "$TOP/selftests/truth-table" "$root/selftests/"
for item; do
	if [ -d "$item" ]; then
		cp -r "$item/." "$root/"
	else
		aarch64-linux-gnu-strip -g -o "$root/modules/$(basename "$item")" "$item"
	fi
done

# Same contents, same archive: owners, times and order do not enter.
find "$root" -exec touch -h -d @0 {} +
(cd "$root" && find . -mindepth 1 | sort | cpio --quiet -o -H newc -R 0:0 --reproducible) |
	gzip -n -1 >"$out"
rm -rf "$root"
