// SPDX-License-Identifier: GPL-2.0-only
/*
 * wakelat check FILE...
 * wakelat get FILE POPULATION p50|p99|p99.9|max
 * wakelat contrast LABEL=FOLDER LABEL=FOLDER LOAD...
 *
 * check reads captures and says whether they are complete and consistent.
 * get prints one figure over all CPUs, in nanoseconds.
 * contrast sets two builds side by side: for each load it reads LOAD.wakelat
 * from both folders, and refuses if they were not measured alike. Times are in
 * microseconds, rounded up; a percentile is the upper bound of its bucket.
 *
 * Exit status: 0, or 1 after a message on standard error.
 */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dump.h"

/* Two figures differ if they are this far apart, in both ways. */
#define DIFFERS_FACTOR	1.25
#define DIFFERS_NS	1000

static const char * const population[] = { "timer/irq", "timer/rt", "timer/fair" };

/* What must agree between captures for their waits to compare. */
static const char * const alike[] = {
	"kernel_release", "machine", "hz", "clocksource", "clocksource_hz", "cpus",
	"cpus_online", "timer", "period_us", "rt_priority_reached", "stagger", "task",
};

struct build {
	char *label;
	const char *folder;
};

enum { P50, P99, P999, MAX, FIGURES };

static const char * const figure_name[FIGURES] = { "p50", "p99", "p99.9", "max" };

struct figures {
	u64 ns[FIGURES];
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static u64 quantile_ns(const struct wakelat_hist *hist, u32 ppm)
{
	u64 low_ns, high_ns;

	return wakelat_hist_quantile(hist, ppm, &low_ns, &high_ns) ? high_ns : 0;
}

static void print_us(int width, u64 ns)
{
	u64 tenths = (ns + 99) / 100;

	printf(" %*" PRIu64 ".%u", width - 3, tenths / 10, (unsigned int)(tenths % 10));
}

static bool find_figures(const struct dump *dump, const char *name,
			 struct dump_samples *all, struct figures *figures)
{
	if (!dump_merge(dump, name, all))
		return false;
	figures->ns[P50] = quantile_ns(&all->hist, 500000);
	figures->ns[P99] = quantile_ns(&all->hist, 990000);
	figures->ns[P999] = quantile_ns(&all->hist, 999000);
	figures->ns[MAX] = all->hist.count ? all->hist.max_ns : 0;
	return true;
}

static struct dump *read_load(const struct build *build, const char *load)
{
	struct dump *dump;
	char *path;

	if (asprintf(&path, "%s/%s.wakelat", build->folder, load) < 0)
		return NULL;
	dump = dump_read(path);
	free(path);
	return dump;
}

static bool check_alike(const struct dump *const dump[2], const char *load)
{
	for (size_t i = 0; i < COUNT(alike); i++) {
		const char *one = dump_field(dump[0], alike[i]);
		const char *two = dump_field(dump[1], alike[i]);

		if (strcmp(one, two)) {
			fprintf(stderr, "wakelat: load %s: %s is %s and %s: not comparable\n",
				load, alike[i], one, two);
			return false;
		}
	}
	return true;
}

static bool print_load(const struct build build[2], const char *load)
{
	struct dump *dump[2] = { read_load(&build[0], load), read_load(&build[1], load) };
	struct dump_samples all;
	struct figures figures;
	bool good = dump[0] && dump[1] && check_alike((const struct dump *const *)dump, load);

	for (size_t p = 0; good && p < COUNT(population); p++) {
		for (int b = 0; good && b < 2; b++) {
			good = find_figures(dump[b], population[p], &all, &figures);
			if (!good)
				break;
			printf("%-6s %-10s %-9s %8" PRIu64 " %6" PRIu64, load, population[p],
			       build[b].label, all.hist.count, all.missed);
			for (int f = 0; f < FIGURES; f++)
				print_us(9, figures.ns[f]);
			putchar('\n');
		}
	}
	dump_free(dump[0]);
	dump_free(dump[1]);
	return good;
}

static int print_difference(const struct build build[2], const char *load,
			    const char *name, const char *figure, u64 one_ns, u64 two_ns)
{
	u64 more_ns = one_ns > two_ns ? one_ns : two_ns;
	u64 less_ns = one_ns > two_ns ? two_ns : one_ns;
	double factor;

	if (more_ns - less_ns < DIFFERS_NS || !less_ns)
		return 0;
	factor = (double)more_ns / (double)less_ns;
	if (factor < DIFFERS_FACTOR)
		return 0;
	printf("%-6s %-10s %-6s", load, name, figure);
	print_us(9, one_ns);
	print_us(9, two_ns);
	printf("  %s waits %.*f times as long\n",
	       one_ns > two_ns ? build[0].label : build[1].label,
	       factor < 10 ? 2 : 0, factor);
	return 1;
}

static int print_differences(const struct build build[2], const char *load)
{
	struct dump *dump[2] = { read_load(&build[0], load), read_load(&build[1], load) };
	int differences = 0;

	for (size_t p = 0; p < COUNT(population); p++) {
		struct dump_samples all;
		struct figures one, two;

		find_figures(dump[0], population[p], &all, &one);
		find_figures(dump[1], population[p], &all, &two);
		for (int f = 0; f < FIGURES; f++)
			differences += print_difference(build, load, population[p],
							figure_name[f], one.ns[f],
							two.ns[f]);
	}
	dump_free(dump[0]);
	dump_free(dump[1]);
	return differences;
}

static int contrast(char **argument, int arguments)
{
	struct build build[2];
	int differences = 0;

	for (int b = 0; b < 2; b++) {
		char *equals = strchr(argument[b], '=');

		if (!equals) {
			fprintf(stderr, "wakelat: want LABEL=FOLDER, not %s\n", argument[b]);
			return EXIT_FAILURE;
		}
		*equals = '\0';
		build[b] = (struct build) { argument[b], equals + 1 };
	}
	printf("%-6s %-10s %-9s %8s %6s %8s %8s %8s %8s\n", "load", "population", "model",
	       "samples", "missed", "p50", "p99", "p99.9", "max");
	for (int l = 2; l < arguments; l++) {
		if (!print_load(build, argument[l]))
			return EXIT_FAILURE;
	}
	printf("\nWhat differs, by %.2f times and by 1 us at least:\n%-6s %-10s %-6s %8s %8s\n",
	       DIFFERS_FACTOR, "load", "population", "figure", build[0].label,
	       build[1].label);
	for (int l = 2; l < arguments; l++)
		differences += print_differences(build, argument[l]);
	if (!differences)
		puts("nothing");
	return EXIT_SUCCESS;
}

static int check(char **path, int paths)
{
	for (int i = 0; i < paths; i++) {
		struct dump *dump = dump_read(path[i]);

		if (!dump)
			return EXIT_FAILURE;
		printf("%s: %zu records, complete\n", path[i], dump->records);
		dump_free(dump);
	}
	return EXIT_SUCCESS;
}

static int get(const char *path, const char *name, const char *figure)
{
	struct dump *dump = dump_read(path);
	struct dump_samples all;
	struct figures figures;
	int status = EXIT_FAILURE;

	if (!dump)
		return status;
	for (int f = 0; f < FIGURES; f++) {
		if (strcmp(figure, figure_name[f]))
			continue;
		if (find_figures(dump, name, &all, &figures)) {
			printf("%" PRIu64 "\n", figures.ns[f]);
			status = EXIT_SUCCESS;
		}
	}
	if (status != EXIT_SUCCESS)
		fprintf(stderr, "%s: no %s of %s\n", path, figure, name);
	dump_free(dump);
	return status;
}

int main(int argc, char **argv)
{
	if (argc >= 3 && !strcmp(argv[1], "check"))
		return check(argv + 2, argc - 2);
	if (argc == 5 && !strcmp(argv[1], "get"))
		return get(argv[2], argv[3], argv[4]);
	if (argc >= 5 && !strcmp(argv[1], "contrast"))
		return contrast(argv + 2, argc - 2);
	fputs("usage: wakelat check FILE...\n"
	      "       wakelat get FILE POPULATION p50|p99|p99.9|max\n"
	      "       wakelat contrast LABEL=FOLDER LABEL=FOLDER LOAD...\n", stderr);
	return EXIT_FAILURE;
}
