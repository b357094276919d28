/* SPDX-License-Identifier: MIT */
#include "control.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/vec.h"

enum { TERMS = CONTROL_CANARIES, LEAST = 10 /* processes for a plane */ };

/* How often luck may explain as much as a plane that is believed. */
static const double luck = 0.05;

struct terms {
	double v[TERMS]; /* logarithms of canaries */
};

/* The state of the host during a run. */
struct state {
	VEC(struct terms) processes;
	struct terms level; /* their mean */
};

/* How the logarithms of an entry's values follow those of the canaries. */
struct plane {
	struct terms *at; /* of the n values */
	size_t n;
	struct terms mean, slope;
	double squares[TERMS][TERMS], determinant; /* of at, about their mean */
	double whole, rest; /* squares of the values: in all, and what is left */
};

static bool read_terms(struct terms *t, const struct history_run *run)
{
	for (size_t k = 0; k < TERMS; k++) {
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
		for (size_t k = 0; k < TERMS; k++)
			mean.v[k] += x[i].v[k] / (double)n;
	return mean;
}

static void read_state(struct state *s, const struct history *h)
{
	struct terms t;

	*s = (struct state){ 0 };
	for (size_t i = 0; i < h->n; i++)
		for (size_t j = 0; j < h->entries[i].n; j++)
			if (read_terms(&t, &h->entries[i].runs[j]))
				vec_push(&s->processes, t);
	s->level = mean_of(s->processes.v, s->processes.n);
}

/* The plane's height over t, relative to that over its middle. */
static double height(const struct plane *p, const struct terms *t)
{
	double sum = 0;

	for (size_t k = 0; k < TERMS; k++)
		sum += p->slope.v[k] * (t->v[k] - p->mean.v[k]);
	return sum;
}

/* The squares of x by the inverse of those of the plane. */
static struct terms divide(const struct plane *p, const double *x)
{
	const double(*s)[TERMS] = p->squares;

	return (struct terms){ { (s[1][1] * x[0] - s[0][1] * x[1]) / p->determinant,
				 (s[0][0] * x[1] - s[1][0] * x[0]) / p->determinant } };
}

/* Least squares; false: the canaries do not span a plane. */
static bool fit(struct plane *p, const double *logs)
{
	const double collinear = 1e-9;
	double products[TERMS] = { 0 }, mean = sample_mean(logs, p->n);

	p->mean = mean_of(p->at, p->n);
	for (size_t i = 0; i < p->n; i++) {
		p->whole += (logs[i] - mean) * (logs[i] - mean);
		for (size_t k = 0; k < TERMS; k++) {
			double d = p->at[i].v[k] - p->mean.v[k];

			products[k] += d * (logs[i] - mean);
			for (size_t l = 0; l < TERMS; l++)
				p->squares[k][l] += d * (p->at[i].v[l] - p->mean.v[l]);
		}
	}
	for (size_t k = 0; k < TERMS; k++)
		if (p->squares[k][k] <= 0)
			p->squares[k][k] = 1; /* one that never changes explains nothing */
	double product = p->squares[0][0] * p->squares[1][1];
	p->determinant = product - p->squares[0][1] * p->squares[1][0];
	if (!(p->determinant > collinear * product))
		return false;
	p->slope = divide(p, products);
	p->rest = p->whole;
	for (size_t k = 0; k < TERMS; k++)
		p->rest -= p->slope.v[k] * products[k];
	p->rest = fmax(p->rest, 0); /* noise of the subtraction */
	return true;
}

/* Whether the entry follows the canaries: the F test of two slopes, whose tail has a closed form.
 */
static bool is_believed(const struct plane *p)
{
	return pow(p->rest / p->whole, (double)(p->n - TERMS - 1) / 2) < luck;
}

/* How much wider the intervals of n values are when they were also used to find the slopes. */
static double widening(const struct plane *p)
{
	const double quantile = (1 + REDUCED_LEVEL) / 2;
	double all = (double)p->n - 1, left = all - TERMS;

	return sqrt(all / left) * distribution_student_quantile(quantile, left) /
	       distribution_student_quantile(quantile, all);
}

/* The standard error of the plane's height over t, relative to that over its middle. */
static double height_error(const struct plane *p, const struct terms *t)
{
	double away[TERMS], leverage = 0;

	for (size_t k = 0; k < TERMS; k++)
		away[k] = t->v[k] - p->mean.v[k];
	struct terms divided = divide(p, away);
	for (size_t k = 0; k < TERMS; k++)
		leverage += divided.v[k] * away[k];
	return sqrt(p->rest / (double)(p->n - 1 - TERMS) * leverage);
}

/* Moves the values of x that have canaries along their plane to the level of s. */
static void move(struct reduced *x, const struct plane *p, const struct state *s, enum estimator e)
{
	double level = height(p, &s->level), factor = 0;
	struct terms t;

	for (size_t i = 0; i < x->n; i++)
		if (read_terms(&t, x->runs[x->pilot + i]))
			x->values[i] = x->all[x->pilot + i] * exp(level - height(p, &t));
	for (size_t i = 0; i < s->processes.n; i++)
		factor += exp(height(p, &s->processes.v[i]) - level) / (double)s->processes.n;
	x->states = factor;
	x->widening = widening(p);
	x->state_error = height_error(p, &s->level);
	reduced_estimate(x, e);
}

static bool move_entry(struct reduced *x, const struct state *s, enum estimator e)
{
	struct plane p = { .at = xcalloc(x->n, sizeof(*p.at)) };
	double *logs = xcalloc(x->n, sizeof(*logs));

	for (size_t i = 0; i < x->n; i++)
		if (read_terms(&p.at[p.n], x->runs[x->pilot + i]))
			logs[p.n++] = log(x->all[x->pilot + i]);
	bool can = p.n >= LEAST && fit(&p, logs) && is_believed(&p);
	if (can)
		move(x, &p, s, e);
	free(logs);
	free(p.at);
	return can;
}

size_t control_move(struct reduction *r, const struct reduction *like)
{
	struct state s;
	size_t moved = 0;

	read_state(&s, like->history);
	for (size_t i = 0; i < r->n && s.processes.n; i++)
		moved += move_entry(&r->entries[i], &s, r->estimator);
	vec_free(&s.processes);
	if (r == like)
		return moved;
	for (size_t i = 0; i < r->n; i++) {
		free(r->entries[i].flags);
		reduced_set_flags(&r->entries[i], &r->rule, r->history->n > 0);
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
