/* SPDX-License-Identifier: MIT */
#include "model/statecost.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"
#include "vector/profile.h"

static struct statecost *at(struct statecosts *s, uint16_t state)
{
	while (s->v.n <= state)
		vec_push(&s->v, (struct statecost){ 0 });
	return &s->v.v[state];
}

void statecosts_event(struct statecosts *s, const struct event *e, uint16_t state, uint16_t user)
{
	struct event call = *e;

	if (e->type == EVENT_FAULT)
		at(s, user)->faults++;
	if (e->type != EVENT_SYSCALL)
		return;
	at(s, user)->around++;
	call.call.flags |= (uint16_t)extents_flags(&s->extents, e);
	if (exists_event(&s->exists, e))
		call.call.flags |= CALL_EXISTS;
	/* A profile has the calls of one state alone, and so does not know the ends of files, nor
	 * which there are. */
	call.call.object = 0;
	struct statecost *c = at(s, state);
	if (!c->profile)
		c->profile = profile_new(s->basis);
	profile_add(c->profile, &call);
}

/* ---- prices ---- */

static void pair_free(struct statecost_pair *p)
{
	prediction_free(p->from);
	prediction_free(p->to);
	demand_free(p->demand);
	appvec_free(p->application);
	*p = (struct statecost_pair){ 0 };
}

/* An application that is all of `calls`, or of these seconds, switches and faults. */
static struct appvec *application(const struct statecosts *s, const struct profile *calls,
				  struct appvec_run run)
{
	const struct basis *b = s->basis;
	struct appvec *a = appvec_new("state");

	free(a->kernel);
	free(a->cpu);
	a->kernel = xstrdup(osvec_fact(s->machines[0], "kernel.release"));
	a->cpu = xstrdup(osvec_fact(s->machines[0], "cpu.model"));
	a->nuser_entries = b->user_entries.n;
	a->user_entries = xcalloc(a->nuser_entries + 1, sizeof(*a->user_entries));
	for (size_t i = 0; i < a->nuser_entries; i++)
		a->user_entries[i] = xstrdup(b->user_entries.v[i]);
	a->switch_entry = b->switch_entry ? xstrdup(b->switch_entry) : NULL;
	a->fault_entry = b->fault_entry ? xstrdup(b->fault_entry) : NULL;
	a->traces = xcalloc(1, sizeof(*a->traces));
	a->ntraces = 1;
	if (calls)
		profile_trace(calls, a->traces);
	else
		a->traces->trace = xstrdup("");
	a->traces->run = run;
	a->traces->asleep = 0; /* a wait, which is not priced here */
	/* What another call's entry pays for is priced here by itself. */
	for (size_t i = 0; i < a->traces->nitems; i++)
		if (a->traces->items[i].part == PART_COUNTED)
			a->traces->items[i].part = PART_KERNEL;
	return a;
}

static int price(struct statecosts *s, struct statecost_pair *p, const struct profile *calls,
		 struct appvec_run run, struct error *e)
{
	const struct lenders lenders = { s->machines, 2 };

	p->application = application(s, calls, run);
	p->demand = demand_new(p->application);
	p->from = prediction_new(p->demand, s->machines[0], s->machines[0], 0, lenders, e);
	p->to = p->from ? prediction_new(p->demand, s->machines[1], s->machines[0], 0, lenders, e)
			: NULL;
	if (p->to)
		return 0;
	pair_free(p);
	return -1;
}

static const struct appvec_run nothing = { 0 };

int statecosts_price(struct statecosts *s, const struct osvec *from, const struct osvec *to,
		     struct error *e)
{
	struct error ignored;

	pair_free(&s->user);
	pair_free(&s->change);
	pair_free(&s->fault);
	s->machines[0] = from;
	s->machines[1] = to;
	for (size_t i = 0; i < s->v.n; i++) {
		pair_free(&s->v.v[i].pair);
		/* What cannot be priced is like a switch. */
		if (s->v.v[i].profile)
			price(s, &s->v.v[i].pair, s->v.v[i].profile, nothing, &ignored);
	}
	if (price(s, &s->user, NULL, (struct appvec_run){ .user = 1 }, e) ||
	    price(s, &s->change, NULL, (struct appvec_run){ .voluntary = 1 }, e) ||
	    price(s, &s->fault, NULL, (struct appvec_run){ .minor_faults = 1 }, e))
		return -1;
	if (isnan(s->user.to->user_ratio))
		return error_set(e, "%s: no entry says how fast its user code is",
				 s->machines[1]->machine);
	return 0;
}

double statecosts_switch(const struct statecosts *s)
{
	return s->change.to->kernel / s->change.from->kernel;
}

double statecosts_call(const struct statecosts *s, uint16_t state, double wait[2])
{
	const struct statecost *c = state < s->v.n ? &s->v.v[state] : NULL;

	wait[0] = wait[1] = 0;
	if (!c || !c->profile)
		return NAN;
	const struct prediction *from = c->pair.from, *to = c->pair.to;
	if (!from || !(from->kernel > 0 && to->kernel > 0))
		return statecosts_switch(s);
	/* What waits on one machine takes CPU time on the other. */
	if (!(from->wait > 0 && to->wait > 0))
		return (to->kernel + to->wait) / (from->kernel + from->wait);
	wait[0] = from->wait;
	wait[1] = to->wait;
	return to->kernel / from->kernel;
}

void statecosts_user(const struct statecosts *s, uint16_t state, double seconds, double recorder,
		     double *from, double *to)
{
	const struct statecost none = { 0 }, *c = state < s->v.n ? &s->v.v[state] : &none;
	/* There was some work between the calls, however small. */
	const double least = 0.05;
	double work = fmax(seconds - c->around * recorder, least * seconds);
	double faults = fmin(c->faults * s->fault.from->kernel, (1 - least) * work);

	*from = work;
	*to = (work - faults) * s->user.to->user_ratio +
	      faults * s->fault.to->kernel / s->fault.from->kernel;
}

static void add_doubt(struct doubts *d, const struct statecost_pair *p, double elasticity)
{
	if (!p->to)
		return;
	doubt_add(d, p->to, elasticity);
	doubt_add(d, p->from, -elasticity);
}

double statecosts_variance(const struct statecosts *s, const double *v, const bool *is_switch,
			   size_t n)
{
	struct doubts d = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct statecost *c = i < s->v.n ? &s->v.v[i] : NULL;

		add_doubt(&d,
			  c && c->profile ? &c->pair
			  : is_switch[i]  ? &s->change
					  : &s->user,
			  v[i]);
	}
	double sum = doubt_variance(&d, s->machines[0]) + doubt_variance(&d, s->machines[1]);
	vec_free(&d);
	return sum;
}

void statecosts_free(struct statecosts *s)
{
	for (size_t i = 0; i < s->v.n; i++) {
		profile_free(s->v.v[i].profile);
		pair_free(&s->v.v[i].pair);
	}
	vec_free(&s->v);
	pair_free(&s->user);
	pair_free(&s->change);
	pair_free(&s->fault);
	extents_free(&s->extents);
	exists_free(&s->exists);
}
