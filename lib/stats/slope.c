/* SPDX-License-Identifier: MIT */
#include "stats/slope.h"

#include <math.h>
#include <stdlib.h>

#include "stats/sample.h"
#include "util/xalloc.h"

struct slope slope_fit(const double *x, const double *y, size_t n)
{
	struct slope s = { NAN, NAN };
	size_t pairs = 0;

	if (n < 3 || !sample_finite(x, n) || !sample_finite(y, n))
		return s;
	double *slopes = xcalloc(n * (n - 1) / 2, sizeof(*slopes));
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < i; j++)
			if (x[i] != x[j])
				slopes[pairs++] = (y[i] - y[j]) / (x[i] - x[j]);
	double spread = sample_deviation(x, n);
	if (pairs && spread > 0 && sample_finite(slopes, pairs)) {
		s.slope = sample_median(slopes, pairs);
		for (size_t i = 0; i < n; i++)
			slopes[i] = y[i] - s.slope * x[i];
		s.error = sample_deviation(slopes, n) / (spread * sqrt((double)n));
	}
	free(slopes);
	return s;
}
