#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-only
#
# deps.sh: install the Debian packages that the harness needs and that are
# missing, or, when not root, say which command does. QEMU knows the NPCM845
# board from version 10 on; where the machine's own suite is older, it is taken
# from that suite's backports, through a private apt configuration.

# shellcheck source=selftests/qemu/lib.sh
. "$(dirname "$0")/lib.sh"
# shellcheck source=selftests/qemu/packages.sh
. "$QEMU_DIR/packages.sh"

QEMU_LEAST=10
PACKAGES="bc bison cpio cpp device-tree-compiler flex gcc gcc-aarch64-linux-gnu
	gcc-arm-linux-gnueabihf libc6-dev libc6-dev-arm64-cross libcmocka-dev libelf-dev
	libssl-dev make perl python3 rsync shellcheck sparse xz-utils"

missing()
{
	for missing_package in $PACKAGES; do
		dpkg-query -W -f '${db:Status-Status}' "$missing_package" 2>/dev/null |
			grep -qx installed || echo "$missing_package"
	done
}

have_qemu()
{
	qemu_version=$(qemu-system-aarch64 --version 2>/dev/null |
		sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p')
	[ "${qemu_version:-0}" -ge "$QEMU_LEAST" ]
}

install_packages()
{
	export DEBIAN_FRONTEND=noninteractive
	apt-get -q update
	# shellcheck disable=SC2046 # a list of words
	apt-get -q install -y --no-install-recommends $(missing)
}

install_qemu()
{
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck source=/dev/null
	suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
	own=$(apt-cache policy qemu-system-arm | sed -n 's/^  Candidate: \([0-9]*:\)\?\([0-9]*\).*/\2/p')
	if [ "${own:-0}" -ge "$QEMU_LEAST" ]; then
		apt-get -q install -y --no-install-recommends qemu-system-arm
		return
	fi
	arch=$(dpkg --print-architecture)
	apt_refresh "$suite-backports" "$arch"
	apt_at "$suite-backports" "$arch" apt-get install -y --no-install-recommends \
		-t "$suite-backports" qemu-system-arm
	have_qemu
}

wanted=$(missing | tr '\n' ' ')
have_qemu || wanted="${wanted}qemu-system-arm (>= $QEMU_LEAST)"
[ -n "$wanted" ] || exit 0
if [ "$(id -u)" != 0 ]; then
	die "missing: $wanted
To install them:   sudo make -C '$TOP' deps"
fi
if [ -n "$(missing)" ]; then
	step "install what is missing: Debian packages" install_packages
fi
if ! have_qemu; then
	step "install QEMU, which knows the NPCM845 from $QEMU_LEAST on" install_qemu
fi
