/* SPDX-License-Identifier: MIT */
#include "variates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/vec.h"

enum { LEAST = 10 /* processes for a regression */ };

/* Significance level of the F test. */
static const double significance = 0.05;

struct terms {
	double v[VARIATES]; /* logarithms of canaries */
};

/* The state of the host during a run. */
struct state {
	VEC(struct terms) processes;
	struct terms mean; /* of the processes */
	bool *tells;	   /* by entry: its canaries are those of the others */
};

/* The regression of the logarithms of an entry's values on those of the canaries. */
struct regression {
	struct terms *x; /* of the n values */
	size_t n;
	struct terms mean, slope;
	double squares[VARIATES][VARIATES], determinant; /* of x, about their mean */
	double total, residual;				 /* sums of squares of the values */
};

static bool read_terms(struct terms *t, const struct history_run *run)
{
	for (size_t k = 0; k < VARIATES; k++) {
		if (!run || !(run->canaries[k] > 0))
			return false;
		t->v[k] = log(run->canaries[k]);
	}
	return true;
}

static struct terms mean_of(const struct terms *x, size_t n)
{
	struct terms mean = { 0 };

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < VARIATES; k++)
			mean.v[k] += x[i].v[k] / (double)n;
	return mean;
}

/* The medians of the canaries over the processes of a round. */
static struct terms round_median(const struct history *h, unsigned round)
{
	struct terms median = { 0 }, t;

	for (size_t k = 0; k < VARIATES; k++) {
		VEC(double) all = { 0 };

		for (size_t i = 0; i < h->n; i++)
			for (size_t j = 0; j < h->entries[i].n; j++)
				if (h->entries[i].runs[j].round == round &&
				    read_terms(&t, &h->entries[i].runs[j]))
					vec_push(&all, t.v[k]);
		median.v[k] = all.n ? sample_median(all.v, all.n) : 0;
		vec_free(&all);
	}
	return median;
}

/* Whether the canaries of an entry are no more than three standard errors off the medians of their
 * rounds. */
static bool tells_state(const struct history_entry *x, const struct terms *medians)
{
	const double certain = 3, of_median = 1.2533; /* standard errors; relative to a mean's */
	double *away = xcalloc(x->n, sizeof(*away));
	struct terms t;
	bool tells = true;

	for (size_t k = 0; k < VARIATES; k++) {
		size_t n = 0;

		for (size_t i = 0; i < x->n; i++)
			if (read_terms(&t, &x->runs[i]))
				away[n++] = t.v[k] - medians[x->runs[i].round].v[k];
		if (n > 1)
			tells &= !(fabs(sample_median(away, n)) >
				   certain * of_median * sample_sd(away, n) / sqrt((double)n));
	}
	free(away);
	return tells;
}

static void read_state(struct state *s, const struct history *h)
{
	struct terms *medians = xcalloc(h->rounds, sizeof(*medians)), t;

	*s = (struct state){ .tells = xcalloc(h->n, sizeof(*s->tells)) };
	for (unsigned i = 0; i < h->rounds; i++)
		medians[i] = round_median(h, i);
	for (size_t i = 0; i < h->n; i++) {
		s->tells[i] = tells_state(&h->entries[i], medians);
		for (size_t j = 0; s->tells[i] && j < h->entries[i].n; j++)
			if (read_terms(&t, &h->entries[i].runs[j]))
				vec_push(&s->processes, t);
	}
	s->mean = mean_of(s->processes.v, s->processes.n);
	free(medians);
}

static void free_state(struct state *s)
{
	vec_free(&s->processes);
	free(s->tells);
}

/* The fitted value at t, relative to that at the mean. */
static double fitted(const struct regression *p, const struct terms *t)
{
	double sum = 0;

	for (size_t k = 0; k < VARIATES; k++)
		sum += p->slope.v[k] * (t->v[k] - p->mean.v[k]);
	return sum;
}

/* The inverse of the squares of p, times x. */
static struct terms solve(const struct regression *p, const double *x)
{
	const double(*s)[VARIATES] = p->squares;

	return (struct terms){ { (s[1][1] * x[0] - s[0][1] * x[1]) / p->determinant,
				 (s[0][0] * x[1] - s[1][0] * x[0]) / p->determinant } };
}

/* Least squares; false: the canaries are collinear. */
static bool fit(struct regression *p, const double *logs)
{
	const double collinear = 1e-9;
	double products[VARIATES] = { 0 }, mean = sample_mean(logs, p->n);

	p->mean = mean_of(p->x, p->n);
	for (size_t i = 0; i < p->n; i++) {
		p->total += (logs[i] - mean) * (logs[i] - mean);
		for (size_t k = 0; k < VARIATES; k++) {
			double d = p->x[i].v[k] - p->mean.v[k];

			products[k] += d * (logs[i] - mean);
			for (size_t l = 0; l < VARIATES; l++)
				p->squares[k][l] += d * (p->x[i].v[l] - p->mean.v[l]);
		}
	}
	for (size_t k = 0; k < VARIATES; k++)
		if (p->squares[k][k] <= 0)
			p->squares[k][k] = 1; /* one that never changes explains nothing */
	double product = p->squares[0][0] * p->squares[1][1];
	p->determinant = product - p->squares[0][1] * p->squares[1][0];
	if (!(p->determinant > collinear * product))
		return false;
	p->slope = solve(p, products);
	p->residual = p->total;
	for (size_t k = 0; k < VARIATES; k++)
		p->residual -= p->slope.v[k] * products[k];
	p->residual = fmax(p->residual, 0); /* noise of the subtraction */
	return true;
}

/* Whether the values depend on the canaries: the F test of two slopes, whose tail has a closed
 * form. */
static bool is_significant(const struct regression *p)
{
	return pow(p->residual / p->total, (double)(p->n - VARIATES - 1) / 2) < significance;
}

/* How much wider the intervals of n values are when they were also used to estimate the slopes. */
static double inflation(const struct regression *p)
{
	const double quantile = (1 + REDUCED_LEVEL) / 2;
	double all = (double)p->n - 1, left = all - VARIATES;

	return sqrt(all / left) * distribution_student_quantile(quantile, left) /
	       distribution_student_quantile(quantile, all);
}

/* The standard error of the fitted value at t, relative to that at the mean. */
static double fitted_error(const struct regression *p, const struct terms *t)
{
	double away[VARIATES], leverage = 0;

	for (size_t k = 0; k < VARIATES; k++)
		away[k] = t->v[k] - p->mean.v[k];
	struct terms solved = solve(p, away);
	for (size_t k = 0; k < VARIATES; k++)
		leverage += solved.v[k] * away[k];
	return sqrt(p->residual / (double)(p->n - 1 - VARIATES) * leverage);
}

/* Adjusts the values of x that have canaries to the state s. */
static void adjust(struct reduced *x, const struct regression *p, const struct state *s,
		   enum estimator e)
{
	struct terms t;
	double factor = 0;

	for (size_t i = 0; i < x->n; i++)
		if (read_terms(&t, x->runs[x->pilot + i]))
			x->values[i] =
			    x->all[x->pilot + i] * exp(fitted(p, &s->mean) - fitted(p, &t));
	for (size_t i = 0; i < s->processes.n; i++)
		factor += exp(fitted(p, &s->processes.v[i]) - fitted(p, &s->mean)) /
			  (double)s->processes.n;
	x->mean_factor = factor;
	x->inflation = inflation(p);
	x->adjustment_error = fitted_error(p, &s->mean);
	reduced_estimate(x, e);
}

static bool adjust_entry(struct reduced *x, const struct state *s, enum estimator e)
{
	struct regression p = { .x = xcalloc(x->n, sizeof(*p.x)) };
	double *logs = xcalloc(x->n, sizeof(*logs));

	for (size_t i = 0; i < x->n; i++)
		if (read_terms(&p.x[p.n], x->runs[x->pilot + i]))
			logs[p.n++] = log(x->all[x->pilot + i]);
	bool can = p.n >= LEAST && fit(&p, logs) && is_significant(&p);
	if (can)
		adjust(x, &p, s, e);
	free(logs);
	free(p.x);
	return can;
}

size_t variates_adjust(struct reduction *r, const struct reduction *like)
{
	struct state own, other;
	size_t adjusted = 0;

	read_state(&own, r->history);
	read_state(&other, like->history);
	for (size_t i = 0; i < r->n && other.processes.n; i++) {
		struct reduced *x = &r->entries[i];

		if (x->log && own.tells[x->log - r->history->entries])
			adjusted += adjust_entry(x, &other, r->estimator);
	}
	free_state(&own);
	free_state(&other);
	if (r == like)
		return adjusted;
	for (size_t i = 0; i < r->n; i++) {
		free(r->entries[i].flags);
		reduced_set_flags(&r->entries[i], &r->rule, r->history->n > 0);
	}
	const char *run = json_string_value(json_object_get(like->meta, "run"));
	free(r->state_of);
	r->state_of = xstrdup(run ? run : like->path);
	return adjusted;
}

json_t *variates_state(const struct reduction *r)
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
