/* SPDX-License-Identifier: MIT */
#include "ranked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "level.h"
#include "model/doubt.h"
#include "stats/distribution.h"
#include "util/xalloc.h"

const double ranked_badly = 1.5;
const double ranked_equivalence = 1.03;

static int by_total(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	if (x->p->total != y->p->total)
		return x->p->total < y->p->total ? -1 : 1;
	return (x->machine > y->machine) - (x->machine < y->machine);
}

/* Ranks by the point values alone; equal ones share a rank. */
static void rank_points(struct ranked *r)
{
	for (size_t i = 0; i < r->n; i++) {
		struct place *place = &r->places[i];
		size_t low =
		    i && place->p->total == place[-1].p->total ? place[-1].rank.low : i + 1;

		place->rank = (struct rank){ .low = low, .high = low, .best = NAN, .loss = NAN };
		place->full = place->measured = place->ratio =
		    (struct samples_interval){ NAN, NAN, NAN };
		place->slower = place->reach = NAN;
	}
}

/* The case of p in one state of all hosts. */
static struct model_case case_of(const struct prediction *p)
{
	struct model_case c = doubt_case(p);

	/* Neither the state of a host nor who else is on it. */
	c.host = (struct host){ 0 };
	return c;
}

/* By how much each place is off relative to the reference: how well the model serves a machine does
 * not depend on what it is compared with.  Without a reference, it is the error of the time. */
static void set_reach(struct ranked *r, const struct query *q, const struct model_error *m)
{
	const double t = distribution_student_quantile(0.95, m->freedom);
	struct prediction *reference = q->reference ? level_price(q, q->reference) : NULL;
	struct model_case base = { 0 };

	if (reference) {
		reference->insitu = q->insitu;
		base = case_of(reference);
	}
	for (size_t i = 0; i < r->n; i++) {
		const struct prediction *p = r->places[i].p;
		struct model_case c = case_of(p);

		if (!reference)
			r->places[i].reach = exp(t * model_error_of(m, &c));
		else if (osvec_is_same(p->machine, q->reference))
			r->places[i].reach = 1;
		else
			r->places[i].reach = exp(t * model_error_of_ratio(m, &c, &base));
		free(c.lines);
	}
	free(base.lines);
	prediction_free(reference);
}

static void rank_samples(struct ranked *r, const struct query *q, const struct intervals *s)
{
	const struct model_error m = intervals_model_error(s, q);
	struct samples d = intervals_sample(s, q);
	double *centre = xcalloc(r->n, sizeof(*centre));
	struct rank *rank = xcalloc(r->n, sizeof(*rank));

	for (size_t i = 0; i < r->n; i++)
		centre[i] = q->predictions[i]->total;
	ranking(centre, d.full, d.n, r->n, s->level, ranked_equivalence, rank);
	for (size_t i = 0; i < r->n; i++) {
		struct place *place = &r->places[i];

		place->rank = rank[place->machine];
		place->full = samples_interval(&d, d.full, place->machine, s->level);
		place->measured = samples_interval(&d, d.measured, place->machine, s->level);
		place->ratio = samples_ratio(&d, place->machine, r->base, s->level);
		place->slower = samples_slower(&d, place->machine, r->base);
	}
	set_reach(r, q, &m);
	r->measured_share = samples_measured_share(&d);
	free(centre);
	free(rank);
	samples_free(&d);
}

struct ranked ranked_new(const struct query *q, const struct intervals *s, const char *against)
{
	struct ranked r = {
		.places = xcalloc(q->machines.n, sizeof(*r.places)),
		.n = q->machines.n,
		.intervals = s != NULL,
		.measured_share = NAN,
	};

	for (size_t i = 0; i < r.n; i++)
		r.places[i] = (struct place){ .machine = i, .p = q->predictions[i] };
	qsort(r.places, r.n, sizeof(*r.places), by_total);
	r.base =
	    against ? query_machine(q, "against", against, strlen(against)) : r.places[0].machine;
	if (s)
		rank_samples(&r, q, s);
	else
		rank_points(&r);
	return r;
}

void ranked_free(struct ranked *r)
{
	free(r->places);
}
