# SPDX-License-Identifier: GPL-2.0-only
# compat.h goes by what the kernel tree has: $(call has,WORD,FILE,MACRO). For the
# Kbuild of each folder whose sources include it.
has = $(if $(shell grep -qsw '$(1)' $(2) && echo y),-D$(3))
wakelat-include := $(srctree)/include/linux
ccflags-y += $(call has,hrtimer_setup,$(wakelat-include)/hrtimer.h,WAKELAT_HAS_HRTIMER_SETUP)
ccflags-y += $(call has,preempt_model_none,$(wakelat-include)/sched.h $(wakelat-include)/preempt.h,WAKELAT_HAS_PREEMPT_MODEL)
ccflags-y += $(call has,preempt_model_lazy,$(wakelat-include)/preempt.h,WAKELAT_HAS_PREEMPT_LAZY)
ccflags-y += $(call has,ktime_get_snapshot_id,$(wakelat-include)/timekeeping.h,WAKELAT_HAS_SNAPSHOT_ID)
ccflags-y += $(call has,__state,$(wakelat-include)/sched.h,WAKELAT_HAS___STATE)
ccflags-y += $(call has,sched_delayed,$(wakelat-include)/sched.h,WAKELAT_HAS_SCHED_DELAYED)
ccflags-y += $(call has,unsigned int prev_state,$(srctree)/include/trace/events/sched.h,WAKELAT_HAS_PREV_STATE)
ccflags-y += $(call has,sched_setattr_nocheck,$(objtree)/Module.symvers,WAKELAT_HAS_SCHED_SETATTR)
