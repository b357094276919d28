/* SPDX-License-Identifier: MIT */
#include "measured.h"

#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "results.h"
#include "stats/distribution.h"
#include "util/xalloc.h"

int measured_read(struct measured *m, const char *path, enum estimator estimator, struct error *e)
{
	struct error why;
	struct stat st;
	char *run = results_locate(path, false, &why);

	*m = (struct measured){ .operand = path };
	if (run)
		m->run = reduce(run, estimator, e);
	else if (!stat(path, &st) && S_ISDIR(st.st_mode) && !results_has_entry(path, "osvec.json"))
		*e = why;
	else
		m->vector = osvec_read(path, e);
	if (m->run)
		m->vector = reduce_vector(m->run, e);
	free(run);
	return m->vector ? 0 : -1;
}

void measured_free(struct measured *m)
{
	osvec_free(m->vector);
	reduce_free(m->run);
}

const json_t *measured_environment(const struct measured *m)
{
	return json_object_get(m->run ? m->run->meta : m->vector->meta, "environment");
}

/* -- differences ------------------------------------------------------------------------------- */

/* Half the interval of the logarithm of x at this level; NaN: not known. */
static double half_width(const struct osvec_entry *x, double level)
{
	double freedom = x->n ? (double)x->n - 1 : INFINITY;

	return x->error * distribution_student_quantile((1 + level) / 2, freedom);
}

static double difference_width(const struct difference *d, double level)
{
	return hypot(half_width(d->a, level), half_width(d->b, level));
}

struct difference difference_between(const struct osvec_entry *a, const struct osvec_entry *b)
{
	struct difference d = { .a = a, .b = b, .p = NAN };
	double shift = log(b->seconds / a->seconds), width = difference_width(&d, 0.95);
	double low = 0, high = 1;

	d.ratio = (struct estimate){ exp(shift), exp(shift - width), exp(shift + width) };
	if (isnan(width))
		return d;
	/* The smallest alpha whose interval leaves 1 out: p and interval never contradict. */
	for (int i = 0; i < 30; i++) {
		double alpha = (low + high) / 2;

		if (fabs(shift) > difference_width(&d, 1 - alpha))
			high = alpha;
		else
			low = alpha;
	}
	d.p = high;
	return d;
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

void difference_control(struct difference *d, size_t n, double rate)
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
