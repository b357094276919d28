/* SPDX-License-Identifier: MIT */
#include "ranked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/doubt.h"
#include "stats/distribution.h"
#include "util/xalloc.h"

const double ranked_badly = 1.5;
static const double equivalence = 1.03; /* smaller ratios matter to nobody */

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

		place->rank = (struct rank){ .low = low, .high = low, .best = NAN, .regret = NAN };
		place->full = place->measured = place->ratio =
		    (struct samples_interval){ NAN, NAN, NAN };
		place->slower = place->reach = NAN;
	}
}

/* The standard deviation of the model's error in the logarithm of a's time relative to b's, in one
 * state of their hosts. */
static double error_of(const struct model_error *m, const struct prediction *a,
		       const struct prediction *b)
{
	struct model_case x = doubt_case(a), y = doubt_case(b);

	x.host.moves = y.host.moves = 0;
	const double error = a == b ? 0 : model_error_of_ratio(m, &x, &y);

	free(x.lines);
	free(y.lines);
	return error;
}

static void rank_samples(struct ranked *r, const struct query *q, const struct intervals *s)
{
	const struct model_error m = intervals_model_error(s);
	const double t = distribution_student_quantile(0.95, m.freedom);
	struct samples d = intervals_sample(s, q);
	double *centre = xcalloc(r->n, sizeof(*centre));
	struct rank *rank = xcalloc(r->n, sizeof(*rank));

	for (size_t i = 0; i < r->n; i++)
		centre[i] = q->predictions[i]->total;
	ranking(centre, d.full, d.n, r->n, s->level, equivalence, rank);
	for (size_t i = 0; i < r->n; i++) {
		struct place *place = &r->places[i];

		place->rank = rank[place->machine];
		place->full = samples_interval(&d, d.full, place->machine, s->level);
		place->measured = samples_interval(&d, d.measured, place->machine, s->level);
		place->ratio = samples_ratio(&d, place->machine, r->base, s->level);
		place->slower = samples_slower(&d, place->machine, r->base);
		place->reach = exp(t * error_of(&m, place->p, q->predictions[r->base]));
	}
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
