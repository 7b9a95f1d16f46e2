// SPDX-License-Identifier: GPL-2.0-only
#include "hist.h"

#define SUB_BUCKETS	(1u << WAKELAT_HIST_SUB_BITS)
#define PPM		1000000u

u64 wakelat_hist_lower(u32 index)
{
	u32 shift;

	if (index < 2 * SUB_BUCKETS)
		return index;
	shift = (index >> WAKELAT_HIST_SUB_BITS) - 1;
	return (u64)(index - (shift << WAKELAT_HIST_SUB_BITS)) << shift;
}

void wakelat_hist_add(struct wakelat_hist *hist, u64 ns)
{
	u32 index = wakelat_hist_index(ns);

	if (!hist->count || ns < hist->min_ns)
		hist->min_ns = ns;
	if (!hist->count || ns > hist->max_ns)
		hist->max_ns = ns;
	hist->count++;
	hist->sum_ns += ns;
	if (index < WAKELAT_HIST_BUCKETS)
		hist->bucket[index]++;
	else
		hist->over++;
}

void wakelat_hist_merge(struct wakelat_hist *to, const struct wakelat_hist *from)
{
	u32 i;

	if (!from->count)
		return;
	if (!to->count || from->min_ns < to->min_ns)
		to->min_ns = from->min_ns;
	if (!to->count || from->max_ns > to->max_ns)
		to->max_ns = from->max_ns;
	to->count += from->count;
	to->sum_ns += from->sum_ns;
	to->over += from->over;
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++)
		to->bucket[i] += from->bucket[i];
}

/* ceil(count * ppm / 10^6), at least 1, with no product past 64 bits. */
static u64 rank_of(u64 count, u32 ppm)
{
	u64 millions = div64_u64(count, PPM);
	u64 rest = count - millions * PPM;
	u64 rank = millions * ppm + div64_u64(rest * ppm + PPM - 1, PPM);

	return rank ? rank : 1;
}

bool wakelat_hist_quantile(const struct wakelat_hist *hist, u32 ppm,
			   u64 *low_ns, u64 *high_ns)
{
	u64 low = 1ull << WAKELAT_HIST_MAX_BITS;
	u64 high = hist->max_ns;
	u64 seen = 0;
	u64 rank;
	u32 i;

	if (!hist->count || ppm > PPM)
		return false;
	rank = rank_of(hist->count, ppm);
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++) {
		seen += hist->bucket[i];
		if (seen >= rank) {
			low = wakelat_hist_lower(i);
			high = wakelat_hist_lower(i + 1) - 1;
			break;
		}
	}
	*low_ns = low < hist->min_ns ? hist->min_ns : low;
	*high_ns = high > hist->max_ns ? hist->max_ns : high;
	return true;
}
