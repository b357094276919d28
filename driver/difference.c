/* SPDX-License-Identifier: MIT */
#include "difference.h"

#include <math.h>
#include <stdlib.h>

#include "stats/distribution.h"
#include "util/xalloc.h"

/* Degrees of freedom behind the error of x, unlimited when n is not known. */
static double freedom(const struct osvec_entry *x)
{
	return x->n ? (double)x->n - 1 : INFINITY;
}

struct difference difference_between(const struct osvec_entry *a, const struct osvec_entry *b)
{
	/* A level of memory has another size on another machine: bytes are compared. */
	double work = a->bytes > 0 && b->bytes > 0 ? b->bytes / a->bytes : 1;
	double shift = log(b->seconds / a->seconds / work);
	double va = a->error * a->error, vb = b->error * b->error, error = sqrt(va + vb);
	/* Welch (1947) and Satterthwaite (1946). */
	double nu = error > 0
			? (va + vb) * (va + vb) / (va * va / freedom(a) + vb * vb / freedom(b))
			: INFINITY;
	double width = error * distribution_student_quantile(0.975, nu);
	double p = error > 0 ? 2 * distribution_student_tail(fabs(shift) / error, nu) : shift == 0;

	return (struct difference){
		.a = a,
		.b = b,
		.ratio = { exp(shift), exp(shift - width), exp(shift + width) },
		.p = isnan(width) ? NAN : p,
	};
}

bool difference_matters(const struct difference *d, double equivalence)
{
	double bound = 1 + equivalence;

	return d->differs && (d->ratio.low < 1 / bound || d->ratio.high > bound);
}

static int by_number(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

void difference_decide(struct difference *d, size_t n, double rate)
{
	double *p = xcalloc(n, sizeof(*p)), limit = -1;
	size_t known = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(d[i].p))
			p[known++] = d[i].p;
	qsort(p, known, sizeof(*p), by_number);
	for (size_t i = 0; i < known; i++)
		if (p[i] <= rate * (double)(i + 1) / (double)known)
			limit = p[i];
	for (size_t i = 0; i < n; i++)
		d[i].differs = d[i].p <= limit;
	free(p);
}
