/* SPDX-License-Identifier: MIT */
/*
 * The file: records one after another.  A record is believed if another one follows it, or the end
 * of the file; where that fails, the search for the next place where records begin starts within
 * it, since it may be the torn end of a trace that another one was appended to.
 */
#include "trace/format/ktrace/ktrace.h"

#include <stdlib.h>
#include <string.h>

enum {
	SURVEY = 256 << 10, /* bytes: enough to meet the first program */
	SEARCH = 256 << 10, /* bytes to look for records in at a time */
};

static bool is_at_end(const struct source *s)
{
	return s->in.fd < 0;
}

/* Moves s->in to the next place where records begin, `from` bytes ahead or farther.  0, or -1 and
 * *e. */
static int resynchronize(struct source *s, size_t from, struct error *e)
{
	struct ktrace *k = s->reader;
	const struct os *os = k->form.layout->os;
	bool cut = from || input_waiting(&s->in) < k->form.layout->header;
	const char *why = cut ? "the file ends within a record" : "no record begins here";
	size_t at, n;

	for (;; from = 0) {
		if (input_fill(&s->in, from + SEARCH, e) < 0)
			return -1;
		n = input_waiting(&s->in);
		at = from + ktrace_find(input_at(&s->in) + from, n - from, is_at_end(s), &k->form);
		/* Of what was searched in vain, the end may hold the beginning of a record. */
		size_t bad = at < n || is_at_end(s) ? at : n - SEARCH / 2;
		if (bad)
			source_count_torn(&s->losses, s->in.offset, bad,
					  at < n ? "no record begins here" : why);
		input_skip(&s->in, bad);
		if (at == n && !is_at_end(s))
			continue;
		if (bad)
			importer_lose(&k->im, LOST_BLOCKS, 0, k->now, k->now);
		if (k->form.layout->os != os)
			ktrace_restart(k);
		return 0;
	}
}

/* True if the n bytes at p, which begin with a record of `size` bytes, hold another start within
 * it. */
static bool overlaps(const struct source *s, const unsigned char *p, size_t size, size_t n)
{
	const struct ktrace *k = s->reader;
	struct ktrace_form form = k->form;

	return 1 + ktrace_find(p + 1, n - 1, is_at_end(s), &form) < size;
}

/* Finds the next whole record, which stays in s->in.  Its size, 0 at the end, or -1 and *e. */
static ssize_t next_record(struct source *s, struct ktrace_record *r, struct error *e)
{
	struct ktrace *k = s->reader;

	for (;;) {
		if (input_fill(&s->in, KTRACE_HEADER_MAX, e) < 0)
			return -1;
		if (!input_waiting(&s->in))
			return 0;
		if (!ktrace_parse(&k->form, input_at(&s->in), input_waiting(&s->in), r)) {
			if (resynchronize(s, 0, e) < 0)
				return -1;
			continue;
		}
		size_t size = k->form.layout->header + r->n;
		struct ktrace_record follower;
		if (input_fill(&s->in, size + KTRACE_HEADER_MAX, e) < 0)
			return -1;
		const unsigned char *p = input_at(&s->in);
		size_t n = input_waiting(&s->in);
		r->data = p + k->form.layout->header;
		bool whole = size <= n && ktrace_is_whole(&k->form, r);
		if (whole && (n == size || ktrace_parse(&k->form, p + size, n - size, &follower)))
			return (ssize_t)size;
		if (whole && input_fill(&s->in, size + SEARCH, e) < 0)
			return -1;
		p = input_at(&s->in);
		r->data = p + k->form.layout->header;
		if (whole && !overlaps(s, p, size, input_waiting(&s->in)))
			return (ssize_t)size;
		if (resynchronize(s, 1, e) < 0)
			return -1;
	}
}

static int ktrace_next(struct source *s, struct event *out, struct error *e)
{
	struct ktrace *k = s->reader;
	struct ktrace_record r;

	while (!importer_next(&k->im, out)) {
		if (k->ended)
			return 0;
		ssize_t size = next_record(s, &r, e);
		if (size < 0)
			return -1;
		k->ended = size == 0;
		if (size)
			ktrace_take(k, &r);
		else
			importer_end(&k->im);
		input_skip(&s->in, (size_t)size);
	}
	return 1;
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	struct ktrace_form form = { 0 };

	(void)path;
	return ktrace_find(data, n, n < SEARCH, &form) < n;
}

static void ktrace_close(struct source *s)
{
	ktrace_free(s->reader);
	free(s->reader);
}

/* The form of the first records, whose bytes stay. */
static struct ktrace *new_reader(const struct source *s)
{
	struct ktrace *k = xcalloc(1, sizeof(*k));

	ktrace_find(input_at(&s->in), input_waiting(&s->in), is_at_end(s), &k->form);
	ktrace_begin(k);
	return k;
}

/* Reads the beginning in advance, for the first program that is run. */
static char *survey(const struct source *s)
{
	struct source head = { 0 };
	size_t n = input_waiting(&s->in);
	char *command = NULL;
	struct event e;

	input_memory(&head.in, input_at(&s->in), n < SURVEY ? n : SURVEY, "");
	head.reader = new_reader(s);
	while (!command && ktrace_next(&head, &e, NULL) == 1)
		if (e.type == EVENT_EXEC)
			command = xstrdup(e.exec.command);
	ktrace_close(&head);
	input_close(&head.in);
	return command;
}

static int ktrace_open(struct source *s, struct error *e)
{
	struct ktrace *k = s->reader = new_reader(s);

	(void)e;
	k->command = survey(s);
	if (k->command)
		s->info.command = k->command;
	s->info.recorder = "ktrace";
	s->info.kernel = k->form.layout->os->name;
	s->info.os = k->form.layout->os;
	s->info.abi = ABI_OTHER; /* the format does not say for which machine */
	s->info.has_time = s->info.has_duration = true;
	s->info.clock = TRACE_CLOCK_REALTIME;
	return 0;
}

const struct format ktrace_format = {
	.name = "ktrace",
	.recognize = recognize,
	.open = ktrace_open,
	.next = ktrace_next,
	.close = ktrace_close,
};
