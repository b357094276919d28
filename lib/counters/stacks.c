/* SPDX-License-Identifier: MIT */
#include "counters/stacks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- which stack ---- */

static size_t *match_events(const struct counts *c, const struct formulas *f)
{
	size_t *match = xcalloc(c->events.n + 1, sizeof(*match));

	for (size_t i = 0; i < c->events.n; i++)
		match[i] = formulas_event(f, c->events.v[i]);
	return match;
}

/* How many events of the stack are in the file, and one that is not. */
static size_t events_of(const struct counts *c, const struct formulas *f, const char **missing)
{
	size_t *match = match_events(c, f), found = 0;

	*missing = NULL;
	for (size_t k = 0; k < f->events.n; k++) {
		bool has = false;

		for (size_t i = 0; i < c->events.n; i++)
			has |= match[i] == k;
		found += has;
		*missing = has || *missing ? *missing : f->events.v[k];
	}
	free(match);
	return found;
}

/* The first stack with the PMU that an event is named with, as in "arm_v2::STALL_SLOT". */
static const struct formulas *find_named(const struct counts *c, const struct formula_file *file)
{
	const struct formulas *found = NULL;

	for (size_t i = 0; i < c->events.n && !found; i++) {
		const char *colons = strstr(c->events.v[i], "::");
		char *pmu =
		    xstrndup(c->events.v[i], colons ? (size_t)(colons - c->events.v[i]) : 0);

		found = formulas_find(file, pmu, NULL);
		free(pmu);
	}
	return found;
}

static const struct formulas *find(const struct counts *c, const struct formula_file *file,
				   const char *name, struct error *e)
{
	const struct formulas *best = name ? formulas_find(file, name, e) : find_named(c, file);
	const struct formulas *alike = NULL; /* another that has as many of the events */
	const char *missing = NULL;
	size_t most = 2; /* cycles and instructions are in all */
	bool chosen = best;

	if (name && !best)
		return NULL;
	for (size_t i = 0; i < file->stacks.n && !chosen; i++) {
		const struct formulas *f = &file->stacks.v[i];
		size_t found = events_of(c, f, &missing);

		if (found == most && best && !alike)
			alike = f;
		if (found > most) {
			most = found;
			best = f;
			alike = NULL;
		}
	}
	if (!best) {
		error_set(
		    e, "the events belong to no stack; cpistack list prints those that there are");
		return NULL;
	}
	events_of(c, best, &missing);
	if (missing)
		error_set(e, "stack %s needs %s, which was not counted (cpistack list %s)",
			  best->name, missing, best->name);
	else if (alike)
		error_set(e, "stack %s has these events, but so has %s: choose one by its name",
			  best->name, alike->name);
	return missing || alike ? NULL : best;
}

static bool has_carrier(const struct stacks *s, const struct counts_slice *slice)
{
	for (size_t i = slice->first; i < slice->first + slice->n; i++)
		if (s->match[s->counts->rows.v[i].event] == 0)
			return true;
	return false;
}

static void begin(struct stacks *s, const struct counts *c, const struct formulas *f)
{
	*s = (struct stacks){ .counts = c, .formulas = f, .only = COUNTS_MODES };
	s->match = match_events(c, f);
	for (size_t i = 0; i < c->slices.n; i++)
		if (!has_carrier(s, &c->slices.v[i]))
			s->carrier = SIZE_MAX;
}

int stacks_begin(struct stacks *s, const struct counts *c, const struct formula_file *file,
		 const char *name, struct error *e)
{
	const struct formulas *f = find(c, file, name, e);

	*s = (struct stacks){ 0 };
	if (f)
		begin(s, c, f);
	return f ? 0 : -1;
}

bool stacks_by_time(const struct stacks *s)
{
	return s->carrier == SIZE_MAX;
}

size_t stacks_fewest_turns(const struct stacks *s)
{
	const struct counts *c = s->counts;
	size_t n = s->formulas->events.n, least = SIZE_MAX, *turns = xcalloc(n, sizeof(*turns));

	for (size_t i = 0; i < c->rows.n; i++)
		if (s->match[c->rows.v[i].event] != SIZE_MAX)
			turns[s->match[c->rows.v[i].event]]++;
	for (size_t i = 0; i < n; i++)
		least = turns[i] < least ? turns[i] : least;
	free(turns);
	return least;
}

void stacks_end(struct stacks *s)
{
	free(s->match);
	*s = (struct stacks){ 0 };
}

/* ---- sums ---- */

/* What was counted of a unit in a mode. */
struct counted {
	struct counters counters;
	double whole; /* of the carrier */
	double time;  /* ns of all turns */
	/* A turn of a group, perhaps in several slices, not in the counters yet. */
	size_t n, *which;
	double *values, length, from;
};

static void end_turn(struct counted *x)
{
	if (x->length > 0)
		counters_add(&x->counters, x->n, x->which, x->values, x->length);
	free(x->which);
	free(x->values);
	x->which = NULL;
	x->values = NULL;
	x->n = 0;
	x->length = 0;
}

/* Whether a slice with these events goes on with the turn before.  A trace has several readings in
 * one, which are alike: only turns are drawn at random, each for 10 ms. */
static bool goes_on(const struct stacks *s, const struct counts_slice *slice, const size_t *which,
		    size_t n, const struct counted *x)
{
	return !s->counts->stack && slice->to <= x->from + 0.011 && n == x->n && n &&
	       !memcmp(which, x->which, n * sizeof(*which));
}

/* Adds one slice; returns its carrier. */
static double add_slice(const struct stacks *s, const struct counts_slice *slice,
			struct counted *into)
{
	const struct counts *c = s->counts;
	size_t *which = xcalloc(slice->n, sizeof(*which)), n = 0;
	double *values = xcalloc(slice->n, sizeof(*values)), length = slice->running;

	for (size_t i = slice->first; i < slice->first + slice->n; i++) {
		size_t event = s->match[c->rows.v[i].event];

		for (size_t k = 0; k < n && event != SIZE_MAX; k++)
			event = which[k] == event ? SIZE_MAX : event; /* by another name */
		if (event == SIZE_MAX)
			continue;
		if (event == s->carrier)
			length = c->rows.v[i].count;
		which[n] = event;
		values[n++] = c->rows.v[i].count;
	}
	if (goes_on(s, slice, which, n, into)) {
		for (size_t i = 0; i < n; i++)
			values[i] += into->values[i];
		into->length += length;
		free(into->which);
		free(into->values);
	} else {
		end_turn(into);
		into->n = n;
		into->length = length;
		into->from = slice->from;
	}
	into->which = which;
	into->values = values;
	return length;
}

/* Adds the slices of the moment that begins with slice i: all of one time, unit and mode.  Returns
 * the slice behind it. */
static size_t add_moment(const struct stacks *s, size_t i, struct counted *into)
{
	const struct counts *c = s->counts;
	const struct counts_slice *first = &c->slices.v[i];
	double sum = 0, running = 0, enabled = 0;
	size_t n = 0;

	for (; i < c->slices.n; i++, n++) {
		const struct counts_slice *next = &c->slices.v[i];

		if (next->to != first->to || next->unit != first->unit || next->mode != first->mode)
			break;
		sum += add_slice(s, next, into);
		running += next->running;
		enabled += next->enabled;
	}
	into->time += enabled / (double)n;
	/* In all of the moment the carrier rose as while groups counted; time is known. */
	into->whole +=
	    stacks_by_time(s) ? enabled / (double)n : sum / running * enabled / (double)n;
	return i;
}

/* The first slice that ends after that time. */
static size_t first_after(const struct counts *c, double time)
{
	size_t i;

	vec_search(i, c->slices.n, c->slices.v[i].to > time);
	return i;
}

/* Recordings count one mode at a time: what it counted stands for the turns of the other, too. */
static void scale_modes(const struct counts *c, struct counted *of_unit)
{
	double time = 0;

	for (int mode = 0; mode < COUNTS_MODES; mode++)
		time += of_unit[mode].time;
	for (int mode = 0; mode < COUNTS_MODES && c->stack; mode++)
		if (of_unit[mode].time > 0)
			of_unit[mode].whole *= time / of_unit[mode].time;
}

/* Adds the slices that end in (from, to] of the units for which counted[] has a place, plus 1. */
static void add_slices(const struct stacks *s, const size_t *place, double from, double to,
		       struct counted *counted)
{
	const struct counts *c = s->counts;

	for (size_t i = first_after(c, from); i < c->slices.n && c->slices.v[i].to <= to;) {
		const struct counts_slice *slice = &c->slices.v[i];

		if (!place[slice->unit]) {
			i++;
			continue;
		}
		size_t stratum = (place[slice->unit] - 1) * COUNTS_MODES + slice->mode;
		if (!counted[stratum].counters.n)
			counters_init(&counted[stratum].counters, s->formulas->events.n);
		i = add_moment(s, i, &counted[stratum]);
	}
}

/* The stack of the modes of a unit; false: not all events were counted in one of them. */
static bool add_unit(const struct stacks *s, struct counted *of_unit, struct stack *out)
{
	struct stack sum = { 0 };
	bool known = true, all = false;

	scale_modes(s->counts, of_unit);
	for (int mode = 0; mode < COUNTS_MODES; mode++) {
		struct stack part = { 0 };
		bool wanted = s->only == COUNTS_MODES ? !all : mode == (int)s->only;

		end_turn(&of_unit[mode]);
		if (of_unit[mode].counters.n && wanted) {
			stack_compute(&part, s->formulas, &of_unit[mode].counters,
				      of_unit[mode].whole);
			known &= stack_add(&sum, &part);
			all = mode == COUNTS_ALL && known; /* user and kernel are in it */
		}
		stack_free(&part);
		counters_free(&of_unit[mode].counters);
	}
	if (known && sum.parts.n)
		stack_add(out, &sum);
	stack_free(&sum);
	return known;
}

void stacks_sum(const struct stacks *s, size_t unit, double from, double to, struct stack *out)
{
	size_t n = s->counts->units.n, *place = xcalloc(n + 1, sizeof(*place)), poor = 0;
	struct counted *counted = xcalloc((n + 1) * COUNTS_MODES, sizeof(*counted));

	stack_free(out);
	for (size_t i = 0; i < n; i++)
		place[i] = unit == SIZE_MAX ? i + 1 : unit == i;
	add_slices(s, place, from, to, counted);
	for (size_t i = 0; i < n; i++) {
		bool known = !place[i] || add_unit(s, &counted[(place[i] - 1) * COUNTS_MODES], out);

		place[i] = !known;
		poor += !known;
	}
	/* What is too little by itself is told together. */
	memset(counted, 0, COUNTS_MODES * sizeof(*counted));
	if (poor)
		add_slices(s, place, from, to, counted);
	struct stack rest = { 0 };
	if (poor && !add_unit(s, counted, &rest))
		for (int mode = 0; mode < COUNTS_MODES; mode++)
			out->lost += stacks_by_time(s) ? 0 : counted[mode].whole;
	if (rest.parts.n)
		stack_add(out, &rest);
	stack_free(&rest);
	free(counted);
	free(place);
}

void stacks_events(const struct counts *c, const struct formulas *f, enum counts_mode only,
		   struct counter_estimate *out)
{
	struct counted counted[COUNTS_MODES] = { 0 };
	size_t *place = xcalloc(c->units.n + 1, sizeof(*place));
	struct stacks s;

	begin(&s, c, f);
	for (size_t i = 0; i < c->units.n; i++)
		place[i] = 1; /* all units together */
	add_slices(&s, place, -INFINITY, INFINITY, counted);
	scale_modes(c, counted);
	for (int mode = 0; mode < COUNTS_MODES; mode++)
		end_turn(&counted[mode]);
	for (size_t k = 0; k < f->events.n; k++) {
		out[k] = (struct counter_estimate){ NAN, NAN, 0 };
		for (int mode = 0; mode < COUNTS_MODES; mode++) {
			const struct counted *m = &counted[mode];

			if (!m->counters.n || (only != COUNTS_MODES && mode != (int)only))
				continue;
			struct counter_estimate x = counters_estimate(&m->counters, k, m->whole);
			if (isnan(x.count))
				continue;
			if (!isnan(out[k].count)) {
				x.count += out[k].count;
				x.error = hypot(x.error, out[k].error);
				x.share = fmin(x.share, out[k].share);
			}
			out[k] = x;
			if (mode == COUNTS_ALL)
				break; /* user and kernel are in it */
		}
	}
	for (int mode = 0; mode < COUNTS_MODES; mode++)
		counters_free(&counted[mode].counters);
	free(place);
	stacks_end(&s);
}
