/* SPDX-License-Identifier: MIT */
#include "view/reading.h"

#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "json/json.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

enum { PROGRESS_EVENTS = 1 << 16 };

/* Whether it is exit or exit_group. */
static bool is_exit(const struct event *e)
{
	return e->type == EVENT_SYSCALL && syscall_never_returns(e->call.id);
}

bool event_is_return(const struct event *e)
{
	return e->type == EVENT_SYSCALL && !(e->call.flags & CALL_UNFINISHED) && !is_exit(e);
}

static void add_losses(struct completeness *c, const char *path, const struct source *s)
{
	const struct source_losses *losses = source_losses(s);
	uint64_t cost = source_info(s)->call_cost;
	struct source_losses *sum = &c->losses;

	if (!*sum->first_bad_reason && *losses->first_bad_reason) {
		sum->first_bad = losses->first_bad;
		memcpy(sum->first_bad_reason, losses->first_bad_reason,
		       sizeof(sum->first_bad_reason));
		snprintf(c->bad_path, sizeof(c->bad_path), "%s", path);
	}
	c->call_cost = cost > c->call_cost ? cost : c->call_cost;
	c->aggregated |= source_info(s)->aggregated;
	sum->lost += losses->lost;
	sum->lost_unknown |= losses->lost_unknown;
	sum->unclosed |= losses->unclosed;
	sum->torn_bytes += losses->torn_bytes;
	sum->unfinished += losses->unfinished;
	sum->orphans += losses->orphans;
	sum->bad_lines += losses->bad_lines;
	for (int i = 0; i < LOST_CLASSES; i++)
		sum->noted[i] += losses->noted[i];
}

/* The cost of recording is a mean, so a call may have taken less; its duration becomes 0 then. */
static void subtract_cost(struct event *e, int64_t cost)
{
	if (e->call.duration >= 0)
		e->call.duration -= cost < e->call.duration ? cost : e->call.duration;
}

int trace_read(const char *path, const struct trace_taker *taker, struct completeness *c,
	       struct error *e)
{
	struct source *s = source_open(path, e);
	struct event event;
	uint64_t at, total;
	int got;

	if (!s)
		return -1;
	if (taker->each && source_info(s)->aggregated) {
		source_close(s);
		error_set(
		    e,
		    "%s: was recorded with --aggregate, so it has counts of calls, not single "
		    "calls, which this needs",
		    path);
		return TRACE_AGGREGATED;
	}
	if (taker->processes)
		processes_begin(taker->processes, source_info(s)->command);
	if (taker->begin)
		taker->begin(taker->arg, source_info(s));
	const int64_t cost = (int64_t)(source_info(s)->call_cost & INT64_MAX);
	for (unsigned n = 1; (got = source_next(s, &event, e)) > 0; n++) {
		if (event_is_return(&event))
			c->calls += event_calls(&event);
		else if (is_exit(&event))
			c->exits++;
		else if (event.type == EVENT_URING)
			c->operations += event.uring.complete;
		if (event.type == EVENT_SYSCALL) {
			c->cheaper += event.call.duration >= 0 && event.call.duration < cost / 2;
			if (taker->net)
				subtract_cost(&event, cost);
		}
		if (event.type == EVENT_URING && taker->operations)
			event = syscall_of_uring(&event);
		taker->take(taker->arg, &event);
		if (n % PROGRESS_EVENTS || !taker->progress)
			continue;
		source_position(s, &at, &total);
		if (total)
			taker->progress(taker->progress_arg, (double)at / (double)total);
	}
	add_losses(c, path, s);
	c->net = taker->net;
	source_close(s);
	return got;
}

static const char *plural(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Whether the recorder counted some of a class that no other number of *l shows. */
static bool is_noted(const struct source_losses *l, int class)
{
	return l->noted[class] && class != LOST_RING_FULL && class != LOST_UNMATCHED;
}

static char *append_noted(char *text, const struct source_losses *l)
{
	const char *before = "\nthe recorder says: ";

	for (int i = 0; i < LOST_CLASSES; i++) {
		if (!is_noted(l, i))
			continue;
		text = xappend(text, "%s%" PRIu64 " %s", before, l->noted[i],
			       loss_text(i, l->noted[i]));
		before = ", ";
	}
	return text;
}

/* Returns why times without what recording added are not to be had, or not to be trusted, which the
 * caller frees; or NULL. */
static char *cost_doubt(const struct completeness *c)
{
	if (c->net && !c->call_cost)
		return xstrdup("--net changed nothing: the trace does not say what recording added "
			       "to the times");
	if (c->cheaper > c->calls / 100)
		return xasprintf("recording added less than the %.1f us that it measured, perhaps "
				 "on a busy machine: %" PRIu64 " calls took less than half of that",
				 (double)c->call_cost * 1e-3, c->cheaper);
	return NULL;
}

static bool is_incomplete(const struct source_losses *l)
{
	bool noted = false;

	for (int i = 0; i < LOST_CLASSES; i++)
		noted |= is_noted(l, i);
	return noted || l->lost || l->lost_unknown || l->unclosed || *l->first_bad_reason;
}

char *completeness_text(const struct completeness *c, bool brief)
{
	const struct source_losses *l = &c->losses;
	char *doubt = c->net || !brief ? cost_doubt(c) : NULL, *text;

	if (!brief)
		text = xasprintf("%" PRIu64 " call%s; %" PRIu64 " exit%s, %" PRIu64
				 " unfinished, %" PRIu64 " orphan%s, ",
				 c->calls, plural(c->calls), c->exits, plural(c->exits),
				 l->unfinished, l->orphans, plural(l->orphans));
	else if (is_incomplete(l))
		text = xstrdup("incomplete: ");
	else
		return doubt;
	text = xappend(text, "%" PRIu64 " lost, %" PRIu64 " bad line%s, %" PRIu64 " torn byte%s",
		       l->lost, l->bad_lines, plural(l->bad_lines), l->torn_bytes,
		       plural(l->torn_bytes));
	if (c->operations && !brief)
		text = xappend(text, "; %" PRIu64 " operation%s of io_uring", c->operations,
			       plural(c->operations));
	if (*l->first_bad_reason)
		text = xappend(text, "\nfirst damage: %s: %s %" PRIu64 ": %s", c->bad_path,
			       l->bad_lines ? "line" : "byte", l->first_bad, l->first_bad_reason);
	text = append_noted(text, l);
	if (l->lost_unknown && !l->noted[LOST_UNTRACED_CHILD])
		text = xappend(text, "\nmore events were lost; the recorder did not count them");
	if (l->unclosed)
		text = xappend(text,
			       "\nthe recorder did not finish the trace: its end may be missing");
	if (c->call_cost && !brief)
		text =
		    xappend(text,
			    c->net ? "\nabout %.1f us of recording overhead subtracted from each "
				     "call's time"
				   : "\nrecording added about %.1f us to each call's time "
				     "(summary --net subtracts it)",
			    (double)c->call_cost * 1e-3);
	if (doubt)
		text = xappend(text, "\n%s", doubt);
	free(doubt);
	if (c->aggregated && !brief)
		text = xappend(text,
			       "\nmost calls were only counted: STDDEV and P50 ... P99 are those "
			       "of classes of times that are a factor of two wide");
	return text;
}

json_t *completeness_json(const struct completeness *c)
{
	const struct source_losses *l = &c->losses;
	json_t *noted = json_object();

	for (int i = 0; i < LOST_CLASSES; i++)
		if (l->noted[i])
			json_object_set_new(noted, loss_counter(i),
					    json_integer((json_int_t)l->noted[i]));
	return json_pack("{sIsIsIsIsIsIsbsbsIsIsososbsbso}", "calls", (json_int_t)c->calls,
			 "operations", (json_int_t)c->operations, "exits", (json_int_t)c->exits,
			 "unfinished", (json_int_t)l->unfinished, "orphans", (json_int_t)l->orphans,
			 "lost", (json_int_t)l->lost, "lost_unknown", l->lost_unknown, "unclosed",
			 l->unclosed, "bad_lines", (json_int_t)l->bad_lines, "torn_bytes",
			 (json_int_t)l->torn_bytes, "first_bad",
			 json_text(*l->first_bad_reason ? l->first_bad_reason : NULL),
			 "call_cost_ns", json_double(c->call_cost ? (double)c->call_cost : NAN),
			 "aggregated", c->aggregated, "net", c->net, "noted", noted);
}
