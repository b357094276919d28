/* SPDX-License-Identifier: MIT */
/*
 * Reader of what strace writes, with or without -f, -t, -tt, -ttt, -r, -T, -y, -yy, -Y, -n, -i,
 * -k and --arg-names; the grammar of a line is in strace_line.h.
 */
#include "trace/format/strace/strace_reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/number.h"
#include "util/vec.h"

static const int64_t second = 1000000000;

static void bad_line(struct source *s, const char *reason)
{
	struct source_losses *losses = &s->losses;
	struct strace *st = s->reader;

	if (!losses->bad_lines++) {
		losses->first_bad = st->line;
		snprintf(losses->first_bad_reason, sizeof(losses->first_bad_reason), "%s", reason);
	}
}

/* Says when the trace began, when the log does. */
static void start_clock(struct strace *st, const struct strace_line *line)
{
	struct event e = { .type = EVENT_CLOCK, .pid = line->pid, .tid = line->pid };

	st->clock_started = true;
	st->origin = line->clock == STRACE_RELATIVE ? 0 : line->time;
	if (line->clock == STRACE_EPOCH) {
		e.clock.realtime = line->time;
		vec_push(&st->queue, e);
	}
}

static void tell_time(struct strace *st, const struct strace_line *line)
{
	const int64_t half_day = 12 * 3600 * second;

	if (line->clock == STRACE_NO_TIME)
		return;
	if (!st->clock_started)
		start_clock(st, line);
	if (line->clock == STRACE_RELATIVE) {
		if (st->now < INT64_MAX / 2)
			st->now += line->time;
		return;
	}
	int64_t now = strace_add_times(line->time - st->origin, st->day);
	if (line->clock == STRACE_TIME_OF_DAY && now < strace_add_times(st->now, -half_day)) {
		st->day = strace_add_times(st->day, 2 * half_day);
		now = strace_add_times(now, 2 * half_day);
	}
	st->now = now;
}

enum { SPLITS_LIMIT = 16 }; /* a line cut more often is not strace's */

/* Joins a line that strace itself cut in two; false when this is the first part. */
static bool join_split(struct strace *st, char **p, char **end)
{
	uint32_t pid;
	char *cut;

	if (st->split.n) {
		size_t n = st->split.n, rest = (size_t)(*end - *p);
		char *joined = scratch_take(&st->scratch, n + rest + 1);

		memcpy(joined, st->split.v, n);
		memcpy(joined + n, *p, rest + 1);
		*p = joined;
		*end = joined + n + rest;
		st->split.n = 0;
	} else {
		st->splits = 0;
	}
	cut = strace_find_attached(*p, *end, &pid);
	if (!cut || cut == *p || st->splits++ == SPLITS_LIMIT)
		return true;
	strace_text_set(&st->split, *p, (size_t)(cut - *p));
	return false;
}

/* One line into events. */
static void take_line(struct source *s, char *p, char *end)
{
	struct strace *st = s->reader;
	struct strace_line line;

	end = strace_clean(p, end);
	if (p == end || !join_split(st, &p, &end))
		return;
	if (st->in_summary) {
		st->in_summary = end - p < 5 || memcmp(end - 5, "total", 5);
		return;
	}
	strace_parse_line(p, end, &line);
	if (line.kind == STRACE_SUMMARY)
		st->in_summary = true;
	if (line.kind != STRACE_BAD)
		tell_time(st, &line);
	const char *reason = strace_take_line(s, &line);
	if (reason)
		bad_line(s, reason);
}

/*
 * The next line of the input, its newline replaced by NUL; a last one without newline counts.
 * 1, 0 at the end, or -1 and *e.
 */
static int next_line(struct source *s, char **p, char **end, struct error *e)
{
	struct strace *st = s->reader;
	size_t searched = 0;

	if (st->forking && input_fill(&s->in, STRACE_LOOK_AHEAD, e) < 0)
		return -1;
	for (;;) {
		size_t n = input_waiting(&s->in);
		unsigned char *data = input_at(&s->in);
		unsigned char *newline = memchr(data + searched, '\n', n - searched);

		if (newline || (n && s->in.fd < 0)) {
			size_t length = newline ? (size_t)(newline - data) : n;

			data[length] = '\0';
			*p = (char *)data;
			*end = *p + length;
			input_skip(&s->in, length + (newline != NULL));
			return 1;
		}
		if (s->in.fd < 0)
			return 0;
		searched = n;
		if (n >= STRACE_LINE_LIMIT) {
			st->skipping = true;
			input_skip(&s->in, n);
			searched = 0;
		}
		if (input_fill(&s->in, input_waiting(&s->in) + STRACE_LOOK_AHEAD, e) < 0)
			return -1;
	}
}

static int strace_next(struct source *s, struct event *out, struct error *e)
{
	struct strace *st = s->reader;

	while (st->taken == st->queue.n) {
		char *p, *end;
		int got;

		if (st->ended)
			return 0;
		st->taken = st->queue.n = 0;
		scratch_reset(&st->scratch);
		got = next_line(s, &p, &end, e);
		if (got < 0)
			return -1;
		st->line += got == 1;
		if (got == 0) {
			st->ended = true;
			strace_take_end(s);
		} else if (st->skipping) {
			st->skipping = false;
			bad_line(s, "a line of more than 16 MB");
		} else {
			take_line(s, p, end);
		}
	}
	*out = st->queue.v[st->taken++];
	return 1;
}

/* strace -ff writes one file per process, FILE.PID. */
static uint32_t pid_of_file(const char *path)
{
	const char *dot = strrchr(path, '.');
	uint64_t pid;

	return dot && number_parse_u64(dot + 1, &pid) && pid < 1 << 22 ? (uint32_t)pid : 0;
}

static bool recognize(const unsigned char *data, size_t n)
{
	struct strace_survey survey;

	if (memchr(data, '\0', n < 512 ? n : 512))
		return false;
	strace_survey(data, n, &survey);
	free(survey.command);
	return survey.good > survey.bad / 8;
}

static int strace_open(struct source *s, struct error *e)
{
	struct strace *st = s->reader = xcalloc(1, sizeof(*st));
	struct strace_survey survey;

	(void)e;
	strace_survey(input_at(&s->in), input_waiting(&s->in), &survey);
	st->command = survey.command;
	st->root = survey.root ? survey.root : pid_of_file(s->in.name);
	s->info.abi = syscall_native_abi();
	s->info.recorder = "strace";
	s->info.has_time = survey.has_time;
	s->info.has_duration = survey.has_duration;
	s->info.clock = TRACE_CLOCK_REALTIME;
	if (survey.command)
		s->info.command = survey.command;
	st->fds = fdtable_new(s->info.abi, NULL, NULL);
	st->id.execve = syscall_by_name("execve");
	st->id.execveat = syscall_by_name("execveat");
	st->id.restart_syscall = syscall_by_name("restart_syscall");
	st->id.rt_sigreturn = syscall_by_name("rt_sigreturn");
	st->id.sigreturn = syscall_by_name("sigreturn");
	st->id.fork = syscall_by_name("fork");
	st->id.vfork = syscall_by_name("vfork");
	st->id.clone = syscall_by_name("clone");
	st->id.clone3 = syscall_by_name("clone3");
	return 0;
}

static void strace_close(struct source *s)
{
	struct strace *st = s->reader;

	strace_threads_free(&st->threads);
	fdtable_free(st->fds);
	scratch_free(&st->scratch);
	vec_free(&st->queue);
	vec_free(&st->split);
	free(st->command);
	free(st);
}

const struct format strace_format = {
	.name = "strace",
	.recognize = recognize,
	.open = strace_open,
	.next = strace_next,
	.close = strace_close,
};
