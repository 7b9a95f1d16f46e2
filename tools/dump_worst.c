// SPDX-License-Identifier: GPL-2.0-only
/* The records of a capture that name: the worst waits. */
#include "dump_reader.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static const char * const class_name[] = { "dl", "rt", "fair", "ext", "idle" };

static struct dump_worst *last_worst(const struct reader *reader)
{
	return &reader->dump->worst[reader->dump->worst_count - 1];
}

static struct dump_wait *last_wait(const struct reader *reader)
{
	const struct dump_worst *worst = last_worst(reader);

	return &worst->wait[worst->waits - 1];
}

static bool is_timer(const struct dump_worst *worst)
{
	return !strncmp(worst->population, "timer/", 6);
}

static bool begin_worst(struct reader *reader, const struct line *line)
{
	struct dump *dump = reader->dump;
	struct dump_worst *worst;

	dump->worst = add_one(dump->worst, &dump->worst_count, sizeof(*dump->worst));
	worst = last_worst(reader);
	if (!parse_place(reader, line, false, worst->population, &worst->cpu))
		return false;
	for (size_t i = 0; i + 1 < dump->worst_count; i++) {
		if (dump->worst[i].cpu == worst->cpu &&
		    !strcmp(dump->worst[i].population, worst->population))
			return refuse(reader, "told twice: worst %s cpu %u", worst->population,
				      worst->cpu);
	}
	return true;
}

/* "victim PID CLASS PRIO COMM"; the name may be empty, and is one word. */
static bool read_who(struct reader *reader, const struct line *line, struct dump_who *who)
{
	const char *prio = line->words == 5 ? line->word[3] : "";
	bool below = *prio == '-';
	u64 pid, number;

	for (size_t i = 0; line->words == 5 && i < COUNT(class_name); i++) {
		if (!strcmp(line->word[2], class_name[i]))
			who->class = class_name[i];
	}
	if (!who->class || !parse_number(line->word[1], &pid) || pid > INT_MAX ||
	    !parse_number(prio + below, &number) || number > INT_MAX ||
	    strlen(line->word[4]) >= DUMP_COMM)
		return refuse(reader, "want %s, a thread id, a class, a priority and a name",
			      line->word[0]);
	who->pid = pid;
	who->prio = below ? -(int)number : (int)number;
	strcpy(who->comm, line->word[4]);
	return true;
}

/* Of a module's function the module is a word of its own. */
static bool read_stack(struct reader *reader, const struct line *line)
{
	struct dump_wait *wait = last_wait(reader);
	char symbol[1024];

	if (line->words < 2 || line->words > 3 || !line->word[1][0] ||
	    (line->words == 3 && line->word[2][0] != '[') ||
	    (size_t)snprintf(symbol, sizeof(symbol), "%s%s%s", line->word[1],
			     line->words == 3 ? " " : "",
			     line->words == 3 ? line->word[2] : "") >= sizeof(symbol))
		return refuse(reader, "want stack and a symbol");
	if (wait->depth == DUMP_STACK)
		return refuse(reader, "a stack of more than %u", DUMP_STACK);
	wait->stack[wait->depth++] = copy_text(symbol);
	return true;
}

static bool read_found_in(struct reader *reader, const struct line *line)
{
	struct dump_wait *wait = last_wait(reader);

	wait->in_user = line->words == 2 && !strcmp(line->word[1], "user");
	if (!wait->in_user && !(line->words == 2 && !strcmp(line->word[1], "kernel")))
		return refuse(reader, "want found_in user or found_in kernel");
	return true;
}

/* The lines of a wait, in their order. */
static const char * const timer_line[] = {
	"wait_ns", "ended_ns", "victim", "instead", "irq_late_ns", "found_in",
};

static const char * const task_line[] = {
	"wait_ns", "ended_ns", "victim", "instead", "ran_ns",
};

static bool read_wait_line(struct reader *reader, const struct line *line, const char *name)
{
	struct dump_worst *worst = last_worst(reader);
	struct dump_wait *wait = last_wait(reader);
	const struct {
		const char *name;
		u64 *number;
	} numbers[] = {
		{ "wait_ns", &wait->wait_ns },
		{ "ended_ns", &wait->ended_ns },
		{ "irq_late_ns", &wait->irq_late_ns },
		{ "ran_ns", &wait->ran_ns },
	};

	if (!strcmp(name, "victim"))
		return read_who(reader, line, &wait->victim);
	if (!strcmp(name, "instead"))
		return read_who(reader, line, &wait->instead);
	if (!strcmp(name, "found_in"))
		return read_found_in(reader, line);
	for (size_t i = 0; i < COUNT(numbers); i++) {
		if (!strcmp(name, numbers[i].name) &&
		    (line->words != 2 || !parse_number(line->word[1], numbers[i].number)))
			return refuse(reader, "%s is not a number", name);
	}
	if (worst->waits > 1 && wait->wait_ns > wait[-1].wait_ns)
		return refuse(reader, "%" PRIu64 " ns after %" PRIu64 ": not the longest first",
			      wait->wait_ns, wait[-1].wait_ns);
	return true;
}

static bool next_worst(struct reader *reader, const struct line *line)
{
	struct dump_worst *worst = last_worst(reader);
	const char * const *name = is_timer(worst) ? timer_line : task_line;
	size_t names = is_timer(worst) ? COUNT(timer_line) : COUNT(task_line);

	if (worst->waits && reader->lines == names && is_timer(worst) &&
	    !strcmp(line->word[0], "stack"))
		return read_stack(reader, line);
	if (!worst->waits || reader->lines == names) {
		if (strcmp(line->word[0], name[0]))
			return unexpected(reader, line);
		worst->wait = add_one(worst->wait, &worst->waits, sizeof(*worst->wait));
		reader->lines = 0;
	}
	name += reader->lines++;
	if (strcmp(line->word[0], *name))
		return refuse(reader, "want %s, not %s", *name, line->word[0]);
	return read_wait_line(reader, line, *name);
}

static bool finish_worst(struct reader *reader)
{
	const struct dump_worst *worst = last_worst(reader);
	size_t names = is_timer(worst) ? COUNT(timer_line) : COUNT(task_line);

	if (worst->waits && reader->lines != names)
		return refuse(reader, "the last wait of %s cpu %u is not complete",
			      worst->population, worst->cpu);
	return true;
}

const struct record_kind worst_kind = {
	"worst", begin_worst, next_worst, finish_worst,
};
