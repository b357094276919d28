/* SPDX-License-Identifier: MIT */
#include "stats/estimate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "stats/pairs.h"
#include "stats/sample.h"
#include "util/xalloc.h"

static const struct {
	const char *name;
	struct estimate (*of)(const double *x, size_t n, double level);
} estimators[] = {
	[ESTIMATE_HODGES_LEHMANN] = { "hl", estimate_hodges_lehmann },
	[ESTIMATE_TRIMMED] = { "trimmed", estimate_trimmed },
	[ESTIMATE_MEDIAN] = { "median", estimate_median },
	[ESTIMATE_MEAN] = { "mean", estimate_mean },
};

int estimator_parse(const char *name)
{
	for (size_t i = 0; i < sizeof(estimators) / sizeof(*estimators); i++)
		if (!strcmp(name, estimators[i].name))
			return (int)i;
	return -1;
}

const char *estimator_name(enum estimator e)
{
	return estimators[e].name;
}

struct estimate estimate(enum estimator e, const double *x, size_t n, double level)
{
	return estimators[e].of(x, n, level);
}

static const struct estimate unknown = { NAN, NAN, NAN };

/* A level outside (0, 1) asks for an error probability that no interval has. */
static double error_probability(double level)
{
	return level > 0 && level < 1 ? 1 - level : 0;
}

/* centre -+ the t quantile times the standard error, when there is one. */
static struct estimate student_interval(double centre, double error, size_t degrees, double level)
{
	double alpha = error_probability(level);

	if (!degrees || alpha == 0)
		return (struct estimate){ centre, NAN, NAN };
	double half = error * distribution_student_quantile(1 - alpha / 2, (double)degrees);
	return (struct estimate){ centre, centre - half, centre + half };
}

/* Of the law, from n > 2 values: the third moment relative to the standard deviation, which n
 * values show too little of on average; 0 when all are equal. */
static double skewness(const double *x, size_t n, double mean, double sd)
{
	double sum = 0, count = (double)n;

	for (size_t i = 0; sd > 0 && n > 2 && i < n; i++)
		sum += pow((x[i] - mean) / sd, 3);
	return n > 2 ? sum * count / ((count - 1) * (count - 2)) : 0;
}

struct estimate estimate_mean(const double *x, size_t n, double level)
{
	const double doubt = 2.5;
	double mean = sample_mean(x, n), sd = sample_sd(x, n), root = sqrt((double)n);

	if (!n || isnan(mean))
		return unknown;
	struct estimate e = student_interval(mean, sd / root, n - 1, level);
	double t = (e.high - mean) / (sd / root);
	double term = skewness(x, n, mean, sd) / root * (2 * t * t + 1) / 6;
	double more = sd > 0 ? doubt * fabs(term) * sd / root : 0;
	*(term > 0 ? &e.high : &e.low) += term > 0 ? more : -more;
	return e;
}

double estimate_mean_error(const double *x, size_t n)
{
	const double level = 0.95;
	struct estimate e = estimate_mean(x, n, level);

	if (n < 2)
		return NAN;
	return estimate_precision(&e) /
	       distribution_student_quantile((1 + level) / 2, (double)(n - 1));
}

struct estimate estimate_trimmed(const double *x, size_t n, double level)
{
	if (!n || !sample_finite(x, n))
		return unknown;
	size_t dropped = n / 10, kept = n - 2 * dropped;
	double *sorted = sample_sorted(x, n);
	double centre = sample_mean(sorted + dropped, kept);
	for (size_t i = 0; i < dropped; i++) {
		sorted[i] = sorted[dropped];
		sorted[n - 1 - i] = sorted[n - 1 - dropped];
	}
	double error = sample_sd(sorted, n) * sqrt((double)n) / (double)kept;
	free(sorted);
	return student_interval(centre, error, kept - 1, level);
}

struct estimate estimate_median(const double *x, size_t n, double level)
{
	struct estimate e = unknown;

	if (!n || !sample_finite(x, n))
		return e;
	double *sorted = sample_sorted(x, n);
	size_t k = distribution_sign_depth(n, error_probability(level));
	e.centre = sample_quantile(sorted, n, 0.5);
	if (k) {
		e.low = sorted[k - 1];
		e.high = sorted[n - k];
	}
	free(sorted);
	return e;
}

struct estimate estimate_hodges_lehmann(const double *x, size_t n, double level)
{
	struct estimate e = unknown;

	if (!n || !sample_finite(x, n))
		return e;
	double *half = sample_sorted(x, n);
	for (size_t i = 0; i < n; i++)
		half[i] /= 2;
	size_t k = distribution_signed_rank_depth(n, error_probability(level));
	e.centre = pairs_median(half, n);
	if (k) {
		e.low = pairs_select(half, n, k);
		e.high = pairs_select(half, n, pairs_count(n) + 1 - k);
	}
	free(half);
	return e;
}

double estimate_precision(const struct estimate *e)
{
	return (e->high - e->low) / 2 / fabs(e->centre);
}

void estimate_pseudo_values(const double *x, size_t n, double *z)
{
	for (size_t p = 0; p < n; p++)
		z[p] = n >= 3 && x[p] > 0 ? log(x[p]) / 2 : NAN;
	if (!sample_finite(z, n)) {
		for (size_t p = 0; p < n; p++)
			z[p] = NAN;
		return;
	}
	double *all = sample_sorted(z, n), *others = xreallocarray(NULL, n, sizeof(*others));
	double centre = pairs_median(all, n), count = (double)n;
	for (size_t p = 0; p < n; p++) {
		size_t at = 0;

		while (all[at] < z[p])
			at++;
		memcpy(others, all, at * sizeof(*all));
		memcpy(others + at, all + at + 1, (n - at - 1) * sizeof(*all));
		z[p] = count * centre - (count - 1) * pairs_median(others, n - 1);
	}
	free(all);
	free(others);
}

double estimate_log_error(const double *x, size_t n)
{
	double *z = xcalloc(n, sizeof(*z)), error = NAN;

	estimate_pseudo_values(x, n, z);
	for (size_t i = 0; n == 2 && i < n; i++)
		z[i] = log(x[i]);
	if (n > 1)
		error = sample_sd(z, n) / sqrt((double)n);
	free(z);
	return error;
}
