/* SPDX-License-Identifier: MIT */
/*
 * The output of kdump(1), as FreeBSD, NetBSD and OpenBSD print it, with or without -T, -R, -E, -H,
 * -c, -A and -S:
 *
 *	PID [TID] COMM [TIME] [CPU] TYPE  BODY
 *
 * Each line becomes the record that it was printed from, for ktrace_events.c.  What GIO, STRU and
 * others print on further lines is passed over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/format/ktrace/kdump.h"

enum { SURVEY = 64 << 10 /* bytes */ };

/* ---- lines ---- */

static void set_time(struct kdump *d, struct kdump_head *h)
{
	if (h->has_time)
		d->now = d->clock == KDUMP_RELATIVE
			     ? (int64_t)((uint64_t)d->now + (uint64_t)h->record.time)
			     : h->record.time;
	h->record.time = d->now & (INT64_MAX >> 1);
}

/* A line that has no head. */
static bool take_rest(struct kdump *d, const char *p, size_t n)
{
	struct ktrace_record r = d->before;

	if (!strncmp(p, "Events dropped", 14))
		d->dropped = true;
	else if (d->arguments && p[0] == '\t' && p[1] == '[' && !kdump_make_text(p, &r))
		ktrace_take(&d->k, &r);
	return n == 0 || *p == ' ' || *p == '\t' || d->before.type == 0 || d->dropped;
}

/* NULL, or why the line is bad. */
static const char *take_line(struct kdump *d, const char *p, size_t n)
{
	struct kdump_head h;

	if (!kdump_parse_head(p, &h))
		return take_rest(d, p, n) ? NULL : "not a line of kdump";
	set_time(d, &h);
	d->arguments = false;
	struct ktrace_record r = h.record;
	const char *reason = kdump_make_record(d, &h, &r);
	d->before = h.record;
	if (reason || !r.type)
		return reason;
	r.dropped = d->dropped;
	d->dropped = false;
	if (!d->arguments)
		ktrace_take(&d->k, &r);
	return NULL;
}

/* What the whole is, judging by its beginning. */
struct survey {
	size_t good, bad, timed, back;
	int64_t before;
	unsigned unknown[3]; /* calls, by system */
};

static const struct os *const systems[] = { &os_freebsd, &os_netbsd, &os_openbsd };

static void survey_line(struct survey *v, const char *p)
{
	struct kdump_head h;
	char name[KDUMP_NAME];

	if (!kdump_parse_head(p, &h)) {
		v->bad += *p && *p != ' ' && *p != '\t';
		return;
	}
	v->good++;
	if (h.has_time) {
		v->back += h.record.time < v->before;
		v->before = h.record.time;
		v->timed++;
	}
	size_t n = strcspn(h.body, " ([");
	for (int i = 0; i < 3 && n && h.record.type == KTRACE_SYSCALL && n < KDUMP_NAME; i++) {
		kdump_copy_name(systems[i], h.body, n, name);
		v->unknown[i] += !kdump_has_call(systems[i], name);
	}
}

static struct survey survey(const unsigned char *data, size_t n)
{
	struct survey v = { 0 };
	struct input in;
	char *line;
	size_t length;

	input_memory(&in, data, n < SURVEY ? n : SURVEY, "");
	while (input_line(&in, &line, &length, NULL) == 1 && (n < SURVEY || input_waiting(&in)))
		survey_line(&v, line);
	input_close(&in);
	return v;
}

/* The system that knows most of the calls. */
static const struct os *system_of(const struct survey *v)
{
	int best = 0;

	for (int i = 1; i < 3; i++)
		if (v->unknown[i] < v->unknown[best])
			best = i;
	return systems[best];
}

static enum kdump_clock clock_of(const struct survey *v)
{
	const int64_t epoch = (int64_t)100000000 * 1000000000;

	return !v->timed		? KDUMP_NO_CLOCK
	       : v->before >= epoch	? KDUMP_EPOCH
	       : v->back > v->timed / 8 ? KDUMP_RELATIVE
					: KDUMP_ELAPSED;
}

/* ---- the log ---- */

static int kdump_next(struct source *s, struct event *out, struct error *e)
{
	const unsigned no_clock = CALL_NO_TIME | CALL_NO_DURATION;
	struct kdump *d = s->reader;
	char *line;
	size_t n;

	do {
		while (!importer_next(&d->k.im, out)) {
			if (d->ended)
				return 0;
			int got = input_line(&s->in, &line, &n, e);
			if (got < 0)
				return -1;
			d->line++;
			d->ended = !got;
			const char *reason = got ? take_line(d, line, n) : NULL;
			if (reason)
				source_count_bad_line(&s->losses, d->line, reason);
			if (!got)
				importer_end(&d->k.im);
		}
	} while (out->type == EVENT_CLOCK && d->clock != KDUMP_EPOCH);
	if (out->type == EVENT_SYSCALL && d->clock == KDUMP_NO_CLOCK) {
		out->call.flags |= no_clock;
		out->call.duration = -1;
	}
	return 1;
}

static bool recognize(const char *path, const unsigned char *data, size_t n)
{
	(void)path;
	struct survey v = survey(data, n);
	return v.good > v.bad / 8;
}

static int kdump_open(struct source *s, struct error *e)
{
	struct kdump *d = s->reader = xcalloc(1, sizeof(*d));
	struct survey v = survey(input_at(&s->in), input_waiting(&s->in));

	(void)e;
	d->clock = clock_of(&v);
	d->layout = (struct ktrace_layout){ .os = system_of(&v), .word = 8 };
	d->k.form.layout = &d->layout;
	ktrace_begin(&d->k);
	s->info.recorder = "ktrace";
	s->info.kernel = d->layout.os->name;
	s->info.os = d->layout.os;
	s->info.abi = ABI_OTHER;
	s->info.has_time = s->info.has_duration = d->clock != KDUMP_NO_CLOCK;
	s->info.clock = d->clock == KDUMP_EPOCH ? TRACE_CLOCK_REALTIME : TRACE_CLOCK_UNKNOWN;
	return 0;
}

static void kdump_close(struct source *s)
{
	struct kdump *d = s->reader;

	ktrace_free(&d->k);
	free(d);
}

const struct format kdump_format = {
	.name = "kdump",
	.text = true,
	.recognize = recognize,
	.open = kdump_open,
	.next = kdump_next,
	.close = kdump_close,
};
