/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The clock of the task probes. On arm64 the architected counter is read as it
 * is, two instructions, and only the difference is made nanoseconds. A counter
 * that needs a workaround, and other architectures, take the kernel's clock.
 *
 * For task.c and tracepoints.c.
 */
#ifndef WAKELAT_CLOCK_H
#define WAKELAT_CLOCK_H

#include <linux/clocksource.h>
#include <linux/timekeeping.h>

#include "compat.h"

/* Differences of up to 12 days are converted without an overflow. */
#define CLOCK_SECONDS_MAX	(1 << 20)

enum clock { CLOCK_KERNEL, CLOCK_COUNTER };

static __always_inline u64 clock_read_kernel(void)
{
	return ktime_get_mono_fast_ns();
}

#if IS_ENABLED(CONFIG_ARM64) && IS_ENABLED(CONFIG_ARM_ARCH_TIMER)
static __always_inline u64 clock_read_counter(void)
{
	/* Not before what comes before it. */
	isb();
	return read_sysreg(cntvct_el0);
}

static inline bool clock_needs_workaround(void)
{
#ifdef CONFIG_ARM_ARCH_TIMER_OOL_WORKAROUND
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		if (per_cpu(timer_unstable_counter_workaround, cpu))
			return true;
	}
#endif
	return false;
}

/* The best clock there is, and what makes its unit nanoseconds. */
static inline enum clock clock_choose(u32 *mult, u32 *shift)
{
	u32 hz = wakelat_arch_timer_hz();

	*mult = 1;
	*shift = 0;
	if (!hz || clock_needs_workaround())
		return CLOCK_KERNEL;
	clocks_calc_mult_shift(mult, shift, hz, NSEC_PER_SEC, CLOCK_SECONDS_MAX);
	return CLOCK_COUNTER;
}
#else
static __always_inline u64 clock_read_counter(void)
{
	return 0;	/* never chosen */
}

static inline enum clock clock_choose(u32 *mult, u32 *shift)
{
	*mult = 1;
	*shift = 0;
	return CLOCK_KERNEL;
}
#endif

#endif
