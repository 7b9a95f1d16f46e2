/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A log-linear histogram of times in nanoseconds: exact below 64 ns, then 32
 * buckets an octave (a bucket is never wider than 1/32 of its lower bound), up
 * to 2^36 ns (68.7 s).  Longer times are counted in @over.  Count, sum, minimum
 * and maximum are exact over all samples, @over included.
 *
 * Pure: the same source is built into the module, KUnit, the userspace tests
 * and the host tool.  No function here locks; callers serialise.
 */
#ifndef WAKELAT_HIST_H
#define WAKELAT_HIST_H

#ifdef __KERNEL__
#include <linux/math64.h>
#include <linux/types.h>
#else
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;

/* The kernel's helper, where plain division does. */
static inline u64 div64_u64(u64 dividend, u64 divisor)
{
	return dividend / divisor;
}
#endif

#define WAKELAT_HIST_SUB_BITS	5
#define WAKELAT_HIST_MAX_BITS	36
#define WAKELAT_HIST_BUCKETS \
	((WAKELAT_HIST_MAX_BITS - WAKELAT_HIST_SUB_BITS + 1) << WAKELAT_HIST_SUB_BITS)

/* Zeroed memory is a valid, empty histogram. */
struct wakelat_hist {
	u64 count;
	u64 sum_ns;	/* wraps after 584 years of waiting in total */
	u64 min_ns;	/* min and max mean nothing while count is 0 */
	u64 max_ns;
	u64 over;	/* samples of 2^36 ns or more, in no bucket */
	u64 bucket[WAKELAT_HIST_BUCKETS];
};

/* The bucket of a time that is known to be in the range. */
static inline u32 wakelat_hist_index_below(u64 ns)
{
	/* The lowest octaves have buckets of 1 ns, and so no shift. */
	u32 shift = 63 - WAKELAT_HIST_SUB_BITS -
		    __builtin_clzll(ns | 1u << WAKELAT_HIST_SUB_BITS);

	return (shift << WAKELAT_HIST_SUB_BITS) + (u32)(ns >> shift);
}

/*
 * wakelat_hist_index - the bucket of a time
 * Returns WAKELAT_HIST_BUCKETS for a time past the range.
 */
static inline u32 wakelat_hist_index(u64 ns)
{
	return ns >> WAKELAT_HIST_MAX_BITS ? WAKELAT_HIST_BUCKETS : wakelat_hist_index_below(ns);
}

/*
 * wakelat_hist_lower - the least time that falls into bucket @index
 * The bucket ends before wakelat_hist_lower(@index + 1), which is also defined
 * for the last one.
 */
u64 wakelat_hist_lower(u32 index);

void wakelat_hist_add(struct wakelat_hist *hist, u64 ns);
void wakelat_hist_merge(struct wakelat_hist *to, const struct wakelat_hist *from);

/*
 * wakelat_hist_quantile - between which bounds does a quantile lie?
 * @ppm: the quantile in parts per million; 0 asks for the smallest sample
 * @low_ns, @high_ns: inclusive bounds: those of the bucket that holds the
 *	sample of rank ceil(count * ppm / 10^6), narrowed by the exact minimum
 *	and maximum.  Past the range they run from 2^36 ns to the maximum.
 * Returns false, with nothing written, if there is no sample or @ppm > 10^6.
 */
bool wakelat_hist_quantile(const struct wakelat_hist *hist, u32 ppm,
			   u64 *low_ns, u64 *high_ns);

#endif
