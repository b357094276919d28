/* SPDX-License-Identifier: MIT */
#include "stats/pairs.h"

#include <math.h>

uint64_t pairs_count(const struct pairs *p)
{
	uint64_t n = p->rows;

	return p->triangle ? n * (n + 1) / 2 : n * p->columns;
}

/* The number of sums <= bound; *below becomes the greatest of them, *above the least other sum. */
static uint64_t count(const struct pairs *p, double bound, double *below, double *above)
{
	uint64_t total = 0;
	size_t end = p->columns; /* the first column of this row whose sum is beyond the bound */

	*below = -INFINITY;
	*above = INFINITY;
	for (size_t i = 0; i < p->rows; i++) {
		double x = p->row[i];
		size_t first = p->triangle ? i : 0;

		while (end && x + p->column[end - 1] > bound)
			end--;
		if (end > first) {
			total += end - first;
			*below = fmax(*below, x + p->column[end - 1]);
		}
		size_t next = end > first ? end : first;
		if (next < p->columns)
			*above = fmin(*above, x + p->column[next]);
	}
	return total;
}

double pairs_select(const struct pairs *p, uint64_t k)
{
	double low = p->row[0] + p->column[0];
	double high = p->row[p->rows - 1] + p->column[p->columns - 1];

	/* Both ends are sums and the answer lies between them: each step drops one of them. */
	while (low < high) {
		double middle = low / 2 + high / 2, below, above;

		if (!(middle >= low && middle < high))
			middle = low;
		if (count(p, middle, &below, &above) >= k)
			high = below;
		else
			low = above;
	}
	return high;
}

double pairs_median(const struct pairs *p)
{
	uint64_t n = pairs_count(p);
	double upper = pairs_select(p, n / 2 + 1);

	return n % 2 ? upper : pairs_select(p, n / 2) / 2 + upper / 2;
}
