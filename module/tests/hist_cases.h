/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What must hold of hist.c, told against a slow, obvious reference. Included by
 * the KUnit suite and by the userspace tests after hist.c itself. Each case
 * returns 0, or the line of the first thing that does not hold.
 */

#define WANT(condition)			\
	do {				\
		if (!(condition))	\
			return __LINE__; \
	} while (0)

#define CASE_SAMPLES	2000

static struct wakelat_hist case_hist, case_part, case_all;
static u64 case_sample[CASE_SAMPLES];

static void case_clear(struct wakelat_hist *hist)
{
	u32 i;

	hist->count = 0;
	hist->sum_ns = 0;
	hist->min_ns = 0;
	hist->max_ns = 0;
	hist->over = 0;
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++)
		hist->bucket[i] = 0;
}

/* The next bucket's lower bound: one up below 64, then 32 steps an octave. */
static u64 slow_next(u64 lower)
{
	u64 width = 1;

	while (lower / width >= 64)
		width *= 2;
	return lower + width;
}

static u32 slow_index(u64 ns)
{
	u64 lower = 0;
	u32 index = 0;

	while (index < WAKELAT_HIST_BUCKETS && slow_next(lower) <= ns) {
		lower = slow_next(lower);
		index++;
	}
	return index;
}

static int check_index(u64 ns)
{
	u32 index = wakelat_hist_index(ns);

	WANT(index == slow_index(ns));
	if (ns >> 36) {
		WANT(index == WAKELAT_HIST_BUCKETS);
		return 0;
	}
	WANT(wakelat_hist_lower(index) <= ns);
	WANT(wakelat_hist_lower(index + 1) > ns);
	return 0;
}

/* Bounds join up, from 0 to 2^36, none wider than 1/32 of its lower end. */
static int case_bounds(void)
{
	u64 lower = 0;
	u32 i;

	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++) {
		u64 next = slow_next(lower);

		WANT(wakelat_hist_lower(i) == lower);
		WANT(next - lower == 1 || (next - lower) * 32 <= lower);
		WANT(lower >= 64 || next - lower == 1);
		lower = next;
	}
	WANT(wakelat_hist_lower(WAKELAT_HIST_BUCKETS) == lower);
	WANT(lower == 1ull << 36);
	return 0;
}

static int case_edges(void)
{
	int k, d;

	for (k = 0; k < 64; k++) {
		for (d = -1; d <= 1; d++) {
			int line = check_index((1ull << k) + (u64)d);

			if (line)
				return line;
		}
	}
	WANT(!check_index(~0ull));
	WANT(wakelat_hist_index(0) != wakelat_hist_index(1));
	return 0;
}

static u64 case_random(u64 *state)
{
	/* xorshift64, G. Marsaglia, 2003 */
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

/* Every length is as likely, so that all octaves and @over get their share. */
static u64 case_random_ns(u64 *state)
{
	u64 ns = case_random(state);

	return ns >> (case_random(state) & 63);
}

static void slow_sort(u64 *sample, u32 n)
{
	u32 i, j;

	for (i = 1; i < n; i++) {
		u64 ns = sample[i];

		for (j = i; j && sample[j - 1] > ns; j--)
			sample[j] = sample[j - 1];
		sample[j] = ns;
	}
}

/* The bounds of quantile @ppm hold the sample of that rank, tightly. */
static int check_quantile(const struct wakelat_hist *hist, const u64 *sorted, u32 n,
			  u32 ppm)
{
	u64 low, high, ns;
	u32 rank = 0;

	/* The least rank that is no less than the asked part of all. */
	do {
		rank++;
	} while ((u64)rank * 1000000 < (u64)n * ppm);
	ns = sorted[rank - 1];

	WANT(wakelat_hist_quantile(hist, ppm, &low, &high));
	WANT(low <= ns);
	WANT(high >= ns);
	WANT(low >= sorted[0]);
	WANT(high <= sorted[n - 1]);
	WANT(slow_index(low) == slow_index(ns));
	WANT(slow_index(high) == slow_index(ns));
	return 0;
}

static int case_samples(u64 seed)
{
	static const u32 ppm[] = {
		0, 1, 499999, 500000, 500001, 900000, 990000, 999000, 999900,
		999999, 1000000,
	};
	u64 state = seed;
	u64 sum = 0, over = 0, in_buckets = 0;
	u32 i;

	case_clear(&case_hist);
	for (i = 0; i < CASE_SAMPLES; i++) {
		case_sample[i] = case_random_ns(&state);
		sum += case_sample[i];
		over += case_sample[i] >= 1ull << 36;
		wakelat_hist_add(&case_hist, case_sample[i]);
	}
	slow_sort(case_sample, CASE_SAMPLES);
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++)
		in_buckets += case_hist.bucket[i];

	WANT(over > 0 && over < CASE_SAMPLES);
	WANT(case_hist.count == CASE_SAMPLES);
	WANT(case_hist.over == over);
	WANT(in_buckets + over == CASE_SAMPLES);
	WANT(case_hist.sum_ns == sum);
	WANT(case_hist.min_ns == case_sample[0]);
	WANT(case_hist.max_ns == case_sample[CASE_SAMPLES - 1]);
	for (i = 0; i < sizeof(ppm) / sizeof(ppm[0]); i++) {
		int line = check_quantile(&case_hist, case_sample, CASE_SAMPLES, ppm[i]);

		if (line)
			return line;
	}
	return 0;
}

static int check_equal(const struct wakelat_hist *one, const struct wakelat_hist *two)
{
	u32 i;

	WANT(one->count == two->count);
	WANT(one->sum_ns == two->sum_ns);
	WANT(one->min_ns == two->min_ns);
	WANT(one->max_ns == two->max_ns);
	WANT(one->over == two->over);
	for (i = 0; i < WAKELAT_HIST_BUCKETS; i++)
		WANT(one->bucket[i] == two->bucket[i]);
	return 0;
}

/* Merging parts gives what adding all their samples to one gives. */
static int case_merge(u64 seed)
{
	u64 state = seed;
	int part, line;
	u32 i;

	case_clear(&case_all);
	case_clear(&case_hist);
	for (part = 0; part < 3; part++) {
		case_clear(&case_part);
		/* The second part stays empty. */
		for (i = 0; i < (part == 1 ? 0 : 500); i++) {
			u64 ns = case_random_ns(&state);

			wakelat_hist_add(&case_part, ns);
			wakelat_hist_add(&case_all, ns);
		}
		wakelat_hist_merge(&case_hist, &case_part);
		line = check_equal(&case_hist, &case_all);
		if (line)
			return line;
	}
	return 0;
}

static int case_empty(void)
{
	u64 low = 1, high = 2;

	case_clear(&case_hist);
	WANT(!wakelat_hist_quantile(&case_hist, 500000, &low, &high));
	WANT(low == 1 && high == 2);
	wakelat_hist_add(&case_hist, 7);
	WANT(!wakelat_hist_quantile(&case_hist, 1000001, &low, &high));
	WANT(wakelat_hist_quantile(&case_hist, 500000, &low, &high));
	WANT(low == 7 && high == 7);
	return 0;
}

static int case_only_over(void)
{
	u64 low, high;

	case_clear(&case_hist);
	wakelat_hist_add(&case_hist, 1ull << 37);
	WANT(case_hist.over == 1 && case_hist.count == 1);
	WANT(wakelat_hist_quantile(&case_hist, 500000, &low, &high));
	WANT(low == 1ull << 37 && high == 1ull << 37);
	return 0;
}

/* Ranks stay exact where count times parts per million is past 64 bits. */
static int case_huge_counts(void)
{
	u64 low, high;

	case_clear(&case_hist);
	case_hist.count = 1ull << 63;
	case_hist.bucket[10] = 1ull << 62;
	case_hist.bucket[20] = 1ull << 62;
	case_hist.min_ns = 10;
	case_hist.max_ns = 20;
	WANT(wakelat_hist_quantile(&case_hist, 500000, &low, &high));
	WANT(low == 10 && high == 10);
	WANT(wakelat_hist_quantile(&case_hist, 500001, &low, &high));
	WANT(low == 20 && high == 20);
	WANT(wakelat_hist_quantile(&case_hist, 1000000, &low, &high));
	WANT(low == 20 && high == 20);
	return 0;
}
