/* SPDX-License-Identifier: MIT */
#include "stats/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

bool sample_finite(const double *x, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!isfinite(x[i]))
			return false;
	return true;
}

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return (x > y) - (x < y);
}

double *sample_sorted(const double *x, size_t n)
{
	double *sorted = xreallocarray(NULL, n, sizeof(*x));

	if (n)
		memcpy(sorted, x, n * sizeof(*x));
	qsort(sorted, n, sizeof(*x), ascending);
	return sorted;
}

double sample_quantile(const double *sorted, size_t n, double p)
{
	if (!n || !(p >= 0 && p <= 1))
		return NAN;
	double at = p * (double)(n - 1);
	size_t i = (size_t)at;
	if (i + 1 >= n)
		return sorted[n - 1];
	return sorted[i] + (at - (double)i) * (sorted[i + 1] - sorted[i]);
}

double sample_median(const double *x, size_t n)
{
	double *sorted = sample_sorted(x, n);
	double median = sample_quantile(sorted, n, 0.5);

	free(sorted);
	return median;
}

double sample_mean(const double *x, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += x[i];
	return n && isfinite(sum) ? sum / (double)n : NAN;
}

double sample_sd(const double *x, size_t n)
{
	double mean = sample_mean(x, n), sum = 0;

	if (n < 2)
		return NAN;
	for (size_t i = 0; i < n; i++)
		sum += (x[i] - mean) * (x[i] - mean);
	return sqrt(sum / (double)(n - 1));
}

/* 1.4826 times the median absolute deviation from the median, which is the standard deviation of
 * normal values; n >= 1. */
static double robust_sd(const double *x, size_t n)
{
	double *deviation = xreallocarray(NULL, n, sizeof(*x)), centre = sample_median(x, n);

	for (size_t i = 0; i < n; i++)
		deviation[i] = fabs(x[i] - centre);
	double mad = sample_median(deviation, n);
	free(deviation);
	return 1.4826 * mad;
}

/* Mean and standard deviation of x[0], x[step], ... for each length 1 ... n (Welford 1962). */
struct running {
	double mean, sd;
};

static struct running *run_along(const double *x, size_t n, ptrdiff_t step)
{
	struct running *r = xreallocarray(NULL, n + 1, sizeof(*r));
	double mean = 0, squares = 0;

	for (size_t i = 0; i < n; i++, x += step) {
		double off = *x - mean;

		mean += off / (double)(i + 1);
		squares += off * (*x - mean);
		r[i + 1] = (struct running){ mean, i ? sqrt(squares / (double)i) : NAN };
	}
	return r;
}

struct modes sample_modes(const double *x, size_t n)
{
	struct modes m = { .low = NAN, .high = NAN, .weight_low = NAN, .measure = NAN };
	size_t least = (size_t)fmax(3, ceil((double)n / 10));

	if (n < 2 * least || !sample_finite(x, n))
		return m;
	double *sorted = sample_sorted(x, n), spread = NAN;
	struct running *left = run_along(sorted, n, 1);
	struct running *right = run_along(sorted + n - 1, n, -1);
	for (size_t k = least; k <= n - least; k++) {
		double step = sorted[k] - sorted[k - 1], sd = fmax(left[k].sd, right[n - k].sd);
		double measure = step > 0 ? step / sd * (double)(k < n - k ? k : n - k) : 0;

		if (measure <= m.measure)
			continue;
		m.low = left[k].mean;
		m.high = right[n - k].mean;
		m.weight_low = (double)k / (double)n;
		m.measure = measure;
		spread = sd;
	}
	double apart = m.high - m.low;
	m.bimodal = m.measure > 13 && apart > 4 * spread && apart > 0.02 * fabs(m.low);
	free(left);
	free(right);
	free(sorted);
	return m;
}

struct outliers sample_outliers(const double *x, size_t n)
{
	struct outliers o = { 0 };
	double centre = sample_finite(x, n) ? sample_median(x, n) : NAN,
	       scale = isnan(centre) ? NAN : robust_sd(x, n);

	if (scale == 0) {
		for (size_t i = 0; i < n; i++)
			scale += fabs(x[i] - centre) / (double)n;
		scale *= sqrt(M_PI / 2); /* mean deviation to standard deviation of a normal */
	}
	for (size_t i = 0; i < n; i++) {
		double z = fabs(x[i] - centre) / scale;

		o.severe += z > 10;
		o.mild += z > 5 && z <= 10;
	}
	return o;
}
