/* SPDX-License-Identifier: MIT */
#include "stats/distribution.h"

#include <math.h>
#include <stdlib.h>

#include "util/xalloc.h"

enum {
	SIGNED_RANK_EXACT = 200, /* values */
	RANK_SUM_EXACT = 1000,	 /* pairs */
};

/* Beyond this many degrees of freedom one correction term to the normal is exact enough. */
static const double nearly_normal = 1e9;

/* Gamma(a + 1/2) / Gamma(a): Stirling's series where it is exact, the recurrence down to there. */
static double gamma_ratio(double a)
{
	double factor = 1;

	for (; a < 20; a++)
		factor *= a / (a + 0.5);
	double b = 1 / (a * a);
	return factor * sqrt(a) *
	       exp((-1.0 / 8 + b * (1.0 / 192 + b * (-1.0 / 640 + b * 17 / 14336))) / a);
}

/*
 * The incomplete beta function I_x(a, b), y = 1 - x, without its front factor x^a y^b / B(a, b):
 * the continued fraction of Didonato and Morris (1992) by Lentz's method, fast for x <= a / (a + b).
 * excess is (a + b) y - b, which the caller knows better than x and y tell when a or b is large.
 */
static double beta_fraction(double a, double b, double x, double y, double excess)
{
	double numerator = a * (excess + 1) / (a + 1), denominator = 0, value = numerator;

	for (int i = 1; i < 100000; i++) {
		double n = i, e = a + 2 * n - 1;
		double alpha = (a + n - 1) * (a + b + n - 1) * n * (b - n) * x * x / (e * e);
		double beta =
		    n + n * (b - n) * x / e + (a + n) * (excess + 1 + n * (1 + y)) / (e + 2);

		denominator = 1 / (beta + alpha * denominator);
		numerator = beta + alpha / numerator;
		value *= numerator * denominator;
		if (fabs(numerator * denominator - 1) < 1e-15)
			break;
	}
	return 1 / value;
}

static double normal_density(double t)
{
	return exp(-t * t / 2) * M_2_SQRTPI * M_SQRT1_2 / 2;
}

static double density(double t, double nu)
{
	if (nu > nearly_normal)
		return normal_density(t);
	return gamma_ratio(nu / 2) / sqrt(nu * M_PI) * exp(-(nu + 1) / 2 * log1p(t * t / nu));
}

/* P(X > t) for t >= 0: half the incomplete beta function I_x(nu/2, 1/2), x = nu / (nu + t^2). */
static double upper_tail(double t, double nu)
{
	if (nu > nearly_normal)
		return erfc(t * M_SQRT1_2) / 2 + normal_density(t) * t * (1 + t * t) / (4 * nu);
	double a = nu / 2, b = 0.5;
	double x = 1 / (1 + t * t / nu), y = 1 / (1 + nu / (t * t));
	double front = gamma_ratio(a) / sqrt(M_PI) * exp(-a * log1p(t * t / nu)) * sqrt(y);
	double excess = (a + b) * y - b;

	if (excess >= 0)
		return front * beta_fraction(a, b, x, y, excess) / 2;
	return 0.5 - front * beta_fraction(b, a, y, x, -excess) / 2;
}

double distribution_student_cdf(double x, double nu)
{
	if (isnan(x) || !(nu > 0))
		return NAN;
	if (isinf(x))
		return x > 0;
	return x < 0 ? upper_tail(-x, nu) : 1 - upper_tail(x, nu);
}

/* The t >= 0 with P(X > t) = q, 0 < q < 1/2: Newton on the logarithm, bisection where that leaves
 * the bracket. */
static double tail_quantile(double q, double nu)
{
	double low = 0, high = 1;

	while (upper_tail(high, nu) > q && high < 1e150) {
		low = high;
		high *= 2;
	}
	if (high >= 1e150)
		return INFINITY;
	double t = high;
	for (int i = 0; i < 200; i++) {
		double p = upper_tail(t, nu);
		double next = t + log(p / q) * p / density(t, nu);

		*(p > q ? &low : &high) = t;
		if (!(next >= low && next <= high))
			next = low / 2 + high / 2;
		if (fabs(next - t) <= 1e-15 * t)
			return next;
		t = next;
	}
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

double distribution_normal_quantile(double p)
{
	return distribution_student_quantile(p, INFINITY);
}

/*
 * A symmetric statistic on 0, 1, ...: the largest k with 2 P(X <= k - 1) <= alpha, given
 * probability[x] for x < n; n reaches the middle.
 */
static size_t exact_depth(const double *probability, size_t n, double alpha, double *reached)
{
	double below = 0;
	size_t k = 0;

	*reached = NAN;
	while (k < n && 2 * (below + probability[k]) <= alpha) {
		below += probability[k++];
		*reached = 1 - 2 * below;
	}
	return k;
}

/*
 * Likewise from the normal distribution with the statistic's mean, standard deviation and excess
 * kurtosis: the expansions of Cornish and Fisher for k and of Edgeworth for the confidence.
 */
static size_t normal_depth(double mean, double sd, double kurtosis, double alpha, double *reached)
{
	double z = distribution_normal_quantile(alpha / 2);
	double k = floor(mean + 0.5 + sd * (z + kurtosis * z * (z * z - 3) / 24));

	*reached = NAN;
	if (!(k >= 1))
		return 0;
	z = (k - 0.5 - mean) / sd;
	*reached = 1 - 2 * (distribution_student_cdf(z, INFINITY) -
			    normal_density(z) * kurtosis * z * (z * z - 3) / 24);
	return (size_t)k;
}

/* For n > SIGNED_RANK_EXACT: the cumulants are those of a sum of fair coins worth 1 ... n. */
static size_t signed_rank_normal_depth(double n, double alpha, double *reached)
{
	double squares = n * (n + 1) * (2 * n + 1) / 6;
	double fourths = squares * (3 * n * n + 3 * n - 1) / 5;

	return normal_depth(n * (n + 1) / 4, sqrt(squares) / 2, -2 * fourths / (squares * squares),
			    alpha, reached);
}

static size_t rank_sum_normal_depth(double na, double nb, double alpha, double *reached)
{
	double pairs = na * nb, all = na + nb;
	double kurtosis = -1.2 * (all * all - pairs + all) / (pairs * (all + 1));

	return normal_depth(pairs / 2, sqrt(pairs * (all + 1) / 12), kurtosis, alpha, reached);
}

size_t distribution_signed_rank_depth(size_t n, double alpha, double *reached)
{
	if (n > SIGNED_RANK_EXACT)
		return signed_rank_normal_depth((double)n, alpha, reached);
	/* S is the sum of the ranks 1 ... n that a fair coin picks: add one rank at a time. */
	size_t half = n * (n + 1) / 4 + 1;
	double *p = xcalloc(half, sizeof(*p));
	p[0] = 1;
	for (size_t rank = 1; rank <= n; rank++)
		for (size_t s = half; s-- > 0;)
			p[s] = (p[s] + (s >= rank ? p[s - rank] : 0)) / 2;
	size_t k = exact_depth(p, half, alpha, reached);
	free(p);
	return k;
}

/*
 * P(U = u) for u < half of na and nb values: the largest of all is one of the i from a with
 * probability i / (i + j), and then beats all j from b.
 */
static double *rank_sum_probabilities(size_t na, size_t nb, size_t half)
{
	double *p = xcalloc((nb + 1) * half, sizeof(*p)); /* p[j * half + u], i values from a */

	for (size_t j = 0; j <= nb; j++)
		p[j * half] = 1;
	for (size_t i = 1; i <= na; i++)
		for (size_t j = 1; j <= nb; j++) {
			double share = (double)i / (double)(i + j);
			double *row = p + j * half, *previous = row - half;

			for (size_t u = half; u-- > 0;)
				row[u] =
				    share * (u >= j ? row[u - j] : 0) + (1 - share) * previous[u];
		}
	return p;
}

size_t distribution_rank_sum_depth(size_t na, size_t nb, double alpha, double *reached)
{
	if ((double)na * (double)nb > RANK_SUM_EXACT)
		return rank_sum_normal_depth((double)na, (double)nb, alpha, reached);
	size_t half = na * nb / 2 + 1;
	double *p = rank_sum_probabilities(na, nb, half);
	size_t k = exact_depth(p + nb * half, half, alpha, reached);
	free(p);
	return k;
}

size_t distribution_sign_depth(size_t n, double alpha, double *reached)
{
	double log_probability = -(double)n * M_LN2, below = 0;
	size_t k = 0;

	*reached = NAN;
	for (; k < n / 2 + 1; k++) {
		double with = below + exp(log_probability);

		if (!(2 * with <= alpha))
			break;
		below = with;
		*reached = 1 - 2 * below;
		log_probability += log((double)(n - k) / (double)(k + 1));
	}
	return k;
}
