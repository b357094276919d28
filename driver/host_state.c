/* SPDX-License-Identifier: MIT */
#include "host_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/sample.h"
#include "util/vec.h"

enum { LEAST = 10 /* processes for a regression */ };

/* Significance level of the F test. */
static const double significance = 0.05;

struct terms {
	double v[OSVEC_CANARIES]; /* logarithms of canaries */
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
	double squares[OSVEC_CANARIES][OSVEC_CANARIES], determinant; /* of x, about their mean */
	double total, residual; /* sums of squares of the values */
};

static bool read_terms(struct terms *t, const struct history_run *run)
{
	for (size_t k = 0; k < OSVEC_CANARIES; k++) {
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
		for (size_t k = 0; k < OSVEC_CANARIES; k++)
			mean.v[k] += x[i].v[k] / (double)n;
	return mean;
}

/* The medians of the canaries over the processes of each round; 0 in one without canaries. */
static struct terms *round_medians(const struct history *h)
{
	struct terms *medians = xcalloc(h->rounds, sizeof(*medians)), t;
	VEC(double) *logs = xcalloc(h->rounds, sizeof(*logs));

	for (size_t k = 0; k < OSVEC_CANARIES; k++) {
		for (size_t i = 0; i < h->n; i++)
			for (size_t j = 0; j < h->entries[i].n; j++)
				if (read_terms(&t, &h->entries[i].runs[j]))
					vec_push(&logs[h->entries[i].runs[j].round], t.v[k]);
		for (unsigned r = 0; r < h->rounds; r++) {
			medians[r].v[k] = logs[r].n ? sample_median(logs[r].v, logs[r].n) : 0;
			logs[r].n = 0;
		}
	}
	for (unsigned r = 0; r < h->rounds; r++)
		vec_free(&logs[r]);
	free(logs);
	return medians;
}

/* Whether the canaries of an entry are no more than three standard errors off the medians of their
 * rounds. */
static bool tells_state(const struct history_entry *x, const struct terms *medians)
{
	const double certain = 3, of_median = 1.2533; /* standard errors; relative to a mean's */
	double *away = xcalloc(x->n, sizeof(*away));
	struct terms t;
	bool tells = true;

	for (size_t k = 0; k < OSVEC_CANARIES; k++) {
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

static struct state read_state(const struct history *h)
{
	struct state s = { .tells = xcalloc(h->n, sizeof(*s.tells)) };
	struct terms *medians = round_medians(h), t;

	for (size_t i = 0; i < h->n; i++) {
		s.tells[i] = tells_state(&h->entries[i], medians);
		for (size_t j = 0; s.tells[i] && j < h->entries[i].n; j++)
			if (read_terms(&t, &h->entries[i].runs[j]))
				vec_push(&s.processes, t);
	}
	s.mean = mean_of(s.processes.v, s.processes.n);
	free(medians);
	return s;
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

	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		sum += p->slope.v[k] * (t->v[k] - p->mean.v[k]);
	return sum;
}

/* The inverse of the squares of p, times x. */
static struct terms solve(const struct regression *p, const double *x)
{
	const double(*s)[OSVEC_CANARIES] = p->squares;

	return (struct terms){ { (s[1][1] * x[0] - s[0][1] * x[1]) / p->determinant,
				 (s[0][0] * x[1] - s[1][0] * x[0]) / p->determinant } };
}

/* Least squares; false: the canaries are collinear. */
static bool fit(struct regression *p, const double *logs)
{
	const double collinear = 1e-9;
	double products[OSVEC_CANARIES] = { 0 }, mean = sample_mean(logs, p->n);

	p->mean = mean_of(p->x, p->n);
	for (size_t i = 0; i < p->n; i++) {
		p->total += (logs[i] - mean) * (logs[i] - mean);
		for (size_t k = 0; k < OSVEC_CANARIES; k++) {
			double d = p->x[i].v[k] - p->mean.v[k];

			products[k] += d * (logs[i] - mean);
			for (size_t l = 0; l < OSVEC_CANARIES; l++)
				p->squares[k][l] += d * (p->x[i].v[l] - p->mean.v[l]);
		}
	}
	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		if (p->squares[k][k] <= 0)
			p->squares[k][k] = 1; /* one that never changes explains nothing */
	double product = p->squares[0][0] * p->squares[1][1];
	p->determinant = product - p->squares[0][1] * p->squares[1][0];
	if (!(p->determinant > collinear * product))
		return false;
	p->slope = solve(p, products);
	p->residual = p->total;
	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		p->residual -= p->slope.v[k] * products[k];
	p->residual = fmax(p->residual, 0); /* noise of the subtraction */
	return true;
}

/* Whether the values depend on the canaries: the F test of two slopes, whose tail has a closed
 * form. */
static bool is_significant(const struct regression *p)
{
	return pow(p->residual / p->total, (double)(p->n - OSVEC_CANARIES - 1) / 2) < significance;
}

/* How much wider the intervals of n values are when they were also used to estimate the slopes. */
static double inflation(const struct regression *p)
{
	const double quantile = (1 + COST_LEVEL) / 2;
	double all = (double)p->n - 1, left = all - OSVEC_CANARIES;

	return sqrt(all / left) * distribution_student_quantile(quantile, left) /
	       distribution_student_quantile(quantile, all);
}

/* The standard error of the fitted value at t, relative to that at the mean. */
static double fitted_error(const struct regression *p, const struct terms *t)
{
	double away[OSVEC_CANARIES], leverage = 0;

	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		away[k] = t->v[k] - p->mean.v[k];
	struct terms solved = solve(p, away);
	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		leverage += solved.v[k] * away[k];
	return sqrt(p->residual / (double)(p->n - 1 - OSVEC_CANARIES) * leverage);
}

/* The mean cost over the states of all processes, relative to that in their mean state.  States
 * beyond those of the values count as the outermost of these: a line through logarithms that is
 * followed further soon leads to any factor. */
static double mean_factor(const struct regression *p, const struct state *s)
{
	double low = INFINITY, high = -INFINITY, sum = 0;

	for (size_t i = 0; i < p->n; i++) {
		low = fmin(low, fitted(p, &p->x[i]));
		high = fmax(high, fitted(p, &p->x[i]));
	}
	for (size_t i = 0; i < s->processes.n; i++)
		sum += exp(fmax(low, fmin(fitted(p, &s->processes.v[i]), high)));
	return sum / (double)s->processes.n / exp(fmax(low, fmin(fitted(p, &s->mean), high)));
}

/* Adjusts the values of x that have canaries to the state s. */
static void adjust(struct cost *x, const struct regression *p, const struct state *s,
		   enum estimator e)
{
	const double mean = fitted(p, &s->mean);
	struct terms t;

	for (size_t i = 0; i < x->n; i++)
		if (read_terms(&t, x->runs[x->pilot + i]))
			x->values[i] = x->all[x->pilot + i] * exp(mean - fitted(p, &t));
	x->mean_factor = mean_factor(p, s);
	x->inflation = inflation(p);
	x->adjustment_error = fitted_error(p, &s->mean);
	cost_estimate(x, e);
}

static bool adjust_entry(struct cost *x, const struct state *s, enum estimator e)
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

static size_t adjust_all(struct reduction *r, const struct state *own, const struct state *to)
{
	size_t adjusted = 0;

	for (size_t k = 0; k < OSVEC_CANARIES; k++)
		r->state[k] = to->processes.n ? exp(to->mean.v[k]) : NAN;
	for (size_t i = 0; i < r->n && to->processes.n; i++) {
		struct cost *x = &r->costs[i];

		if (x->history && own->tells[x->history - r->history->entries])
			adjusted += adjust_entry(x, to, r->estimator);
	}
	return adjusted;
}

size_t host_state_adjust(struct reduction *r, const struct reduction *like)
{
	struct state own = read_state(r->history);

	if (r == like) {
		size_t adjusted = adjust_all(r, &own, &own);

		free_state(&own);
		return adjusted;
	}
	struct state other = read_state(like->history);
	size_t adjusted = adjust_all(r, &own, &other);
	const char *run = json_string_value(json_object_get(like->meta, "run"));
	for (size_t i = 0; i < r->n; i++)
		cost_set_flags(&r->costs[i], &r->rule, r->history->n > 0);
	free(r->state_of);
	r->state_of = xstrdup(run ? run : like->path);
	free_state(&other);
	free_state(&own);
	return adjusted;
}

void host_state_describe(const struct reduction *r, struct osvec *v)
{
	const struct history *h = r->history;

	for (size_t k = 0; k < OSVEC_CANARIES; k++) {
		VEC(double) all = { 0 };

		for (size_t i = 0; i < h->n; i++)
			for (size_t j = 0; j < h->entries[i].n; j++)
				if (h->entries[i].runs[j].canaries[k] > 0)
					vec_push(&all, h->entries[i].runs[j].canaries[k]);
		if (!all.n)
			continue;
		double *sorted = sample_sorted(all.v, all.n);
		osvec_set_canary(v, k,
				 &(struct osvec_canary){ sample_quantile(sorted, all.n, 0.5),
							 sample_quantile(sorted, all.n, 0.1),
							 sample_quantile(sorted, all.n, 0.9),
							 r->state[k] });
		free(sorted);
		vec_free(&all);
	}
}
