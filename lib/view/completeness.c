/* SPDX-License-Identifier: MIT */
#include "view/completeness.h"

#include <err.h>
#include <inttypes.h>
#include <string.h>

#include "trace/syscalls.h"
#include "vector/json.h"

bool completeness_is_exit(const struct event *e)
{
	return e->type == EVENT_SYSCALL && syscall_get(e->call.id)->returns == RETURNS_NOTHING;
}

bool completeness_is_return(const struct event *e)
{
	return e->type == EVENT_SYSCALL && !(e->call.flags & CALL_UNFINISHED) &&
	       !completeness_is_exit(e);
}

void completeness_add(struct completeness *c, const struct event *e)
{
	if (completeness_is_return(e))
		c->calls++;
	else if (completeness_is_exit(e))
		c->exits++;
}

void completeness_end(struct completeness *c, const char *path, const struct source *s)
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
	sum->lost += losses->lost;
	sum->lost_unknown |= losses->lost_unknown;
	sum->unclosed |= losses->unclosed;
	sum->torn_bytes += losses->torn_bytes;
	sum->unfinished += losses->unfinished;
	sum->orphans += losses->orphans;
	sum->bad_lines += losses->bad_lines;
}

bool completeness_is_lossy(const struct completeness *c)
{
	const struct source_losses *l = &c->losses;

	return l->lost || l->lost_unknown || l->unclosed || l->torn_bytes || l->bad_lines;
}

/* "a.strace: line 12: reason" or "a.ktr: byte 4096: reason". */
static void print_first_bad(const struct completeness *c, FILE *f)
{
	const struct source_losses *l = &c->losses;

	if (*l->first_bad_reason)
		fprintf(f, "first damage: %s: %s %" PRIu64 ": %s\n", c->bad_path,
			l->bad_lines ? "line" : "byte", l->first_bad, l->first_bad_reason);
	if (l->lost_unknown)
		fprintf(f, "events were lost that nobody counted\n");
	if (l->unclosed)
		fprintf(f, "the recorder did not end the trace: it may stop early\n");
}

void completeness_print(const struct completeness *c, FILE *f, enum table_format format)
{
	const struct source_losses *l = &c->losses;

	if (format == TABLE_TEXT) {
		fprintf(f,
			"\n%" PRIu64 " calls; %" PRIu64 " exits, %" PRIu64 " unfinished, %" PRIu64
			" orphans, %" PRIu64 " lost, %" PRIu64 " bad lines, %" PRIu64
			" torn bytes\n",
			c->calls, c->exits, l->unfinished, l->orphans, l->lost, l->bad_lines,
			l->torn_bytes);
		print_first_bad(c, f);
		if (c->call_cost)
			fprintf(f, "about %.1f us of each call's time is the recorder\n",
				(double)c->call_cost * 1e-3);
	} else if (completeness_is_lossy(c)) {
		warnx("incomplete: %" PRIu64 " lost, %" PRIu64 " bad lines, %" PRIu64 " torn bytes",
		      l->lost, l->bad_lines, l->torn_bytes);
		print_first_bad(c, stderr);
	}
}

json_t *completeness_json(const struct completeness *c)
{
	const struct source_losses *l = &c->losses;

	return json_pack("{sIsIsIsIsIsbsbsIsIsosI}", "calls", (json_int_t)c->calls, "exits",
			 (json_int_t)c->exits, "unfinished", (json_int_t)l->unfinished, "orphans",
			 (json_int_t)l->orphans, "lost", (json_int_t)l->lost, "lost_unknown",
			 l->lost_unknown, "unclosed", l->unclosed, "bad_lines",
			 (json_int_t)l->bad_lines, "torn_bytes", (json_int_t)l->torn_bytes,
			 "first_bad", json_text(*l->first_bad_reason ? l->first_bad_reason : NULL),
			 "call_cost_ns", (json_int_t)c->call_cost);
}
