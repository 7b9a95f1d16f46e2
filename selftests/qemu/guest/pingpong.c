// SPDX-License-Identifier: GPL-2.0-only
/*
 * Two processes on one CPU pass a byte back and forth through two pipes: two
 * wakeups and two switches a round.
 *
 *   pingpong CPU ROUNDS [REPEATS]
 *
 * After a warm-up prints, for each repeat, "round_ns N" (nanoseconds of a round, in
 * tenths), and at the end "rounds N", of all, and "wakeups N", which this
 * program knows as follows: each time that one of the two slept until the last
 * line was made (the kernel counts their voluntary switches), and the fork's own.
 *
 * SCHED_BATCH: a woken task does not preempt its waker, so that both always
 * sleep before they are woken; unless a third task comes in between.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define WARM_UP	500

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static long long now_ns(void)
{
	struct timespec now;

	if (clock_gettime(CLOCK_MONOTONIC, &now))
		die("clock_gettime");
	return now.tv_sec * 1000000000LL + now.tv_nsec;
}

static long sleeps(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		die("getrusage");
	return usage.ru_nvcsw;
}

static void settle(int cpu)
{
	struct sched_param param = { 0 };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	if (sched_setscheduler(0, SCHED_BATCH, &param))
		die("sched_setscheduler");
}

/* Sends each byte back, and at the end how often it slept. */
static void answer(int in, int out)
{
	long slept;
	char byte;

	while (read(in, &byte, 1) == 1) {
		if (write(out, &byte, 1) != 1)
			die("write");
	}
	slept = sleeps();
	if (write(out, &slept, sizeof(slept)) != sizeof(slept))
		die("write");
	_exit(0);
}

static void play(int in, int out, long rounds)
{
	char byte = 0;

	while (rounds--) {
		if (write(out, &byte, 1) != 1 || read(in, &byte, 1) != 1)
			die("a round");
	}
}

static long count_of(const char *text)
{
	char *end;
	long value = strtol(text, &end, 10);

	if (!*text || *end || value < 0) {
		fprintf(stderr, "pingpong: '%s' is not a number\n", text);
		exit(1);
	}
	return value;
}

int main(int argc, char **argv)
{
	long rounds, repeats = 1, repeat, slept, slept_before;
	int there[2], back[2];

	/* Up to here it had another name, that of its shell. */
	slept_before = sleeps();
	if (argc < 3 || argc > 4) {
		fprintf(stderr, "usage: pingpong CPU ROUNDS [REPEATS]\n");
		return 1;
	}
	rounds = count_of(argv[2]);
	if (argc == 4)
		repeats = count_of(argv[3]);
	settle(count_of(argv[1]));
	if (pipe(there) || pipe(back))
		die("pipe");
	switch (fork()) {
	case -1:
		die("fork");
		break;
	case 0:
		close(there[1]);
		answer(there[0], back[1]);
	}
	close(there[0]);
	close(back[1]);

	play(back[0], there[1], WARM_UP);
	for (repeat = 0; repeat < repeats; repeat++) {
		long long start = now_ns();

		play(back[0], there[1], rounds);
		printf("round_ns %lld\n", (now_ns() - start) * 10 / rounds);
	}
	close(there[1]);
	if (read(back[0], &slept, sizeof(slept)) != sizeof(slept))
		die("read");
	wait(NULL);
	printf("rounds %ld\n", rounds * repeats + WARM_UP);
	/* To where it prints, nothing sleeps: a pipe or a file. */
	fflush(stdout);
	printf("wakeups %ld\n", slept + sleeps() - slept_before + 1);
	return 0;
}
