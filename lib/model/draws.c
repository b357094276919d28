/* SPDX-License-Identifier: MIT */
#include "model/draws.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/random.h"
#include "stats/resample.h"
#include "stats/sample.h"
#include "util/vec.h"

static const double uncovered_error = 0.5; /* relative, of time that no entry measures */
static const double smallest = 1e-6;	   /* of the predicted total: draws are positive */

/* How the cost of one entry varies when its rounds are drawn again. */
struct varying {
	const struct osvec_entry *entry;
	double *z;	/* log deviation, or for bimodal relative value, of each process */
	size_t *rounds; /* which of the sampler's rounds it ran in; NULL: drawn by itself */
	size_t n;	/* 0: a normal deviate */
	double spread;	/* of a bootstrap, see widen(); of the normal deviate, its sd */
};

/* One machine, its entries drawn together. */
struct sampler {
	struct random random;
	VEC(struct varying) entries;
	size_t *count; /* how often each round is in this draw */
	size_t nrounds;
	double *deviation; /* log(drawn cost / cost) of each entry, in this draw */
};

/* The number of x among the sampled entries. */
static size_t entry_index(struct sampler *s, const struct osvec_entry *x)
{
	size_t i = 0;

	while (i < s->entries.n && s->entries.v[i].entry != x)
		i++;
	if (i == s->entries.n)
		vec_push(&s->entries, (struct varying){ .entry = x });
	return i;
}

static int by_number(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

/* Gives the round numbers of all entries dense numbers. */
static void number_rounds(struct sampler *s)
{
	VEC(unsigned) all = { 0 };

	for (size_t i = 0; i < s->entries.n; i++)
		for (size_t k = 0; s->entries.v[i].entry->rounds && k < s->entries.v[i].n; k++)
			vec_push(&all, s->entries.v[i].entry->rounds[k]);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_number);
	for (size_t i = 0; i < all.n; i++)
		if (i == 0 || all.v[i] != all.v[s->nrounds - 1])
			all.v[s->nrounds++] = all.v[i];
	for (size_t i = 0; i < s->entries.n; i++) {
		struct varying *x = &s->entries.v[i];

		if (!x->n || !x->entry->rounds)
			continue;
		x->rounds = xcalloc(x->n, sizeof(*x->rounds));
		for (size_t k = 0; k < x->n; k++)
			x->rounds[k] =
			    (size_t)((unsigned *)bsearch(&x->entry->rounds[k], all.v, s->nrounds,
							 sizeof(*all.v), by_number) -
				     all.v);
	}
	s->count = xcalloc(s->nrounds, sizeof(*s->count));
	vec_free(&all);
}

/* What makes the 90 % interval of a bootstrapped mean of n values as wide as Student's: its variance
 * is (n - 1) / n of the right one and its tails are normal.  Two values are taken for three: with one
 * degree of freedom nearly anything is possible. */
static double widen(size_t n)
{
	n = n > 2 ? n : 3;
	double degrees = (double)(n - 1);

	return sqrt((double)n / degrees) * distribution_student_quantile(0.95, degrees) /
	       distribution_normal_quantile(0.95);
}

/* The values relative to their mean; or their logs, as far as the centre goes, less theirs. */
static void fill(struct varying *x, const double *values, bool bimodal)
{
	if (bimodal)
		memcpy(x->z, values, x->n * sizeof(*x->z));
	else if (x->n >= 3)
		resample_pseudo_values(values, x->n, x->z);
	else
		for (size_t k = 0; k < x->n; k++)
			x->z[k] = log(values[k]);
	double mean = sample_mean(x->z, x->n);
	for (size_t k = 0; k < x->n; k++)
		x->z[k] = bimodal ? x->z[k] / mean : x->z[k] - mean;
}

static void prepare(struct varying *x)
{
	const struct osvec_entry *entry = x->entry;

	if (!entry->values || entry->n < 2) {
		double sides = 2 * distribution_normal_quantile(0.975);

		x->spread = (entry->high - entry->low) / entry->seconds / sides;
		return;
	}
	x->n = entry->n;
	x->z = xcalloc(x->n, sizeof(*x->z));
	x->spread = widen(x->n);
	fill(x, entry->values, entry->bimodal);
}

static void sampler_start(struct sampler *s, uint64_t seed)
{
	random_seed(&s->random, seed);
	for (size_t i = 0; i < s->entries.n; i++)
		prepare(&s->entries.v[i]);
	number_rounds(s);
	s->deviation = xcalloc(s->entries.n, sizeof(*s->deviation));
}

/* The mean of z over the rounds in this draw, or over n values drawn. */
static double resampled_mean(struct sampler *s, const struct varying *x)
{
	double sum = 0;
	size_t n = 0;

	for (size_t k = 0; k < x->n; k++) {
		size_t times = x->rounds ? s->count[x->rounds[k]] : 1;
		size_t at = x->rounds ? k : random_below(&s->random, x->n);

		sum += (double)times * x->z[at];
		n += times;
	}
	/* None of its rounds drawn: happens to entries that ran in very few. */
	return n ? sum / (double)n : x->entry->bimodal;
}

static void sampler_draw(struct sampler *s)
{
	memset(s->count, 0, s->nrounds * sizeof(*s->count));
	for (size_t i = 0; i < s->nrounds; i++)
		s->count[random_below(&s->random, s->nrounds)]++;
	for (size_t i = 0; i < s->entries.n; i++) {
		const struct varying *x = &s->entries.v[i];
		double mean = x->n ? resampled_mean(s, x) : random_normal(&s->random);

		s->deviation[i] = x->spread * (x->n && x->entry->bimodal ? log(mean) : mean);
	}
}

static void sampler_free(struct sampler *s)
{
	for (size_t i = 0; i < s->entries.n; i++) {
		free(s->entries.v[i].z);
		free(s->entries.v[i].rounds);
	}
	vec_free(&s->entries);
	free(s->count);
	free(s->deviation);
}

/* One prediction under way. */
struct drawing {
	const struct prediction *p;
	struct sampler sampler;
	size_t *entry;		       /* of each charge, in the sampler; SIZE_MAX: none */
	size_t *user, *user_reference; /* the user entries, here and in the reference's sampler */
};

static void drawing_start(struct drawing *g, struct sampler *reference, uint64_t seed)
{
	const struct prediction *p = g->p;

	g->entry = xcalloc(p->ncharges, sizeof(*g->entry));
	g->user = xcalloc(p->nuser, sizeof(*g->user));
	g->user_reference = xcalloc(p->nuser, sizeof(*g->user_reference));
	for (size_t i = 0; i < p->ncharges; i++)
		g->entry[i] =
		    p->charges[i].entry ? entry_index(&g->sampler, p->charges[i].entry) : SIZE_MAX;
	for (size_t i = 0; i < p->nuser; i++) {
		g->user[i] = entry_index(&g->sampler, p->user_here[i]);
		g->user_reference[i] = entry_index(reference, p->user_reference[i]);
	}
	sampler_start(&g->sampler, seed);
}

/* Draws from g with the runs weighted; *full has model error besides. */
static double draw(struct drawing *g, const struct sampler *reference, const double *weight,
		   const struct draws_settings *s, double *full)
{
	const struct prediction *p = g->p;
	double part[LINE_WAIT + 1] = { 0 }, user = 0, floor = smallest * p->total;
	size_t nruns = p->demand->nruns;

	sampler_draw(&g->sampler);
	for (size_t i = 0; i < p->ncharges; i++) {
		size_t entry = g->entry[i];
		double seconds = 0;

		for (size_t r = 0; r < nruns; r++)
			seconds += weight[r] * p->by_run[i * nruns + r];
		part[p->lines[p->charges[i].line].kind] +=
		    entry == SIZE_MAX ? seconds : seconds * exp(g->sampler.deviation[entry]);
	}
	for (size_t i = 0; i < p->nuser; i++)
		user += (g->sampler.deviation[g->user[i]] -
			 reference->deviation[g->user_reference[i]]) /
			(double)p->nuser;

	double kernel = part[LINE_KERNEL] + part[LINE_SWITCHES] + part[LINE_FAULTS];
	double rest = part[LINE_USER] * exp(user) + part[LINE_WAIT];
	double uncovered = uncovered_error * (1 - p->coverage) * random_normal(&g->sampler.random);
	double error = g->p->alike ? s->alike_error : s->model_error;
	double model = error * random_student(&g->sampler.random, s->freedom);
	*full = fmax(kernel * exp(uncovered) + rest, floor) * exp(model);
	return fmax(kernel + rest, floor);
}

/* Weights of the runs in one draw: a bootstrap, widened to the variance of n - 1. */
static void weigh_runs(struct random *random, double *weight, size_t n)
{
	double spread = n > 1 ? sqrt((double)n / (double)(n - 1)) : 0;

	for (size_t r = 0; r < n; r++)
		weight[r] = (1 - spread) / (double)n;
	for (size_t r = 0; r < n; r++)
		weight[random_below(random, n)] += spread / (double)n;
}

/* What the application does to the prediction on all machines alike: it cancels where one is known. */
static void add_bias(struct random *random, const struct draws_settings *s,
		     struct prediction *const *p, size_t m, double *full)
{
	double factor = exp(s->bias * random_student(random, s->freedom));

	for (size_t i = 0; i < m; i++)
		if (p[i]->known)
			return;
	for (size_t i = 0; s->bias > 0 && i < m; i++)
		full[i] *= factor;
}

/*
 * A machine whose time is known makes the others' time relative to it: what the prediction of the known one
 * is off by itself goes into all the others.
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

struct draws draws_new(struct prediction *const *p, size_t m, const struct draws_settings *s)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u;
	struct drawing *g = xcalloc(m, sizeof(*g));
	struct sampler reference = { 0 };
	struct random random, biases;
	size_t nruns = p[0]->demand->nruns;
	double *weight = xcalloc(nruns, sizeof(*weight));
	struct draws d = {
		.n = s->n,
		.m = m,
		.measured = xcalloc(s->n * m, sizeof(double)),
		.full = xcalloc(s->n * m, sizeof(double)),
	};

	/* A stream of its own for each machine: one more machine changes no other's draws. */
	random_seed(&random, s->seed);
	for (size_t i = 0; i < m; i++) {
		g[i].p = p[i];
		drawing_start(&g[i], &reference, s->seed + odd * (i + 2));
	}
	sampler_start(&reference, s->seed + odd);
	random_seed(&biases, s->seed - odd);
	for (size_t k = 0; k < s->n; k++) {
		weigh_runs(&random, weight, nruns);
		sampler_draw(&reference);
		for (size_t i = 0; i < m; i++)
			d.measured[k * m + i] =
			    draw(&g[i], &reference, weight, s, &d.full[k * m + i]);
		add_bias(&biases, s, p, m, d.full + k * m);
		pin(p, m, d.measured + k * m, d.full + k * m);
	}
	for (size_t i = 0; i < m; i++) {
		sampler_free(&g[i].sampler);
		free(g[i].entry);
		free(g[i].user);
		free(g[i].user_reference);
	}
	sampler_free(&reference);
	free(weight);
	free(g);
	return d;
}

void draws_free(struct draws *d)
{
	free(d->measured);
	free(d->full);
}

static double *column(const struct draws *d, const double *v, size_t i)
{
	double *x = xcalloc(d->n, sizeof(*x));

	for (size_t k = 0; k < d->n; k++)
		x[k] = v[k * d->m + i];
	return x;
}

struct draws_interval draws_interval(const struct draws *d, const double *v, size_t i, double level)
{
	double *x = column(d, v, i), *sorted = sample_sorted(x, d->n);
	struct draws_interval out = {
		.median = sample_quantile(sorted, d->n, 0.5),
		.low = sample_quantile(sorted, d->n, (1 - level) / 2),
		.high = sample_quantile(sorted, d->n, (1 + level) / 2),
	};

	free(sorted);
	free(x);
	return out;
}

double draws_measured_share(const struct draws *d)
{
	double measured = 0, full = 0;

	for (size_t i = 0; i < d->m; i++) {
		struct draws_interval a = draws_interval(d, d->measured, i, 0.9);
		struct draws_interval b = draws_interval(d, d->full, i, 0.9);

		measured += pow(log(a.high / a.low), 2);
		full += pow(log(b.high / b.low), 2);
	}
	return full > 0 ? measured / full : NAN;
}
