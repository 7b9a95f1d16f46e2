// SPDX-License-Identifier: GPL-2.0-only
#include "pairing.h"

/* Above every thread id: @maybe is being written. */
#define BUSY	0x80000000u

static_assert(sizeof(struct wakelat_bucket) == 64, "a bucket is a cache line");

bool wakelat_pairing_insert(struct wakelat_bucket *bucket, u32 id, u64 start)
{
	u32 i;

	/*
	 * An entry of its own can only be left where an event was not told, as
	 * on a CPU that is coming or going.
	 */
	for (i = 0; i < WAKELAT_PAIRING_SLOTS; i++) {
		if (READ_ONCE(bucket->id[i]) == id) {
			WRITE_ONCE(bucket->start[i], start);
			return true;
		}
	}
	for (i = 0; i < WAKELAT_PAIRING_SLOTS; i++) {
		if (!READ_ONCE(bucket->id[i]) && !cmpxchg_relaxed(&bucket->id[i], 0, id)) {
			WRITE_ONCE(bucket->start[i], start);
			return true;
		}
	}
	/* Not even an older wakeup may stand in for it. */
	cmpxchg_relaxed(&bucket->maybe_id, id, 0);
	return false;
}

u64 wakelat_pairing_take(const struct wakelat_pairing *pairing, u32 id)
{
	struct wakelat_bucket *bucket = wakelat_pairing_bucket(pairing, id);
	u64 start;
	u32 i;

	for (i = 0; i < WAKELAT_PAIRING_SLOTS; i++) {
		if (READ_ONCE(bucket->id[i]) == id) {
			start = READ_ONCE(bucket->start[i]);
			/* Whoever takes the place next must not change that. */
			smp_store_release(&bucket->id[i], 0);
			return start;
		}
	}
	if (READ_ONCE(bucket->maybe_id) != id)
		return 0;
	start = READ_ONCE(bucket->maybe_start);
	/*
	 * Taken by another task meanwhile, the time may be that one's; and whoever
	 * takes the place next must not change what was just read.
	 */
	if (cmpxchg_release(&bucket->maybe_id, id, 0) != id || READ_ONCE(pairing->blind))
		return 0;
	return start;
}

void wakelat_pairing_maybe(const struct wakelat_pairing *pairing, u32 id, u64 time)
{
	struct wakelat_bucket *bucket = wakelat_pairing_bucket(pairing, id);
	u32 old = READ_ONCE(bucket->maybe_id);

	/* Whoever loses here is switched in as a task whose start is not known. */
	if (old & BUSY || cmpxchg_relaxed(&bucket->maybe_id, old, old | BUSY) != old)
		return;
	WRITE_ONCE(bucket->maybe_start, time << 1 | WAKELAT_WAKEUP);
	/* Whoever sees the id sees its time. */
	smp_store_release(&bucket->maybe_id, id);
}

void wakelat_pairing_forget(const struct wakelat_pairing *pairing, u32 id)
{
	cmpxchg_relaxed(&wakelat_pairing_bucket(pairing, id)->maybe_id, id, 0);
	wakelat_pairing_take(pairing, id);
}

void wakelat_pairing_blind_begin(struct wakelat_pairing *pairing)
{
	WRITE_ONCE(pairing->blind, pairing->blind + 1);
}

void wakelat_pairing_blind_end(struct wakelat_pairing *pairing)
{
	u32 b;

	for (b = 0; b <= pairing->mask; b++) {
		u32 id = READ_ONCE(pairing->bucket[b].maybe_id);

		if (id && !(id & BUSY))
			cmpxchg_relaxed(&pairing->bucket[b].maybe_id, id, 0);
	}
	WRITE_ONCE(pairing->blind, pairing->blind - 1);
}

u32 wakelat_pairing_waiting(const struct wakelat_pairing *pairing)
{
	u32 waiting = 0;
	u32 b, i;

	for (b = 0; b <= pairing->mask; b++) {
		for (i = 0; i < WAKELAT_PAIRING_SLOTS; i++)
			waiting += !!READ_ONCE(pairing->bucket[b].id[i]);
	}
	return waiting;
}
