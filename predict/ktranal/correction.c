/* SPDX-License-Identifier: MIT */
#include "correction.h"

#include <math.h>

#include "trace/syscalls.h"
#include "util/table.h"
#include "util/vec.h"

/* What is shown: changed by so much, and of so many among all calls. */
static const double change_shown = 0.05, share_shown = 0.001;

static struct correction_call *at(struct correction *c, unsigned id)
{
	while (c->n <= id)
		vec_push(c, (struct correction_call){ 0 });
	return &c->v[id];
}

void correction_trace(struct correction *c, unsigned id)
{
	at(c, id)->traced++;
}

void correction_count(struct correction *c, const struct time_program *p)
{
	for (size_t i = 0; i < p->ncalls; i++)
		at(c, syscall_by_name(p->calls[i].call))->counted += p->calls[i].calls;
}

void correction_next(struct correction *c)
{
	for (size_t i = 0; i < c->n; i++)
		c->v[i].traced = 0;
}

double *correction_weights(const struct correction *c)
{
	double *weights = xcalloc(c->n, sizeof(*weights));

	for (size_t i = 0; i < c->n; i++)
		weights[i] = c->v[i].traced > 0 ? c->v[i].counted / c->v[i].traced : 1;
	return weights;
}

void correction_print(const struct correction *c, FILE *f)
{
	static const struct table_column columns[] = {
		{ "CALL", NULL, true },
		{ "TRACED", NULL, false },
		{ "UNTRACED", NULL, false },
		{ "RATIO", NULL, false },
	};
	struct table *t = table_new(columns, sizeof(columns) / sizeof(*columns));
	double all = 0;
	bool any = false;

	for (size_t i = 0; i < c->n; i++)
		all += fmax(c->v[i].counted, c->v[i].traced);
	for (size_t i = 0; i < c->n; i++) {
		const struct correction_call *call = &c->v[i];

		if (fmax(call->counted, call->traced) < share_shown * all ||
		    fabs(call->counted - call->traced) <= change_shown * call->traced)
			continue;
		table_text(t, syscall_get((unsigned)i)->name);
		table_number(t, call->traced, "%.0f");
		table_number(t, call->counted, "%.0f");
		table_number(t, call->traced > 0 ? call->counted / call->traced : NAN, "%.3f");
		any = true;
	}
	if (any) {
		fprintf(
		    f,
		    "\ntracing changed how often these are called; the untraced number counts:\n");
		table_print(t, f, TABLE_TEXT);
	}
	table_free(t);
}

void correction_free(struct correction *c)
{
	vec_free(c);
}
