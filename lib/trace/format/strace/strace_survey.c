/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace_reader.h"

#include <stdlib.h>
#include <string.h>

#include "trace/format/strace/strace_args.h"
#include "util/map.h"
#include "util/xalloc.h"

enum { LINES = 4000 }; /* enough to meet -T and a second process */

/* The survey at work. */
struct look {
	struct strace_survey *out;
	struct map children; /* threads known to be made by another */
	struct scratch scratch;
};

static void look_at_call(struct look *l, struct strace_line *line)
{
	static const char *const forks[] = { "clone", "clone3", "fork", "vfork" };
	struct strace_call call;

	if (strace_parse_call(line->body.p, line->body.end, &call)) {
		l->out->bad++;
		return;
	}
	l->out->good++;
	l->out->has_duration |= call.duration >= 0;
	size_t n = span_length(call.name);
	for (size_t i = 0; i < sizeof(forks) / sizeof(*forks); i++)
		if (n == strlen(forks[i]) && !memcmp(call.name.p, forks[i], n) && call.value > 0)
			*map_at(&l->children, (uint64_t)call.value) = 1;
	if (!l->out->command && n == 6 && !memcmp(call.name.p, "execve", 6) &&
	    call.result == STRACE_NUMBER && call.value == 0)
		l->out->command = xstrdup(strace_command(&call, &l->scratch));
}

/* The first process has no number until there is another; one that nobody made is its. */
static void look_for_root(struct look *l, const struct strace_line *line, bool bracketed)
{
	if (bracketed && !l->out->root && !map_find(&l->children, line->pid))
		l->out->root = line->pid;
}

static void look_at_line(struct look *l, char *p, char *end)
{
	bool bracketed = !strncmp(p, "[pid ", 5);
	struct strace_line line;
	uint32_t child;

	if (strace_find_attached(p, end, &child)) {
		*map_at(&l->children, child) = 1;
		return;
	}
	strace_parse_line(p, end, &line);
	if (line.kind != STRACE_BAD && line.clock != STRACE_NO_TIME)
		l->out->has_time = true;
	look_for_root(l, &line, bracketed && line.has_pid);
	switch (line.kind) {
	case STRACE_CALL: look_at_call(l, &line); break;
	case STRACE_BAD: l->out->bad++; break;
	case STRACE_RESUMED:
		l->out->has_duration |=
		    end - p > 2 && end[-1] == '>' && end[-2] >= '0' && end[-2] <= '9';
		/* fall through */
	case STRACE_UNFINISHED:
	case STRACE_RENAMED:
	case STRACE_SIGNAL:
	case STRACE_EXIT: l->out->good++; break;
	case STRACE_ATTACHED:
	case STRACE_NOTE:
	case STRACE_SUMMARY: break;
	}
}

void strace_survey(const unsigned char *data, size_t n, struct strace_survey *out)
{
	struct look l = { .out = out };

	*out = (struct strace_survey){ 0 };
	for (unsigned lines = 0; n && lines < LINES; lines++) {
		const unsigned char *newline = memchr(data, '\n', n);
		size_t length = newline ? (size_t)(newline - data) : n;
		char *copy = scratch_copy(&l.scratch, (const char *)data, length);

		/* The last piece may be half a line. */
		if (length && (newline || lines == 0))
			look_at_line(&l, copy, strace_clean(copy, copy + length));
		scratch_reset(&l.scratch);
		length += newline != NULL;
		data += length;
		n -= length;
	}
	map_free(&l.children);
	scratch_free(&l.scratch);
}
