/* SPDX-License-Identifier: MIT */
/* Tests of the histogram: quantiles against a sorted copy of the same values. */
#include "stats/histogram.h"

#include "stats/random.h"

#include "../tap.h"

enum { VALUES = 20011 };

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* The largest relative error of the quantiles of values below 2^bits, in any order of sizes. */
static double worst_error(unsigned bits)
{
	static const double quantiles[] = { 0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1 };
	static uint64_t values[VALUES];
	struct random r;
	struct histogram h = { 0 };
	double worst = 0;

	random_seed(&r, 8);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = random_next(&r) >> (64 - bits) >> random_below(&r, bits);
		histogram_add(&h, values[i], 1);
	}
	qsort(values, VALUES, sizeof(*values), ascending);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++) {
		double rank = ceil(quantiles[i] * VALUES);
		double want = (double)values[rank < 1 ? 0 : (size_t)rank - 1];
		double got = histogram_quantile(&h, quantiles[i]);
		double error = fabs(got - want) / (want > 0 ? want : 1);

		if (!(error <= worst))
			worst = error;
	}
	histogram_free(&h);
	return worst;
}

int main(void)
{
	struct histogram h = { 0 };

	cmp_near(histogram_quantile(&h, 0.5), NAN, 0, "nothing has no median");
	histogram_add(&h, UINT64_MAX, 1);
	cmp_near(histogram_quantile(&h, 0.5), 0x1p64, HISTOGRAM_ERROR, "the largest integer");
	histogram_add(&h, 0, 1);
	histogram_add(&h, 0, 1);
	cmp_near(histogram_quantile(&h, 0.5), 0, 0, "zero is exact, far below the first value");
	cmp_near(histogram_quantile(&h, 0.67), 0x1p64, HISTOGRAM_ERROR, "nearest rank from below");
	cmp_int(h.n, 3, "counted");
	histogram_free(&h);
	cmp_near(worst_error(5), 0, 0, "values below 32 are exact");
	for (unsigned bits = 6; bits <= 64; bits += 29) {
		double error = worst_error(bits);

		ok(error <= HISTOGRAM_ERROR, "values of up to %u bits: error %.4f", bits, error);
	}
	return done_testing();
}
