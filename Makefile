# SPDX-License-Identifier: GPL-2.0-only
#
# The module is built by the kernel's own Kbuild in a folder of links to the
# sources, so that several kernels do not get in each other's way and the
# checkout stays clean.

ifneq ($(words $(CURDIR)),1)
$(error kbuild cannot work below a path with a space in it: move the checkout out of "$(CURDIR)")
endif

# Yocto says KERNEL_SRC, people and DKMS say KDIR.
KDIR ?= $(or $(KERNEL_SRC),/lib/modules/$(shell uname -r)/build)
OUT ?= $(CURDIR)/build/module
QEMU := selftests/qemu

module:
	@test -e $(KDIR)/Makefile || { \
		echo "no kernel build tree at $(KDIR): install the headers of your kernel, or say make KDIR=..." >&2; \
		exit 1; }
	@mkdir -p $(OUT)
	@cp -rsf $(CURDIR)/module/. $(OUT)/
	$(MAKE) -C $(KDIR) M=$(OUT) modules

modules_install: module
	$(MAKE) -C $(KDIR) M=$(OUT) modules_install

tools:
	$(MAKE) -C tools

contrast:
	@$(QEMU)/deps.sh
	@$(QEMU)/contrast.sh

bench:
	@$(QEMU)/deps.sh
	@$(QEMU)/bench.sh

bench-peers:
	@$(QEMU)/deps.sh
	@$(QEMU)/bench.sh peers

kselftest:
	@test "$$(id -u)" = 0 || { \
		echo "make kselftest loads modules: run it as root" >&2; \
		exit 1; }
	$(MAKE) -C selftests KDIR=$(KDIR) OUTPUT=$(CURDIR)/build/selftests
	@WAKELAT_MODULES=$(CURDIR)/build/selftests selftests/run.sh $(TESTS)

check:
	@$(QEMU)/deps.sh
	@$(QEMU)/check.sh $(KERNEL)

deps:
	@$(QEMU)/deps.sh

style:
	@$(QEMU)/style.sh

clean:
	rm -rf build

help:
	@echo 'make            the module, against the running kernel or KDIR=, into build/module'
	@echo 'make contrast   build the NPCM845 board under two preemption models, measure, compare'
	@echo 'make bench      count what watching a wakeup costs: wakelat and its peers'
	@echo 'make bench-peers   the same on a ready-made kernel, with runqlat, bpftrace and cyclictest'
	@echo 'make kselftest  run the tests on this machine, as root (TESTS="timer task": just these)'
	@echo 'make check      all tests; the last line says how many passed'
	@echo 'make check KERNEL=NAME   those of one kernel of selftests/qemu/kernels'
	@echo 'make tools      the host tool, into build/tools'
	@echo 'make style      checkpatch and shellcheck over the sources'
	@echo 'make deps       install the Debian packages that contrast, bench and check need'
	@echo 'make modules_install   install the module for the kernel of KDIR='
	@echo 'make clean      remove build/'
	@echo
	@echo 'KDIR=DIR        kernel build tree for the module'
	@echo 'ARCH= CROSS_COMPILE=   as the kernel has them'
	@echo 'WAKELAT_CACHE=DIR   downloads and kernels (default $${XDG_CACHE_HOME:-~/.cache}/wakelat)'

.DEFAULT_GOAL := module
.PHONY: module modules_install tools contrast bench bench-peers kselftest check deps style clean help
