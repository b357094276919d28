/* SPDX-License-Identifier: MIT */
/*
 * The format of strace's output, with or without -f, -ff, -t, -tt, -ttt, -r, -T, -y, -yy, -Y, -n,
 * -i, -k, -C, -e read= and --arg-names.
 */
#include "trace/format/strace/strace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"

enum {
	LINE_LIMIT = 16 << 20, /* bytes: strace writes no longer lines */
	READ_AHEAD = 64 << 10, /* bytes */
	SPLICES_LIMIT = 16,    /* how often strace may cut a line by a message of its own */
	SURVEY = 256 << 10,    /* bytes: enough to meet -T and a second process */
};

static void count_bad_line(struct source *s, const char *reason)
{
	const struct strace *st = s->reader;

	source_count_bad_line(&s->losses, st->line, reason);
}

/* ---- lines ---- */

static void start_clock(struct strace *st, const struct strace_line *line)
{
	struct event e = { .type = EVENT_CLOCK, .pid = line->pid, .tid = line->pid };

	st->clock = line->clock;
	st->origin = line->clock == STRACE_RELATIVE ? 0 : line->time;
	if (line->clock == STRACE_EPOCH) {
		e.clock.realtime = line->time;
		importer_push(&st->im, &e);
	}
}

static void advance_clock(struct strace *st, const struct strace_line *line)
{
	const int64_t day = 24 * 3600 * (int64_t)1000000000;

	if (line->clock == STRACE_NO_TIME)
		return;
	if (st->clock == STRACE_NO_TIME)
		start_clock(st, line);
	/* The limits keep a corrupt log from overflowing: see input_seconds(). */
	if (line->clock == STRACE_RELATIVE) {
		st->now += st->now < INT64_MAX / 2 ? line->time : 0;
		return;
	}
	if (line->clock == STRACE_TIME_OF_DAY && st->days < INT64_MAX / 4 &&
	    line->time - st->origin + st->days < st->now - day / 2)
		st->days += day;
	st->now = line->time - st->origin + st->days;
}

static void take_line(struct source *s, char *p, char *end)
{
	struct strace *st = s->reader;
	struct strace_line line;

	if (end > p && end[-1] == '\r')
		*--end = '\0';
	if (p == end)
		return;
	strace_parse_line(p, end, &line);
	if (line.kind == STRACE_NOTE)
		return;
	if (line.kind != STRACE_BAD)
		advance_clock(st, &line);
	const char *reason = strace_take_line(s, &line);
	if (reason)
		count_bad_line(s, reason);
	else
		st->good++;
}

/*
 * Finds the next line, which may lack its newline at the end of the log, and ends it by a NUL.  A
 * line that is too long is counted as bad and becomes an empty one.  1, 0 at the end, or -1 and *e.
 */
static int next_line(struct source *s, char **p, char **end, struct error *e)
{
	struct strace *st = s->reader;
	struct input *in = &s->in;
	size_t searched = 0;
	unsigned splices = 0;
	bool skipping = false;

	for (;;) {
		size_t want = searched + READ_AHEAD;

		if (input_waiting(in) < want && input_fill(in, want, e) < 0)
			return -1;
		size_t n = input_waiting(in);
		if (!n)
			return 0;
		char *data = (char *)input_at(in);
		char *newline = memchr(data + searched, '\n', n - searched);
		if (!newline && in->fd >= 0) {
			searched = n;
			if (n >= LINE_LIMIT) {
				skipping = true;
				input_skip(in, n);
				searched = 0;
			}
			continue;
		}
		*p = data;
		*end = newline ? newline : data + n;
		char *cut = newline ? strace_find_attached(*p, *end) : NULL;
		st->line++;
		if (cut && cut > *p && splices++ < SPLICES_LIMIT) {
			/* The rest of this line is on the next one: move the head there. */
			searched = (size_t)(cut - *p);
			memmove(newline + 1 - searched, *p, searched);
			input_skip(in, (size_t)(newline + 1 - data) - searched);
			continue;
		}
		**end = '\0';
		input_skip(in, (size_t)(*end - *p) + (newline != NULL));
		if (skipping) {
			count_bad_line(s, "a line of more than 16 MB");
			*end = *p;
		}
		return 1;
	}
}

static int strace_next(struct source *s, struct event *out, struct error *e)
{
	struct strace *st = s->reader;
	char *p, *end;

	while (!importer_next(&st->im, out)) {
		if (st->ended)
			return 0;
		int got = next_line(s, &p, &end, e);
		if (got < 0)
			return -1;
		st->ended = got == 0;
		if (got)
			take_line(s, p, end);
		else
			importer_end(&st->im);
	}
	return 1;
}

/* ---- the log as a whole ---- */

static void free_reader(struct source *s)
{
	struct strace *st = s->reader;

	importer_free(&st->im);
	vec_free(&st->forks);
	free(st->command);
	free(st);
}

/*
 * Reads the first lines in data[n] in advance, for what must be known at the start: s->info, the
 * command and the first process, which has no number until there is another.  Returns a reader at
 * the end of these lines; free_reader() and input_close() free it.
 */
static struct strace *survey(struct source *s, const unsigned char *data, size_t n)
{
	struct strace *st = s->reader = xcalloc(1, sizeof(*st));
	struct event e;

	n = n < SURVEY ? n : SURVEY;
	const unsigned char *newline = memrchr(data, '\n', n);
	input_memory(&s->in, data, newline ? (size_t)(newline - data) : n, "");
	s->info.abi = syscall_native_abi();
	strace_begin(s);
	while (strace_next(s, &e, NULL) == 1) {
		s->info.has_duration |= e.type == EVENT_SYSCALL && e.call.duration >= 0;
		if (e.type == EVENT_EXEC && !st->command)
			st->command = xstrdup(e.exec.command);
	}
	s->info.has_time = st->clock != STRACE_NO_TIME;
	return st;
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	struct source head = { 0 };

	(void)path;
	bool is_strace = survey(&head, data, n)->good > head.losses.bad_lines / 8;
	free_reader(&head);
	input_close(&head.in);
	return is_strace;
}

/* strace -ff writes one file per process, FILE.PID. */
static uint32_t pid_of_file(const char *path)
{
	const char *dot = strrchr(path, '.');
	uint64_t pid;

	return dot && number_parse_u64(dot + 1, &pid) && pid < 1 << 22 ? (uint32_t)pid : 0;
}

static int strace_open(struct source *s, struct error *e)
{
	struct strace *st = s->reader = xcalloc(1, sizeof(*st));
	struct source head = { 0 };
	struct strace *seen = survey(&head, input_at(&s->in), input_waiting(&s->in));

	(void)e;
	st->root = seen->root ? seen->root : pid_of_file(s->in.name);
	st->command = seen->command;
	seen->command = NULL;
	free_reader(&head);
	input_close(&head.in);
	s->info.abi = head.info.abi;
	s->info.has_time = head.info.has_time;
	s->info.has_duration = head.info.has_duration;
	s->info.recorder = "strace";
	s->info.clock = TRACE_CLOCK_REALTIME;
	if (st->command)
		s->info.command = st->command;
	strace_begin(s);
	return 0;
}

const struct format strace_format = {
	.name = "strace",
	.text = true,
	.recognize = recognize,
	.open = strace_open,
	.next = strace_next,
	.close = free_reader,
};
