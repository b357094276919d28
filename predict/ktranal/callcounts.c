/* SPDX-License-Identifier: MIT */
#include "callcounts.h"

#include <math.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/table.h"

/* How often a call was made, by what came of it. */
struct callcount {
	bool together;		  /* it is not known how many failed: all are the first */
	double counted[OUTCOMES]; /* by the untraced run */
	double traced[OUTCOMES];  /* in the trace */
};

static struct callcount *at(struct callcounts *r, unsigned id)
{
	while (r->calls.n <= id)
		vec_push(&r->calls, (struct callcount){ 0 });
	return &r->calls.v[id];
}

void callcounts_make(struct callcounts *r, const struct time_run *run, const struct selection *s)
{
	r->known = true;
	for (size_t i = 0; i < run->nprograms; i++) {
		const struct time_program *p = &run->programs[i];

		if (!p->counted || !selection_has_program(s, p->program))
			continue;
		for (size_t k = 0; k < p->ncalls; k++) {
			const struct time_calls *c = &p->calls[k];
			struct callcount *sum = at(r, syscall_by_name(c->call));
			const double failed = isnan(c->failed) ? 0 : c->failed;

			sum->together |= isnan(c->failed);
			sum->counted[OUTCOME_DONE] += c->calls - failed;
			sum->counted[OUTCOME_FAILED] += failed;
		}
	}
	for (size_t i = 0; i < r->calls.n; i++) {
		struct callcount *sum = &r->calls.v[i];

		if (!sum->together)
			continue;
		sum->counted[OUTCOME_DONE] += sum->counted[OUTCOME_FAILED];
		sum->counted[OUTCOME_FAILED] = 0;
	}
}

void callcounts_begin(struct callcounts *r)
{
	for (size_t i = 0; i < r->calls.n; i++)
		memset(r->calls.v[i].traced, 0, sizeof(r->calls.v[i].traced));
}

void callcounts_take(struct callcounts *r, const struct event *e)
{
	if (e->type != EVENT_SYSCALL)
		return;
	struct callcount *sum = at(r, e->call.id);
	sum->traced[sum->together ? OUTCOME_DONE : outcome_of(e)] += (double)event_calls(e);
}

void callcounts_weigh(const struct callcounts *r, struct profile *p)
{
	double(*weights)[OUTCOMES] = xcalloc(r->calls.n, sizeof(*weights));

	for (size_t i = 0; i < r->calls.n; i++) {
		const struct callcount *c = &r->calls.v[i];

		for (enum outcome o = 0; o < OUTCOMES; o++) {
			const enum outcome k = c->together ? OUTCOME_DONE : o;

			weights[i][o] = c->traced[k] > 0 ? c->counted[k] / c->traced[k] : 1;
		}
	}
	profile_weigh(p, weights, r->calls.n);
	free(weights);
}

void callcounts_add_unseen(const struct callcounts *r, struct profile *p)
{
	for (size_t i = 0; i < r->calls.n; i++) {
		const struct callcount *c = &r->calls.v[i];

		for (enum outcome o = 0; o < OUTCOMES; o++)
			if (c->counted[o] > 0 && !(c->traced[o] > 0))
				profile_add_unseen(p, (unsigned)i, c->counted[o]);
	}
}

/*
 * Calls are shown whose number tracing changed by the first share, if they are the second share of
 * all calls: a choice of what is worth a line.
 */
static const double change_shown = 0.05, share_shown = 0.001;

void callcounts_print(const struct callcounts *r, FILE *f)
{
	static const struct table_column columns[] = {
		{ "CALL", NULL, TABLE_LEFT },
		{ "TRACED", NULL, TABLE_RIGHT },
		{ "UNTRACED", NULL, TABLE_RIGHT },
		{ "RATIO", NULL, TABLE_RIGHT },
	};
	struct table *t = table_of(columns);
	const struct callcount *v = r->calls.v;
	size_t n = r->calls.n * OUTCOMES;
	double all = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++)
		all += fmax(v[i / OUTCOMES].counted[i % OUTCOMES],
			    v[i / OUTCOMES].traced[i % OUTCOMES]);
	for (size_t i = 0; i < n; i++) {
		const enum outcome o = (enum outcome)(i % OUTCOMES);
		const double counted = v[i / OUTCOMES].counted[o];
		const double traced = v[i / OUTCOMES].traced[o];
		char name[160];

		if (fmax(counted, traced) < share_shown * all ||
		    fabs(counted - traced) <= change_shown * traced)
			continue;
		snprintf(name, sizeof(name), "%s%s", syscall_get((unsigned)(i / OUTCOMES))->name,
			 o == OUTCOME_FAILED ? ", failed" : "");
		table_text(t, name);
		table_number(t, traced, "%.0f");
		table_number(t, counted, "%.0f");
		table_number(t, traced > 0 ? counted / traced : NAN, "%.3f");
		any = true;
	}
	if (any) {
		fprintf(f, "\ntracing changed how often these are called; the untraced number "
			   "counts:\n");
		table_print(t, f, TABLE_TEXT);
	}
	table_free(t);
}

void callcounts_free(struct callcounts *r)
{
	vec_free(&r->calls);
}
