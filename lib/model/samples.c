/* SPDX-License-Identifier: MIT */
#include "model/samples.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distribution.h"
#include "stats/random.h"
#include "stats/sample.h"
#include "util/vec.h"

static const double uncovered_error = 0.5; /* relative, of time that no entry measures */
/* Of a cost measured by one process, which shows no error of its own. */
static const double lone_error = 0.1;
static const double smallest = 1e-6; /* of the predicted total: samples are positive */

/* The cost of an entry in the samples. */
struct cost {
	const struct osvec_entry *entry;
	double spread; /* scale of log(sampled cost / cost) */
	double factor; /* sampled cost / cost, in this sample */
};

/* The costs of one machine, which vary together. */
struct sampler {
	struct random random;
	double correlation;
	VEC(struct cost) costs;
	size_t n; /* processes, of which widening was computed last */
	double widening;
};

/*
 * What makes the 90 % interval of a normal deviate as wide as Student's for n processes.  Two
 * processes count as three: with one degree of freedom nearly anything is possible.
 */
static double widening(size_t n)
{
	return distribution_student_quantile(0.95, n > 3 ? (double)n - 1 : 2) /
	       distribution_normal_quantile(0.95);
}

static double spread(struct sampler *s, const struct osvec_entry *x)
{
	if (isnan(x->error) && x->n == 1)
		return lone_error;
	if (isnan(x->error))
		return (x->high - x->low) / x->seconds / 2 / distribution_normal_quantile(0.975);
	if (!x->n)
		return x->error;
	/* Most entries of a vector have as many processes as the one before. */
	if (x->n != s->n) {
		s->n = x->n;
		s->widening = widening(x->n);
	}
	return x->error * s->widening;
}

/* The place of x among the costs. */
static size_t add_cost(struct sampler *s, const struct osvec_entry *x)
{
	size_t i = 0;

	while (i < s->costs.n && s->costs.v[i].entry != x)
		i++;
	if (i == s->costs.n)
		vec_push(&s->costs, (struct cost){ x, spread(s, x), 1 });
	return i;
}

static void vary_costs(struct sampler *s)
{
	double common = sqrt(s->correlation) * random_normal(&s->random);
	double own = sqrt(1 - s->correlation);

	for (size_t i = 0; i < s->costs.n; i++) {
		struct cost *x = &s->costs.v[i];

		x->factor = exp(x->spread * (common + own * random_normal(&s->random)));
	}
}

/* One prediction being sampled. */
struct sampling {
	const struct prediction *p;
	struct sampler sampler;
	size_t *cost;		       /* of each charge; SIZE_MAX: none */
	size_t *user, *user_reference; /* costs of the user entries, here and on the reference */
};

static void sampling_start(struct sampling *g, const struct prediction *p,
			   struct sampler *reference, uint64_t seed)
{
	g->p = p;
	g->sampler.correlation = p->machine->correlation;
	g->cost = xcalloc(p->ncharges, sizeof(*g->cost));
	g->user = xcalloc(p->nuser, sizeof(*g->user));
	g->user_reference = xcalloc(p->nuser, sizeof(*g->user_reference));
	for (size_t i = 0; i < p->ncharges; i++)
		g->cost[i] =
		    p->charges[i].entry ? add_cost(&g->sampler, p->charges[i].entry) : SIZE_MAX;
	for (size_t i = 0; i < p->nuser; i++) {
		g->user[i] = add_cost(&g->sampler, p->user_here[i]);
		g->user_reference[i] = add_cost(reference, p->user_reference[i]);
	}
	if (p->nuser)
		reference->correlation = p->reference->correlation;
	random_seed(&g->sampler.random, seed);
}

/* Samples g with the runs weighted; *full has model error besides. */
static double sample(struct sampling *g, const struct sampler *reference, const double *weight,
		     const struct model_error *model, double *full)
{
	const struct prediction *p = g->p;
	double part[LINE_WAIT + 1] = { 0 }, user = 0, floor = smallest * p->total;
	const struct cost *costs = g->sampler.costs.v;
	struct random *random = &g->sampler.random;
	size_t nruns = p->demand->nruns;

	vary_costs(&g->sampler);
	for (size_t i = 0; i < p->ncharges; i++) {
		double seconds = 0;

		for (size_t r = 0; r < nruns; r++)
			seconds += weight[r] * p->by_run[i * nruns + r];
		part[p->lines[p->charges[i].line].kind] +=
		    g->cost[i] == SIZE_MAX ? seconds : seconds * costs[g->cost[i]].factor;
	}
	for (size_t i = 0; i < p->nuser; i++)
		user += p->user_here[i]->seconds / p->user_reference[i]->seconds *
			costs[g->user[i]].factor / reference->costs.v[g->user_reference[i]].factor;
	user = p->nuser ? user / (double)p->nuser / p->user_ratio : 1;

	double kernel = part[LINE_KERNEL] + part[LINE_SWITCHES] + part[LINE_FAULTS];
	double rest = part[LINE_USER] * user + part[LINE_WAIT];
	double uncovered = uncovered_error * (1 - p->coverage) * random_normal(random);
	double error =
	    (p->alike ? model->alike : model->spread) * random_student(random, model->freedom);
	*full = fmax(kernel * exp(uncovered) + rest, floor) * exp(error);
	return fmax(kernel + rest, floor);
}

/* Weights of the runs in one sample: a bootstrap, widened to the variance of n - 1. */
static void weigh_runs(struct random *random, double *weight, size_t n)
{
	double spread = n > 1 ? sqrt((double)n / (double)(n - 1)) : 0;

	for (size_t r = 0; r < n; r++)
		weight[r] = (1 - spread) / (double)n;
	for (size_t r = 0; r < n; r++)
		weight[random_below(random, n)] += spread / (double)n;
}

/* The error that an application has on all machines alike, which cancels when the time on one of
 * them is known. */
static void add_bias(struct random *random, const struct model_error *model,
		     struct prediction *const *p, size_t m, double *full)
{
	double factor = exp(model->bias * random_student(random, model->freedom));

	for (size_t i = 0; i < m; i++)
		if (p[i]->known)
			return;
	for (size_t i = 0; model->bias > 0 && i < m; i++)
		full[i] *= factor;
}

/*
 * Makes the others' times relative to the machine whose time is known: the error of its own
 * prediction goes into all the others.
 */
static void pin(struct prediction *const *p, size_t m, double *measured, double *full)
{
	for (size_t k = 0; k < m; k++) {
		if (!p[k]->known)
			continue;
		double alone = p[k]->total / measured[k], all = p[k]->total / full[k];
		for (size_t i = 0; i < m; i++) {
			measured[i] *= alone;
			full[i] *= all;
		}
		full[k] = measured[k] = p[k]->total;
		return;
	}
}

struct samples samples_new(struct prediction *const *p, size_t m, const struct samples_settings *s)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	struct sampling *g = xcalloc(m, sizeof(*g));
	struct sampler reference = { 0 };
	struct random random, biases;
	size_t nruns = p[0]->demand->nruns;
	double *weight = xcalloc(nruns, sizeof(*weight));
	struct samples d = {
		.n = s->n,
		.m = m,
		.measured = xcalloc(s->n * m, sizeof(double)),
		.full = xcalloc(s->n * m, sizeof(double)),
	};

	/* A stream for each machine: one more machine does not change the samples of the others. */
	for (size_t i = 0; i < m; i++)
		sampling_start(&g[i], p[i], &reference, s->seed + odd * (i + 2));
	random_seed(&random, s->seed);
	random_seed(&reference.random, s->seed + odd);
	random_seed(&biases, s->seed - odd);
	for (size_t k = 0; k < s->n; k++) {
		double *measured = d.measured + k * m, *full = d.full + k * m;

		weigh_runs(&random, weight, nruns);
		vary_costs(&reference);
		for (size_t i = 0; i < m; i++)
			measured[i] = sample(&g[i], &reference, weight, &s->model, &full[i]);
		add_bias(&biases, &s->model, p, m, full);
		pin(p, m, measured, full);
	}
	for (size_t i = 0; i < m; i++) {
		vec_free(&g[i].sampler.costs);
		free(g[i].cost);
		free(g[i].user);
		free(g[i].user_reference);
	}
	vec_free(&reference.costs);
	free(weight);
	free(g);
	return d;
}

void samples_free(struct samples *d)
{
	free(d->measured);
	free(d->full);
}

/* The quantiles of x[n], which are freed. */
static struct samples_interval take_quantiles(double *x, size_t n, double level)
{
	double *sorted = sample_sorted(x, n);
	struct samples_interval out = {
		.median = sample_quantile(sorted, n, 0.5),
		.low = sample_quantile(sorted, n, (1 - level) / 2),
		.high = sample_quantile(sorted, n, (1 + level) / 2),
	};

	free(sorted);
	free(x);
	return out;
}

struct samples_interval samples_interval(const struct samples *d, const double *v, size_t i,
					 double level)
{
	double *x = xcalloc(d->n, sizeof(*x));

	for (size_t k = 0; k < d->n; k++)
		x[k] = v[k * d->m + i];
	return take_quantiles(x, d->n, level);
}

struct samples_interval samples_ratio(const struct samples *d, size_t i, size_t j, double level)
{
	double *x = xcalloc(d->n, sizeof(*x));

	for (size_t k = 0; k < d->n; k++)
		x[k] = d->full[k * d->m + i] / d->full[k * d->m + j];
	return take_quantiles(x, d->n, level);
}

double samples_slower(const struct samples *d, size_t i, size_t j)
{
	double halves = 0;

	for (size_t k = 0; k < d->n; k++) {
		double a = d->full[k * d->m + i], b = d->full[k * d->m + j];

		halves += a > b ? 2 : a == b;
	}
	return d->n ? halves / 2 / (double)d->n : NAN;
}

double samples_measured_share(const struct samples *d)
{
	double measured = 0, full = 0;

	for (size_t i = 0; i < d->m; i++) {
		struct samples_interval a = samples_interval(d, d->measured, i, 0.9);
		struct samples_interval b = samples_interval(d, d->full, i, 0.9);

		measured += pow(log(a.high / a.low), 2);
		full += pow(log(b.high / b.low), 2);
	}
	return full > 0 ? measured / full : NAN;
}
