/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which event starts a task's wait, and which ends it.
 *
 * A wait starts when a sleeping or new task is woken (its kind is wakeup), or
 * when a task is switched out although it could go on (preempted). It ends when
 * the task is switched in, on whatever CPU. In between its start is kept in a
 * table of fixed size, keyed by thread id, that every CPU may touch at any time.
 *
 * One entry a task is enough, since nobody else writes it: a sleeping task is
 * woken under its pi_lock, and a task that is still queued is switched out under
 * its runqueue lock. In between lies the task that is woken while it is still
 * queued: it may be running (nothing starts), waiting (the wait that it has goes
 * on), or about to be taken off the queue (a wait starts), and no event tells
 * which. Such a wakeup goes to a place of its own, @maybe, which counts only if
 * the task is switched in without an entry: then no other event has started its
 * wait, so that this wakeup has.
 *
 * Pure: the same source is built into the module, KUnit and the userspace tests.
 * Times are in the unit of the caller, from 1 to 2^62.
 */
#ifndef WAKELAT_PAIRING_H
#define WAKELAT_PAIRING_H

#ifdef __KERNEL__
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/types.h>
#else
#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
typedef uint32_t u32;
typedef uint64_t u64;

#undef __always_inline
#define __always_inline		inline
#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define READ_ONCE(x)		__atomic_load_n(&(x), __ATOMIC_RELAXED)
#define WRITE_ONCE(x, value)	__atomic_store_n(&(x), value, __ATOMIC_RELAXED)
/* As the kernel has it: what was read or written before stays before. */
#define smp_store_release(p, value)	__atomic_store_n(p, value, __ATOMIC_RELEASE)
#define cmpxchg_relaxed(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#define cmpxchg_release(p, old, new)	__sync_val_compare_and_swap(p, old, new)
#endif

enum wakelat_kind {
	WAKELAT_WAKEUP,
	WAKELAT_PREEMPTED,
	WAKELAT_KINDS
};

#define WAKELAT_PAIRING_SLOTS	4

/*
 * One cache line, as the table begins at one. Thread ids are given out in turns,
 * so their low bits spread tasks over the buckets as well as any hash.
 */
struct wakelat_bucket {
	union {
		u32 id[WAKELAT_PAIRING_SLOTS];	/* 0: free */
		u64 ids[WAKELAT_PAIRING_SLOTS / 2];
	};
	u32 maybe_id;
	u32 unused;
	u64 start[WAKELAT_PAIRING_SLOTS];	/* time << 1 | kind */
	u64 maybe_start;
};

struct wakelat_pairing {
	struct wakelat_bucket *bucket;
	u32 mask;	/* buckets - 1; there are a power of two */
	u32 blind;	/* @maybe does not count: wakeups may not be told now */
};

static __always_inline u64 wakelat_start_time(u64 start)
{
	return start >> 1;
}

static __always_inline enum wakelat_kind wakelat_start_kind(u64 start)
{
	return start & 1;
}

/* What the events below do when it is not the common case. */
bool wakelat_pairing_insert(struct wakelat_bucket *bucket, u32 id, u64 start);
u64 wakelat_pairing_take(const struct wakelat_pairing *pairing, u32 id);

static __always_inline struct wakelat_bucket *
wakelat_pairing_bucket(const struct wakelat_pairing *pairing, u32 id)
{
	return &pairing->bucket[id & pairing->mask];
}

/* Takes the first place of a bucket that is empty. */
static __always_inline bool wakelat_pairing_claim(struct wakelat_bucket *bucket, u32 id,
						  u64 start)
{
	if (unlikely(READ_ONCE(bucket->ids[0]) | READ_ONCE(bucket->ids[1])) ||
	    unlikely(cmpxchg_relaxed(&bucket->id[0], 0, id)))
		return false;
	WRITE_ONCE(bucket->start[0], start);
	return true;
}

/* What the first place holds if it is @id's, or 0. */
static __always_inline u64 wakelat_pairing_peek(const struct wakelat_bucket *bucket, u32 id)
{
	return likely(READ_ONCE(bucket->id[0]) == id) ? READ_ONCE(bucket->start[0]) : 0;
}

/* Frees that place, for the task that runs now. */
static __always_inline void wakelat_pairing_free(struct wakelat_bucket *bucket)
{
	/* Whoever takes it next must not change what has been read from it. */
	smp_store_release(&bucket->id[0], 0);
}

/*
 * wakelat_pairing_wait - a wait starts, for sure
 * With interrupts off, and for one task never on two CPUs at once (above).
 * Returns false if the table has no place: the wait is lost, and no wrong one
 * will be told in its place.
 */
static __always_inline bool wakelat_pairing_wait(const struct wakelat_pairing *pairing,
						 u32 id, u64 time, enum wakelat_kind kind)
{
	struct wakelat_bucket *bucket = wakelat_pairing_bucket(pairing, id);
	u64 start = time << 1 | kind;

	return wakelat_pairing_claim(bucket, id, start) ||
	       wakelat_pairing_insert(bucket, id, start);
}

/*
 * wakelat_pairing_run - a task is switched in
 * Returns how its wait started, or 0 if that is not known.
 */
static __always_inline u64 wakelat_pairing_run(const struct wakelat_pairing *pairing,
					       u32 id)
{
	struct wakelat_bucket *bucket = wakelat_pairing_bucket(pairing, id);
	u64 start = wakelat_pairing_peek(bucket, id);

	if (unlikely(!start))
		return wakelat_pairing_take(pairing, id);
	wakelat_pairing_free(bucket);
	return start;
}

/* A task was woken while queued; with interrupts off, under its pi_lock. */
void wakelat_pairing_maybe(const struct wakelat_pairing *pairing, u32 id, u64 time);

/* Nothing is known of this task any more: it ends, or is not to be measured. */
void wakelat_pairing_forget(const struct wakelat_pairing *pairing, u32 id);

/*
 * From here until the end of it wakeups may not be told, as on a CPU that is
 * coming or going: the last wakeup that was told may be an old one. Callers
 * serialise.
 */
void wakelat_pairing_blind_begin(struct wakelat_pairing *pairing);
void wakelat_pairing_blind_end(struct wakelat_pairing *pairing);

/* How many waits have started and not ended; a snapshot. */
u32 wakelat_pairing_waiting(const struct wakelat_pairing *pairing);

/*
 * wakelat_wakes_sleeper - is the task that is woken asleep for sure?
 * @queued, @delayed, @running: its on_rq, se.sched_delayed (a blocked task that
 *	is left on the queue, from v6.12 on) and on_cpu, read under its pi_lock
 *	after its state. A task that is not queued cannot be put back by anyone
 *	else meanwhile; a delayed one that has left its CPU neither.
 */
static __always_inline bool wakelat_wakes_sleeper(bool queued, bool delayed, bool running)
{
	return likely(!queued) || (delayed && !running);
}

/*
 * wakelat_could_go_on - is the task that is switched out runnable?
 * @preempt: it was preempted, in whatever state
 * @state: its state when the scheduler began, 0 if it was running
 * @queued, @delayed: as above, under the runqueue lock
 * @state_is_right: @state is also 0 if a signal was pending and the task was
 *	kept on the queue for that
 *
 * A task in a state of sleep that is still queued was either kept there by a
 * signal (its wait starts now) or, from v6.12 on, woken after it had been
 * delayed (the wakeup has started its wait).
 */
static __always_inline bool wakelat_could_go_on(bool preempt, u32 state, bool queued,
						bool delayed, bool state_is_right)
{
	if (likely(!queued))
		return false;
	return preempt || !state || (!delayed && !state_is_right);
}

#endif
