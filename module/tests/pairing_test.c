// SPDX-License-Identifier: GPL-2.0-only
/*
 * The cases of pairing_cases.h in userspace, under sanitizers and in longer
 * orders, and the table with several threads at a time.
 */
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Threads that meet between any two accesses, which would else be rare. */
static __thread uint64_t jitter_random;	/* 0: this thread has none */
static void jitter(void);

#define __atomic_load_n(p, order)		(jitter(), __atomic_load_n(p, order))
#define __atomic_store_n(p, value, order)	(jitter(), __atomic_store_n(p, value, order))
#define __sync_val_compare_and_swap(p, old, new) \
	(jitter(), __sync_val_compare_and_swap(p, old, new))

#include "../pairing.c"
#include "pairing_cases.h"

#define LENGTH		15	/* of every order */
#define SEEDS		20000
#define STREAM		400

#define THREADS		3
#define IDS_EACH	16
#define ROUNDS		150000
#define TIGHT		2	/* buckets that are full also for a thread that is alone */
#define WIDE		16	/* with an id of each thread: never full, often empty */

static u64 next_random(u64 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

static void jitter(void)
{
	if (jitter_random && !(next_random(&jitter_random) >> 32 & 15))
		sched_yield();
}

static void every_order(void **state)
{
	assert_int_equal(case_every_order(LENGTH), 0);
}

static void full(void **state)
{
	assert_int_equal(case_full(), 0);
}

static void identity(void **state)
{
	assert_int_equal(case_identity(), 0);
}

static void blind(void **state)
{
	assert_int_equal(case_blind(), 0);
}

/* Asleep for sure: only then may a wakeup take a place that is sure. */
static void sleepers(void **state)
{
	for (u32 i = 0; i < 8; i++) {
		bool queued = i & 1, delayed = i & 2, running = i & 4;
		bool want = !queued;

		if (queued && delayed && !running)
			want = true;
		assert_int_equal(wakelat_wakes_sleeper(queued, delayed, running), want);
	}
}

/* Much longer than every order can be, but only some. */
static void streams(void **state)
{
	unsigned char byte[STREAM];

	for (u64 seed = 1; seed <= SEEDS; seed++) {
		u64 random = seed;

		for (u32 i = 0; i < STREAM; i++)
			byte[i] = next_random(&random) >> 32;
		assert_int_equal(case_stream(byte, sizeof(byte)), 0);
	}
}

/* What the thread that owns a thread id knows of it. */
struct owned {
	u64 start;	/* 0: it has no entry */
	u64 maybe;	/* the last one; it may have been lost to another */
};

/* Times are a thread's own: their remainder tells whose. */
struct owner {
	u32 nth;
	const struct wakelat_pairing *table;
	struct owned owned[IDS_EACH];
	u64 now;
	u64 full;	/* waits that found no place */
	u64 maybes;	/* that were told, and that were lost */
	u64 lost;
	const char *wrong;
	pthread_barrier_t *begin;
	u32 *working;
	pthread_t thread;
};

static u64 owner_time(struct owner *owner)
{
	owner->now += THREADS;
	return owner->now;
}

static void owner_waits(struct owner *owner, struct owned *owned, u32 id, enum wakelat_kind kind)
{
	u64 time = owner_time(owner);

	owned->start = make_start(time, kind);
	if (wakelat_pairing_wait(owner->table, id, time, kind))
		return;
	owner->full++;
	*owned = (struct owned) { 0 };
}

static void owner_maybe_waits(struct owner *owner, struct owned *owned, u32 id)
{
	u64 time = owner_time(owner);

	owned->maybe = make_start(time, WAKELAT_WAKEUP);
	wakelat_pairing_maybe(owner->table, id, time);
}

static void owner_runs(struct owner *owner, struct owned *owned, u32 id)
{
	u64 start = wakelat_pairing_run(owner->table, id);

	if (owned->start) {
		if (start != owned->start)
			owner->wrong = "not the start that was given";
		owned->start = 0;
		return;
	}
	if (start && wakelat_start_time(start) % THREADS != owner->now % THREADS)
		owner->wrong = "another's time";
	else if (start && start != owned->maybe)
		owner->wrong = "an old time";
	if (owned->maybe && start)
		owner->maybes++;
	else if (owned->maybe)
		owner->lost++;
	owned->maybe = 0;
}

static void *own(void *data)
{
	struct owner *owner = data;
	u64 random = owner->nth + 1;

	pthread_barrier_wait(owner->begin);
	jitter_random = random;
	for (u32 round = 0; round < ROUNDS && !owner->wrong; round++) {
		u32 nth = next_random(&random) >> 32 & (IDS_EACH - 1);
		struct owned *owned = &owner->owned[nth];
		u32 id = 1 + owner->nth * IDS_EACH + nth;

		switch (next_random(&random) >> 32 & 15) {
		case 0 ... 2:
			owner_waits(owner, owned, id, WAKELAT_WAKEUP);
			break;
		case 3 ... 4:
			owner_waits(owner, owned, id, WAKELAT_PREEMPTED);
			break;
		case 5 ... 8:
			owner_maybe_waits(owner, owned, id);
			break;
		case 9:
			wakelat_pairing_forget(owner->table, id);
			*owned = (struct owned) { 0 };
			break;
		default:
			owner_runs(owner, owned, id);
		}
	}
	for (u32 nth = 0; nth < IDS_EACH && !owner->wrong; nth++)
		wakelat_pairing_forget(owner->table, 1 + owner->nth * IDS_EACH + nth);
	__atomic_sub_fetch(owner->working, 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Threads with thread ids of their own, in buckets that all share. */
static void at_a_time(u32 buckets, bool with_blind)
{
	struct wakelat_bucket bucket[WIDE] = { 0 };
	struct wakelat_pairing table = { .bucket = bucket, .mask = buckets - 1 };
	struct owner owner[THREADS];
	pthread_barrier_t begin;
	u32 working = THREADS;

	assert_int_equal(pthread_barrier_init(&begin, NULL, THREADS), 0);
	for (u32 i = 0; i < THREADS; i++) {
		owner[i] = (struct owner) {
			.nth = i, .table = &table, .now = THREADS + i,
			.begin = &begin, .working = &working,
		};
		assert_int_equal(pthread_create(&owner[i].thread, NULL, own, &owner[i]), 0);
	}
	while (with_blind && READ_ONCE(working)) {
		wakelat_pairing_blind_begin(&table);
		sched_yield();
		wakelat_pairing_blind_end(&table);
		sched_yield();
	}
	for (u32 i = 0; i < THREADS; i++)
		assert_int_equal(pthread_join(owner[i].thread, NULL), 0);
	for (u32 i = 0; i < THREADS; i++) {
		if (owner[i].wrong)
			fail_msg("thread %u: %s", i, owner[i].wrong);
		/* Else this proves nothing. */
		assert_int_equal(!!owner[i].full, buckets == TIGHT);
		assert_true(owner[i].maybes && owner[i].lost);
	}
	pthread_barrier_destroy(&begin);
	assert_int_equal(wakelat_pairing_waiting(&table), 0);
	for (u32 i = 0; i < buckets; i++)
		assert_int_equal(bucket[i].maybe_id, 0);
}

static void threads_tight(void **state)
{
	at_a_time(TIGHT, false);
}

static void threads_wide(void **state)
{
	at_a_time(WIDE, false);
}

static void threads_and_blind(void **state)
{
	at_a_time(TIGHT, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_order),
		cmocka_unit_test(full),
		cmocka_unit_test(identity),
		cmocka_unit_test(blind),
		cmocka_unit_test(sleepers),
		cmocka_unit_test(streams),
		cmocka_unit_test(threads_tight),
		cmocka_unit_test(threads_wide),
		cmocka_unit_test(threads_and_blind),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("pairing", tests, NULL, NULL);
}
