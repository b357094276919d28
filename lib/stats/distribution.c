/* SPDX-License-Identifier: MIT */
#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"

enum {
	SIGNED_RANK_EXACT = 200, /* values */
};

/* Beyond this many degrees of freedom one correction term to the normal is exact enough. */
static const double nearly_normal = 1e5;

/* -- Student's t ------------------------------------------------------------------------------- */

/* Gamma(a + 1/2) / Gamma(a). */
static double gamma_ratio(double a)
{
	int sign;

	return exp(lgamma_r(a + 0.5, &sign) - lgamma_r(a, &sign));
}

/*
 * The incomplete beta function I_x(a, b) without its factor x^a (1 - x)^b / B(a, b): the continued
 * fraction of DLMF 8.17.22 from its end, where it converges fast: x < (a + 1) / (a + b + 2).
 */
static double beta_fraction(double a, double b, double x)
{
	double value = 1;

	for (int m = 200; m > 0; m--) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		value = 1 + even / (1 + odd / value);
	}
	return 1 / (1 - (a + b) * x / (a + 1) / value) / a;
}

static double density(double t, double nu)
{
	if (nu > nearly_normal)
		return exp(-t * t / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
	return exp(-(nu + 1) / 2 * log1p(t * t / nu)) * gamma_ratio(nu / 2) / sqrt(nu * M_PI);
}

/* P(X > t) for t >= 0: half of I_x(nu/2, 1/2), x = nu / (nu + t^2). */
static double upper_tail(double t, double nu)
{
	double a = nu / 2, b = 0.5, x = nu / (nu + t * t);

	if (nu > nearly_normal)
		return erfc(t * M_SQRT1_2) / 2 + density(t, nu) * t * (1 + t * t) / (4 * nu);
	double factor = t * density(t, nu);
	if (x < (a + 1) / (a + b + 2))
		return factor * beta_fraction(a, b, x) / 2;
	return 0.5 - factor * beta_fraction(b, a, 1 - x) / 2;
}

/* The t >= 0 with P(X > t) = q, 0 < q < 1/2, by Newton's method: the tail is convex, so that no
 * step goes beyond. */
static double tail_quantile(double q, double nu)
{
	double t = 0, step;

	do {
		step = (upper_tail(t, nu) - q) / density(t, nu);
		t += step;
	} while (step > 1e-15 * t);
	return t;
}

double distribution_student_quantile(double p, double nu)
{
	if (!(p >= 0 && p <= 1 && nu > 0))
		return NAN;
	if (p == 0 || p == 1)
		return p == 1 ? INFINITY : -INFINITY;
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -tail_quantile(p, nu) : tail_quantile(1 - p, nu);
}

double distribution_student_tail(double t, double nu)
{
	if (isnan(t) || !(nu > 0))
		return NAN;
	return t >= 0 ? upper_tail(t, nu) : 1 - upper_tail(-t, nu);
}

double distribution_normal_quantile(double p)
{
	return distribution_student_quantile(p, INFINITY);
}

/* -- depths ------------------------------------------------------------------------------------ */

/*
 * A symmetric statistic on 0, 1, ...: the largest k with 2 P(X <= k - 1) <= alpha, given
 * probability[x] for x < n; n reaches the middle.
 */
static size_t exact_depth(const double *probability, size_t n, double alpha)
{
	double below = 0;
	size_t k = 0;

	while (k < n && 2 * (below + probability[k]) <= alpha)
		below += probability[k++];
	return k;
}

/* Likewise from the normal distribution with the statistic's mean, standard deviation and excess
 * kurtosis: the expansion of Cornish and Fisher. */
static size_t normal_depth(double mean, double sd, double kurtosis, double alpha)
{
	double z = distribution_normal_quantile(alpha / 2);
	double k = floor(mean + 0.5 + sd * (z + kurtosis * z * (z * z - 3) / 24));

	return k >= 1 ? (size_t)k : 0;
}

/* For n > SIGNED_RANK_EXACT: the cumulants are those of a sum of fair coins worth 1 ... n. */
static size_t signed_rank_normal_depth(double n, double alpha)
{
	double squares = n * (n + 1) * (2 * n + 1) / 6;
	double fourths = squares * (3 * n * n + 3 * n - 1) / 5;

	return normal_depth(n * (n + 1) / 4, sqrt(squares) / 2, -2 * fourths / (squares * squares),
			    alpha);
}

size_t distribution_signed_rank_depth(size_t n, double alpha)
{
	if (n > SIGNED_RANK_EXACT)
		return signed_rank_normal_depth((double)n, alpha);
	/* S is the sum of the ranks 1 ... n that a fair coin picks: add one rank at a time. */
	size_t half = n * (n + 1) / 4 + 1;
	double *p = xcalloc(half, sizeof(*p));
	p[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t s = half; s-- > 0;)
			p[s] = (p[s] + (s >= rank ? p[s - rank] : 0)) / 2;
	size_t k = exact_depth(p, half, alpha);
	free(p);
	return k;
}

size_t distribution_sign_depth(size_t n, double alpha)
{
	double log_probability = -(double)n * M_LN2, below = 0;
	size_t k = 0;

	for (; k < n / 2 + 1; k++) {
		double with = below + exp(log_probability);

		if (!(2 * with <= alpha))
			break;
		below = with;
		log_probability += log((double)(n - k) / (double)(k + 1));
	}
	return k;
}
