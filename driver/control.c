/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/slope.h"
#include "util/vec.h"

enum { LEAST = 10 }; /* processes of each run for a line */

/* A slope is one of the state of the host when it is this many standard errors above 0: what slows
 * the canaries makes nothing faster. */
static const double significant = 3;

/* The line of an entry along a canary, from both runs. */
struct fit {
	size_t canary;
	struct slope line;
	double spread; /* of the logarithms of the values around it; infinite: no line */
};

/* The logarithms of a canary in the processes that x's values come from, NaN where there is none;
 * the caller frees. */
static double *canary_logs(const struct reduced *x, size_t canary)
{
	const struct history_run *const *runs = x->runs + (x->values - x->all);
	double *logs = xcalloc(x->n, sizeof(*logs));

	for (size_t i = 0; i < x->n; i++)
		logs[i] =
		    runs[i] && runs[i]->canaries[canary] > 0 ? log(runs[i]->canaries[canary]) : NAN;
	return logs;
}

static double centre(const double *x, size_t n)
{
	return estimate_hodges_lehmann(x, n, REDUCED_LEVEL).centre;
}

/* The logarithms of values and of a canary, each without their centre: what differs between the
 * runs is not part of the line, but what it is to explain. */
static void add_centred(const struct reduced *x, size_t canary, double *logs, double *values)
{
	double *own = canary_logs(x, canary), level = centre(own, x->n);

	for (size_t i = 0; i < x->n; i++) {
		logs[i] = own[i] - level;
		values[i] = log(x->values[i] / x->centre.centre);
	}
	free(own);
}

static struct fit fit_canary(const struct reduced *x, const struct reduced *like, size_t canary)
{
	size_t n = x->n + like->n;
	double *logs = xcalloc(n, sizeof(*logs)), *values = xcalloc(n, sizeof(*values));

	add_centred(x, canary, logs, values);
	add_centred(like, canary, logs + x->n, values + x->n);
	struct fit f = { canary, slope_fit(logs, values, n), INFINITY };
	for (size_t i = 0; i < n; i++)
		values[i] -= f.line.slope * logs[i];
	if (f.line.slope > significant * f.line.error)
		f.spread = sample_deviation(values, n);
	free(logs);
	free(values);
	return f;
}

/* Makes e wider by another error, relative to the centre. */
static void widen(struct estimate *e, double error)
{
	e->low = e->centre - hypot(e->centre - e->low, e->centre * error);
	e->high = e->centre + hypot(e->high - e->centre, e->centre * error);
}

static void scale(struct estimate *e, double factor)
{
	e->centre *= factor;
	e->low *= factor;
	e->high *= factor;
}

static void move(struct reduced *x, const struct reduced *like, const struct fit *f,
		 const struct reduction *r)
{
	double *own = canary_logs(x, f->canary), *other = canary_logs(like, f->canary);
	double level = centre(other, like->n), shift = centre(own, x->n) - level;
	/* Of the line, and of the level in the other run. */
	double error = hypot(f->line.error * shift, f->spread / sqrt((double)like->n)),
	       moved = exp(-f->line.slope * shift);
	double t =
	    distribution_student_quantile((1 + REDUCED_LEVEL) / 2, (double)(x->n + like->n - 4));

	for (size_t i = 0; i < x->n; i++)
		x->values[i] *= exp(-f->line.slope * (own[i] - level));
	reduced_estimate(x, r->estimator);
	widen(&x->centre, t * error);
	widen(&x->trimmed, t * error);
	x->precision = estimate_precision(&x->centre);
	x->error = hypot(x->error, error);
	scale(&x->mean, moved);
	widen(&x->mean, t * error);
	x->mean_error = hypot(x->mean_error, error);
	x->cpu *= moved;
	free(x->flags);
	reduced_set_flags(x, &r->rule, r->history->n > 0);
	free(own);
	free(other);
}

static bool move_entry(struct reduction *r, struct reduced *x, const struct reduced *like)
{
	struct fit best = { .spread = INFINITY };

	for (size_t i = 0; i < HISTORY_CANARIES; i++) {
		struct fit f = fit_canary(x, like, i);

		if (f.spread < best.spread)
			best = f;
	}
	if (isinf(best.spread))
		return false;
	move(x, like, &best, r);
	return true;
}

size_t control_move(struct reduction *r, const struct reduction *like)
{
	size_t moved = 0;

	for (size_t i = 0; i < r->n; i++) {
		const struct reduced *other = reduce_find(like, r->entries[i].name);

		if (other && r->entries[i].n >= LEAST && other->n >= LEAST)
			moved += move_entry(r, &r->entries[i], other);
	}
	const char *run = json_string_value(json_object_get(like->meta, "run"));
	free(r->state_of);
	r->state_of = xstrdup(run ? run : like->path);
	return moved;
}

json_t *control_state(const struct reduction *r)
{
	json_t *state = NULL;

	for (size_t k = 0; k < HISTORY_CANARIES; k++) {
		VEC(double) all = { 0 };

		for (size_t i = 0; i < r->history->n; i++)
			for (size_t j = 0; j < r->history->entries[i].n; j++) {
				double seconds = r->history->entries[i].runs[j].canaries[k];

				if (seconds > 0)
					vec_push(&all, seconds);
			}
		if (all.n) {
			double *sorted = sample_sorted(all.v, all.n);

			state = state ? state : json_object();
			json_object_set_new(state, history_canary_names[k],
					    json_pack("[f, f, f]",
						      sample_quantile(sorted, all.n, 0.5),
						      sample_quantile(sorted, all.n, 0.1),
						      sample_quantile(sorted, all.n, 0.9)));
			free(sorted);
		}
		vec_free(&all);
	}
	return state;
}
