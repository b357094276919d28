/* SPDX-License-Identifier: MIT */
#include "events.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "counters/stacks.h"
#include "util/number.h"

/* By state: the time in which threads ran, and how much of it the event took. */
struct cost {
	double ran, taken;
};

/* What --event says. */
struct wish {
	char *name;
	double factor, each; /* seconds that one costs; NaN: it is a part of the stack */
};

static int parse(struct wish *w, const char *words, struct error *e)
{
	const char *equals = strrchr(words, '='), *at = equals ? strchr(equals, '@') : NULL;
	char *factor =
	    equals ? xstrndup(equals + 1, at ? (size_t)(at - equals - 1) : strlen(equals + 1))
		   : NULL;
	bool good = equals && equals != words && number_parse_double(factor, &w->factor) &&
		    w->factor >= 0 && w->factor <= 1000;

	free(factor);
	w->each = NAN;
	good = good && (!at || (number_parse_duration(at + 1, &w->each) && w->each > 0));
	if (!good)
		return error_set(
		    e, "--event %s: not PART=FACTOR, or EVENT=FACTOR@TIME with what one costs",
		    words);
	w->name = xstrndup(words, (size_t)(equals - words));
	return 0;
}

int events_check(const char *words, struct error *e)
{
	struct wish w = { 0 };
	int status = parse(&w, words, e);

	free(w.name);
	return status;
}

/* ---- events that cost a time each ---- */

struct summing {
	const struct stretches *stretches;
	size_t event;
	double each; /* ns */
	struct cost *costs;
};

static void add(void *arg, const struct stretch *x, int64_t from, int64_t to, uint16_t state)
{
	const struct summing *s = arg;
	double share = (double)(to - from) / (double)(x->to - x->from);

	for (size_t i = x->first; i < x->first + x->n; i++)
		if (s->stretches->counts.v[i].event == s->event) {
			s->costs[state].ran += (double)(to - from);
			s->costs[state].taken += s->stretches->counts.v[i].count * share * s->each;
		}
}

static int cost_each(struct cost *costs, struct load *l, const struct wish *w, struct error *e)
{
	struct summing s = { &l->stretches, names_find(&l->stretches.events, w->name),
			     w->each * 1e9, costs };

	if (s.event == SIZE_MAX) {
		char *all = names_join(&l->stretches.events, ", ");

		error_set(e, "--event %s: was not counted; the trace has %s", w->name, all);
		free(all);
		return -1;
	}
	stretches_by_state(&l->stretches, &l->graph, add, &s);
	return 0;
}

/* ---- parts of the stack ---- */

struct counting {
	const struct stretches *stretches;
	struct counts counts; /* whose units are the states */
};

static void count(void *arg, const struct stretch *x, int64_t from, int64_t to, uint16_t state)
{
	struct counting *c = arg;

	stretches_count(c->stretches, x, from, to, &c->counts, state, 0);
}

static int take_part(struct cost *costs, const struct stacks *stacks, const char *name,
		     struct error *e)
{
	bool found = false;

	for (size_t i = 0; i < stacks->counts->units.n; i++) {
		struct stack s = { 0 };

		stacks_sum(stacks, i, -INFINITY, INFINITY, &s);
		costs[i].ran = s.cycles;
		for (size_t k = 0; k < s.parts.n; k++)
			if (!strcmp(s.parts.v[k].formula->name, name)) {
				costs[i].taken = s.parts.v[k].cycles;
				found = true;
			}
		stack_free(&s);
	}
	if (found)
		return 0;
	return error_set(
	    e,
	    "--event %s: no part of stack %s (cpistack list %s); of an event, say what "
	    "one costs: %s=FACTOR@TIME",
	    name, stacks->formulas->name, stacks->formulas->name, name);
}

static int cost_part(struct cost *costs, struct load *l, const char *formulas, const char *name,
		     struct error *e)
{
	struct counting c = { .stretches = &l->stretches };
	struct formula_file file = { 0 };
	struct stacks stacks = { 0 };
	int status = formulas_read(&file, formulas, e);

	for (size_t i = 0; i < l->graph.states.n; i++) {
		char *number = xasprintf("%zu", i);

		names_add(&c.counts.units, number);
		free(number);
	}
	if (!status)
		stretches_by_state(&l->stretches, &l->graph, count, &c);
	counts_sort(&c.counts, 0);
	if (!status)
		status = stacks_begin(&stacks, &c.counts, &file, NULL, e);
	if (!status)
		status = take_part(costs, &stacks, name, e);
	stacks_end(&stacks);
	counts_free(&c.counts);
	formulas_free(&file);
	return status;
}

double events_change(struct hypothesis *c, struct load *l, const char *formulas, const char *words,
		     struct error *e)
{
	struct cost *costs = xcalloc(l->graph.states.n + 1, sizeof(*costs)), all = { 0 };
	struct wish w = { 0 };
	int status = parse(&w, words, e);

	if (!status && !l->stretches.counts.n)
		status = error_set(e,
				   "%s: no counters were read while it was recorded (ktranal "
				   "record -E)",
				   l->path);
	if (!status)
		status = isnan(w.each) ? cost_part(costs, l, formulas, w.name, e)
				       : cost_each(costs, l, &w, e);
	for (size_t i = 0; i < l->graph.states.n && !status; i++) {
		double share = costs[i].ran > 0 ? fmin(costs[i].taken / costs[i].ran, 1) : 0;

		c->scale[i] *= 1 - share * (1 - w.factor);
		all.ran += costs[i].ran;
		all.taken += costs[i].taken;
	}
	if (!status && all.taken > all.ran)
		status = error_set(e, "--event %s: that is more than the time in which threads ran",
				   words);
	free(costs);
	free(w.name);
	return status ? -1 : all.ran > 0 ? all.taken / all.ran : 0;
}
