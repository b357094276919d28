/* SPDX-License-Identifier: MIT */
#include "stats/pairs.h"

#include <math.h>

uint64_t pairs_count(size_t n)
{
	return (uint64_t)n * (n + 1) / 2;
}

/* The number of sums <= bound; *below becomes the greatest of them, *above the least other sum. */
static uint64_t count(const double *x, size_t n, double bound, double *below, double *above)
{
	uint64_t total = 0;
	size_t end = n; /* the first column of this row whose sum is beyond the bound */

	*below = -INFINITY;
	*above = INFINITY;
	for (size_t i = 0; i < n; i++) {
		while (end && x[i] + x[end - 1] > bound)
			end--;
		if (end > i) {
			total += end - i;
			*below = fmax(*below, x[i] + x[end - 1]);
		}
		size_t next = end > i ? end : i;
		if (next < n)
			*above = fmin(*above, x[i] + x[next]);
	}
	return total;
}

double pairs_select(const double *x, size_t n, uint64_t k)
{
	double low = 2 * x[0], high = 2 * x[n - 1];

	/* Both ends are sums and the answer lies between them: each step drops one of them. */
	while (low < high) {
		double middle = low / 2 + high / 2, below, above;

		if (!(middle >= low && middle < high))
			middle = low;
		if (count(x, n, middle, &below, &above) >= k)
			high = below;
		else
			low = above;
	}
	return high;
}

double pairs_median(const double *x, size_t n)
{
	uint64_t sums = pairs_count(n);
	double upper = pairs_select(x, n, sums / 2 + 1);

	return sums % 2 ? upper : pairs_select(x, n, sums / 2) / 2 + upper / 2;
}
