/* SPDX-License-Identifier: MIT */
#include "network/quiet.h"

#include <math.h>
#include <stdlib.h>

#include "util/vec.h"

/* Relative residuals below this do not justify another segment: times have few digits. */
static const double negligible = 1e-4;

void quiet_add(struct quiet *q, double size, double seconds)
{
	struct quiet_point p = { size, seconds };

	vec_push(q, p);
}

void quiet_free(struct quiet *q)
{
	free(q->v);
}

/* Sums for a linear regression of time on size with weights 1 / seconds^2. */
struct sums {
	double w, s, ss, t,
	    st; /* of weight, weight * size, weight * size^2, weight * time, weight * size * time */
	size_t n, sizes; /* points; different sizes */
};

static void sums_add(struct sums *z, const struct quiet_point *p, double before)
{
	double w = 1 / (p->seconds * p->seconds);

	z->w += w;
	z->s += w * p->size;
	z->ss += w * p->size * p->size;
	z->t += w * p->seconds;
	z->st += w * p->size * p->seconds;
	z->n++;
	z->sizes += z->n == 1 || p->size > before;
}

/* Fits the best line with base and slope >= 0.  Returns the sum of its squared relative
 * residuals. */
static double fit_line(const struct sums *z, struct quiet_segment *line)
{
	double det = z->w * z->ss - z->s * z->s;

	line->slope = det > 1e-12 * z->w * z->ss ? (z->w * z->st - z->s * z->t) / det : 0;
	if (line->slope < 0)
		line->slope = 0;
	line->base = (z->t - line->slope * z->s) / z->w;
	if (line->base < 0) {
		line->base = 0;
		line->slope = z->st / z->ss;
	}
	/* Sum of w (t - base - slope s)^2; the sum of w t^2 is the number of points. */
	double squares = (double)z->n - 2 * (line->base * z->t + line->slope * z->st) +
			 line->base * line->base * z->w + line->slope * line->slope * z->ss +
			 2 * line->base * line->slope * z->s;
	return squares > 0 ? squares : 0;
}

static int by_size(const void *a, const void *b)
{
	const struct quiet_point *x = a, *y = b;

	return x->size != y->size ? (x->size > y->size) - (x->size < y->size)
				  : (x->seconds > y->seconds) - (x->seconds < y->seconds);
}

/* best[k][j]: the smallest error of the first j points in k + 1 segments; start[k][j]: the first
 * point of the last of these segments. */
struct plan {
	double *best[QUIET_SEGMENTS];
	size_t *start[QUIET_SEGMENTS];
};

static void plan_segments(const struct quiet *q, struct plan *p)
{
	for (size_t k = 0; k < QUIET_SEGMENTS; k++) {
		p->best[k] = xmalloc((q->n + 1) * sizeof(double));
		p->start[k] = xcalloc(q->n + 1, sizeof(size_t));
		for (size_t j = 0; j <= q->n; j++)
			p->best[k][j] = INFINITY;
	}
	for (size_t i = 0; i < q->n; i++) {
		struct sums z = { 0 };
		struct quiet_segment line;

		/* All points of one size belong to the same segment. */
		if (i && q->v[i].size == q->v[i - 1].size)
			continue;
		for (size_t j = i; j < q->n; j++) {
			sums_add(&z, &q->v[j], j ? q->v[j - 1].size : 0);
			if (j + 1 < q->n && q->v[j + 1].size == q->v[j].size)
				continue;
			if (z.sizes < 2 && q->n > z.n)
				continue;
			double error = fit_line(&z, &line);
			for (size_t k = 0; k < QUIET_SEGMENTS; k++) {
				double before = k ? p->best[k - 1][i] : i ? INFINITY : 0;

				if (before + error < p->best[k][j + 1]) {
					p->best[k][j + 1] = before + error;
					p->start[k][j + 1] = i;
				}
			}
		}
	}
}

static void take_segments(struct quiet *q, const struct plan *p, size_t k)
{
	size_t end = q->n;

	q->nsegments = k + 1;
	for (size_t s = k + 1; s-- > 0;) {
		size_t start = p->start[s][end];
		struct sums z = { 0 };

		for (size_t i = start; i < end; i++)
			sums_add(&z, &q->v[i], i ? q->v[i - 1].size : 0);
		double error = fit_line(&z, &q->segments[s]);
		q->segments[s].points = end - start;
		q->segments[s].error = sqrt(error / (double)(end - start));
		/* A segment begins right after the last point of the one before: packets are filled
		 * at even sizes. */
		q->segments[s].from = start ? nextafter(q->v[start - 1].size, INFINITY) : 0;
		end = start;
	}
	for (size_t s = 1; s < q->nsegments; s++) {
		const struct quiet_segment *a = &q->segments[s - 1];
		struct quiet_segment *b = &q->segments[s];
		double cross = (a->base - b->base) / (b->slope - a->slope);

		for (size_t i = 0; i < q->n; i++)
			if (q->v[i].size >= b->from && cross > b->from && cross < q->v[i].size) {
				b->from = cross;
				break;
			} else if (q->v[i].size >= b->from)
				break;
	}
}

int quiet_fit(struct quiet *q, struct error *e)
{
	struct plan p;
	double n = (double)q->n, least = INFINITY;
	size_t chosen = 0;

	if (!q->n || q->n > QUIET_POINTS)
		return error_set(e, "delay: %zu points, not 1 to %d", q->n, QUIET_POINTS);
	for (size_t i = 0; i < q->n; i++)
		if (!(q->v[i].seconds > 0 && q->v[i].size >= 0))
			return error_set(e, "delay: not a positive time: %g", q->v[i].seconds);
	vec_sort(q, by_size);
	plan_segments(q, &p);
	for (size_t k = 0; k < QUIET_SEGMENTS; k++) {
		double mean = p.best[k][q->n] / n + negligible * negligible;
		/* Each line has two parameters, and each boundary between two lines is one. */
		double bic = n * log(mean) + (3 * (double)k + 2) * log(n);

		if (bic < least) {
			least = bic;
			chosen = k;
		}
	}
	take_segments(q, &p, chosen);
	for (size_t k = 0; k < QUIET_SEGMENTS; k++) {
		free(p.best[k]);
		free(p.start[k]);
	}
	return 0;
}

struct quiet_segment quiet_line(const struct quiet *q)
{
	struct quiet_segment line = { .points = q->n };
	struct sums z = { 0 };

	for (size_t i = 0; i < q->n; i++)
		sums_add(&z, &q->v[i], i ? q->v[i - 1].size : 0);
	line.error = sqrt(fit_line(&z, &line) / (double)q->n);
	return line;
}

const struct quiet_segment *quiet_at(const struct quiet *q, double size)
{
	size_t s = q->nsegments - 1;

	while (s && q->segments[s].from > size)
		s--;
	return &q->segments[s];
}

double quiet_seconds(const struct quiet *q, double size)
{
	const struct quiet_segment *s = quiet_at(q, size);

	return s->base + s->slope * size;
}
