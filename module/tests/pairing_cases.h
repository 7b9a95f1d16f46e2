/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The rules of pairing.h against a model of the scheduler: one task, whoever
 * wakes it, and every order of their steps up to a length. The model knows when
 * the task began to wait; what the events tell must agree each time it runs.
 *
 * Shared by KUnit and the userspace tests. Each case returns 0, or the number of
 * the first thing that is wrong.
 */
#ifndef WAKELAT_PAIRING_CASES_H
#define WAKELAT_PAIRING_CASES_H

#define ID	7u

enum { RUNNING = 0, SLEEP = 1, DEAD = 0x80 };

/* Where the task is: it executes, is inside schedule(), or off its CPU. */
enum place { EXECUTES, SCHEDULES, OFF };

/* The waker: has told the wakeup (and holds pi_lock), or has yet to enqueue. */
enum waker { ELSEWHERE, TOLD, ENQUEUES };

struct kernel_kind {
	bool delays;		/* may leave a blocked task queued (v6.12) */
	bool state_is_right;	/* sched_switch does not tell a stale state */
};

struct model {
	struct wakelat_bucket bucket;
	enum place place;
	enum waker waker;
	bool queued;
	bool delayed;
	bool signal;
	u32 state;
	u32 told_state;		/* what sched_switch will tell */
	u64 now;
	u64 woken_at;		/* the last sched_waking */
	u64 start;		/* the truth, as the table has it; 0: does not wait */
	u32 runs;
};

/* Steps that are possible are made and return true. */
typedef bool step_fn(struct model *m, const struct kernel_kind *kernel);

static struct wakelat_pairing table_of(struct model *m)
{
	return (struct wakelat_pairing) { .bucket = &m->bucket };
}

static u64 make_start(u64 time, enum wakelat_kind kind)
{
	return time << 1 | kind;
}

/* The task is runnable from now on, and off its CPU. */
static void starts_to_wait(struct model *m, u64 time, enum wakelat_kind kind)
{
	if (!m->start)
		m->start = make_start(time, kind);
}

static bool step_wants_sleep(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != EXECUTES || m->state != RUNNING)
		return false;
	m->state = SLEEP;
	return true;
}

static bool step_gets_signal(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != EXECUTES || m->signal)
		return false;
	m->signal = true;
	return true;
}

/* try_to_wake_up(current): told, but no wait may start from it. */
static bool step_wakes_itself(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != EXECUTES || m->state != SLEEP || m->waker == TOLD)
		return false;
	m->state = RUNNING;
	return true;
}

/* schedule(), up to where it has decided; the runqueue is locked until it switches. */
static bool begin_schedule(struct model *m, const struct kernel_kind *kernel, bool delay)
{
	if (m->place != EXECUTES)
		return false;
	m->told_state = m->state;
	m->place = SCHEDULES;
	if (m->state == SLEEP && m->signal) {
		m->state = RUNNING;
		m->signal = false;
		if (kernel->state_is_right)
			m->told_state = RUNNING;
	} else if (m->state == SLEEP && delay) {
		m->delayed = true;
	} else if (m->state == SLEEP) {
		m->queued = false;
	}
	return true;
}

static bool step_schedules(struct model *m, const struct kernel_kind *kernel)
{
	return begin_schedule(m, kernel, false);
}

static bool step_schedules_delayed(struct model *m, const struct kernel_kind *kernel)
{
	if (!kernel->delays || m->state != SLEEP || m->signal)
		return false;
	return begin_schedule(m, kernel, true);
}

static void switch_out(struct model *m, const struct kernel_kind *kernel, bool preempt)
{
	const struct wakelat_pairing table = table_of(m);

	if (wakelat_could_go_on(preempt, m->told_state, m->queued, m->delayed,
				kernel->state_is_right))
		wakelat_pairing_wait(&table, ID, m->now, WAKELAT_PREEMPTED);
	if (m->queued && !m->delayed)
		starts_to_wait(m, m->now, WAKELAT_PREEMPTED);
	m->place = OFF;
}

static bool step_switched_out(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != SCHEDULES)
		return false;
	switch_out(m, kernel, false);
	return true;
}

/* schedule() may find that there is nobody better: no event. */
static bool step_goes_on(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != SCHEDULES || !m->queued || m->delayed)
		return false;
	m->place = EXECUTES;
	m->start = 0;
	return true;
}

static bool step_preempted(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != EXECUTES)
		return false;
	m->told_state = m->state;
	switch_out(m, kernel, true);
	return true;
}

/* A delayed task leaves the queue after all. */
static bool step_dequeued(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != OFF || !m->delayed)
		return false;
	m->queued = false;
	m->delayed = false;
	return true;
}

static bool step_woken(struct model *m, const struct kernel_kind *kernel)
{
	const struct wakelat_pairing table = table_of(m);

	if (m->waker != ELSEWHERE || m->state != SLEEP)
		return false;
	m->waker = TOLD;
	m->woken_at = m->now;
	if (wakelat_wakes_sleeper(m->queued, m->delayed, m->place != OFF))
		wakelat_pairing_wait(&table, ID, m->now, WAKELAT_WAKEUP);
	else
		wakelat_pairing_maybe(&table, ID, m->now);
	return true;
}

/* The waker looks at the queue, for which it needs its lock if the task is there. */
static bool step_wake_goes_on(struct model *m, const struct kernel_kind *kernel)
{
	if (m->waker != TOLD)
		return false;
	if (!m->queued) {
		m->waker = ENQUEUES;
		return true;
	}
	/* The lock is dropped inside schedule() only to look for work elsewhere. */
	if (m->place == SCHEDULES && !m->delayed)
		return false;
	if (m->delayed)
		starts_to_wait(m, m->woken_at, WAKELAT_WAKEUP);
	m->delayed = false;
	m->state = RUNNING;
	m->waker = ELSEWHERE;
	return true;
}

static bool step_enqueued(struct model *m, const struct kernel_kind *kernel)
{
	if (m->waker != ENQUEUES || m->place != OFF)
		return false;
	starts_to_wait(m, m->woken_at, WAKELAT_WAKEUP);
	m->queued = true;
	m->state = RUNNING;
	m->waker = ELSEWHERE;
	return true;
}

static bool step_runs(struct model *m, const struct kernel_kind *kernel)
{
	if (m->place != OFF || !m->queued || m->delayed)
		return false;
	m->place = EXECUTES;
	m->runs++;
	return true;
}

static step_fn * const steps[] = {
	step_wants_sleep, step_gets_signal, step_wakes_itself, step_schedules,
	step_schedules_delayed, step_switched_out, step_goes_on, step_preempted,
	step_dequeued, step_woken, step_wake_goes_on, step_enqueued, step_runs,
};

#define STEPS	(sizeof(steps) / sizeof(steps[0]))

/* A task that runs and has not been seen yet. */
static void model_init(struct model *m)
{
	*m = (struct model) { .place = EXECUTES, .queued = true };
}

/* The @nth step, if it is possible; what the table tells must be true. */
static bool model_step(struct model *m, const struct kernel_kind *kernel, u32 nth, int *wrong)
{
	const struct wakelat_pairing table = table_of(m);
	u32 runs = m->runs;
	u64 told;

	m->now++;
	if (!steps[nth](m, kernel))
		return false;
	if (m->runs == runs)
		return true;
	told = wakelat_pairing_run(&table, ID);
	/*
	 * Where a stale state is told, a task that is woken on its way out cannot
	 * be told from one that a signal kept: its wait counts from a bit later.
	 */
	if (told != m->start &&
	    !(kernel->delays && !kernel->state_is_right &&
	      wakelat_start_kind(told) == WAKELAT_PREEMPTED &&
	      wakelat_start_kind(m->start) == WAKELAT_WAKEUP &&
	      wakelat_start_time(told) >= wakelat_start_time(m->start)))
		*wrong = 1;
	m->start = 0;
	return true;
}

/* Counts the runs that were looked at into @checked. */
static int explore(const struct model *from, const struct kernel_kind *kernel, u32 length,
		   u64 *checked)
{
	u32 i;

	for (i = 0; length && i < STEPS; i++) {
		struct model next = *from;
		int wrong = 0;

		if (!model_step(&next, kernel, i, &wrong))
			continue;
		*checked += next.runs - from->runs;
		if (!wrong)
			wrong = explore(&next, kernel, length - 1, checked);
		if (wrong)
			return wrong + 1;	/* how long the way is */
	}
	return 0;
}

static const struct kernel_kind kernel_kinds[] = {
	{ .delays = false, .state_is_right = false },	/* up to v6.11 */
	{ .delays = true, .state_is_right = false },	/* v6.12 */
	{ .delays = true, .state_is_right = true },	/* v6.16 on */
};

static int case_every_order(u32 length)
{
	u32 i;

	for (i = 0; i < sizeof(kernel_kinds) / sizeof(kernel_kinds[0]); i++) {
		struct model m;
		u64 checked = 0;
		int wrong;

		model_init(&m);
		wrong = explore(&m, &kernel_kinds[i], length, &checked);
		if (wrong)
			return wrong;
		/* A model in which the task never runs proves nothing. */
		if (checked < length)
			return -1;
	}
	return 0;
}

/* Bytes choose the kernel and then the steps. */
static inline int case_stream(const unsigned char *byte, unsigned long size)
{
	struct model m;
	unsigned long i;
	int wrong = 0;

	model_init(&m);
	for (i = 1; i < size && !wrong; i++) {
		u64 now = m.now;

		if (!model_step(&m, &kernel_kinds[byte[0] % 3], byte[i] % STEPS, &wrong))
			m.now = now;
	}
	return wrong;
}

/* A full bucket: the wait is lost, and an older wakeup does not stand in for it. */
static int case_full(void)
{
	struct wakelat_bucket bucket[2] = { 0 };
	const struct wakelat_pairing table = { .bucket = bucket, .mask = 1 };
	u32 id;

	wakelat_pairing_maybe(&table, 11, 1);
	for (id = 1; id <= 2 * WAKELAT_PAIRING_SLOTS; id += 2) {
		if (!wakelat_pairing_wait(&table, id, 10 + id, WAKELAT_WAKEUP))
			return 1;
	}
	if (wakelat_pairing_wait(&table, 11, 20, WAKELAT_WAKEUP))
		return 2;
	if (wakelat_pairing_run(&table, 11))
		return 3;
	if (wakelat_pairing_waiting(&table) != WAKELAT_PAIRING_SLOTS)
		return 4;
	/* The other bucket has its places still. */
	if (!wakelat_pairing_wait(&table, 2, 30, WAKELAT_PREEMPTED) ||
	    wakelat_pairing_run(&table, 2) != make_start(30, WAKELAT_PREEMPTED))
		return 5;
	for (id = 1; id <= 2 * WAKELAT_PAIRING_SLOTS; id += 2) {
		if (wakelat_pairing_run(&table, id) != make_start(10 + id, WAKELAT_WAKEUP))
			return 6;
	}
	return wakelat_pairing_waiting(&table) ? 7 : 0;
}

/* An end, a thread id that comes again, and an event that was not told. */
static int case_identity(void)
{
	struct wakelat_bucket bucket = { 0 };
	const struct wakelat_pairing table = { .bucket = &bucket };

	if (wakelat_pairing_run(&table, ID))
		return 1;
	wakelat_pairing_wait(&table, ID, 1, WAKELAT_WAKEUP);
	wakelat_pairing_maybe(&table, ID, 2);
	wakelat_pairing_forget(&table, ID);
	if (wakelat_pairing_run(&table, ID) || wakelat_pairing_waiting(&table))
		return 2;
	wakelat_pairing_wait(&table, ID, 3, WAKELAT_PREEMPTED);
	wakelat_pairing_wait(&table, ID, 4, WAKELAT_WAKEUP);
	if (wakelat_pairing_run(&table, ID) != make_start(4, WAKELAT_WAKEUP))
		return 3;
	if (wakelat_pairing_run(&table, ID))
		return 4;
	/* Another's wakeup is no wakeup. */
	wakelat_pairing_maybe(&table, ID + 1, 5);
	return wakelat_pairing_run(&table, ID) ? 5 : 0;
}

/* While wakeups may go untold, one that was told may be an old one. */
static int case_blind(void)
{
	struct wakelat_bucket bucket = { 0 };
	struct wakelat_pairing table = { .bucket = &bucket };

	wakelat_pairing_maybe(&table, ID, 1);
	if (wakelat_pairing_run(&table, ID) != make_start(1, WAKELAT_WAKEUP))
		return 1;
	wakelat_pairing_maybe(&table, ID, 2);
	wakelat_pairing_blind_begin(&table);
	if (wakelat_pairing_run(&table, ID))
		return 2;
	wakelat_pairing_maybe(&table, ID, 3);
	wakelat_pairing_wait(&table, ID + 1, 4, WAKELAT_WAKEUP);
	wakelat_pairing_blind_end(&table);
	if (wakelat_pairing_run(&table, ID))
		return 3;
	/* What has started for sure stays. */
	if (wakelat_pairing_run(&table, ID + 1) != make_start(4, WAKELAT_WAKEUP))
		return 4;
	wakelat_pairing_maybe(&table, ID, 5);
	return wakelat_pairing_run(&table, ID) == make_start(5, WAKELAT_WAKEUP) ? 0 : 5;
}

#endif
