/* SPDX-License-Identifier: MIT */
#include "hierarchy.h"

#include <math.h>
#include <stdlib.h>

#include "util/vec.h"

#define FLAT 1.25 /* the most by which points of a level differ */
#define STEP 1.5  /* the least by which levels differ */

/* The points from first to last as one level. */
static struct level level_of(const struct osvec_curve *c, size_t first, size_t last)
{
	struct level l = { .from = c->points[first]->size, .to = c->points[last]->size };
	double sum = 0;

	l.next = last + 1 < c->n ? c->points[last + 1]->size : 0;
	l.low = l.high = c->points[first]->seconds;
	for (size_t i = first; i <= last; i++) {
		sum += log(c->points[i]->seconds);
		l.low = fmin(l.low, c->points[i]->seconds);
		l.high = fmax(l.high, c->points[i]->seconds);
	}
	l.seconds = exp(sum / (double)(last - first + 1));
	return l;
}

/* The last point that is no more than FLAT from all points since first. */
static size_t end_of_run(const struct osvec_curve *c, size_t first)
{
	double low = c->points[first]->seconds, high = low;
	size_t last = first;

	while (last + 1 < c->n) {
		low = fmin(low, c->points[last + 1]->seconds);
		high = fmax(high, c->points[last + 1]->seconds);
		if (high > FLAT * low)
			break;
		last++;
	}
	return last;
}

struct hierarchy hierarchy_find(const struct osvec *v, const char *curve)
{
	struct hierarchy h = { 0 };
	struct osvec_curve c = osvec_curve(v, curve);
	size_t begun = 0; /* of the last level */

	for (size_t first = 0, last; first < c.n; first = last + 1) {
		last = end_of_run(&c, first);
		if (last == first)
			continue;
		struct level l = level_of(&c, first, last);

		if (h.n && l.seconds < STEP * h.v[h.n - 1].seconds) {
			h.v[h.n - 1] = level_of(&c, begun, last);
			continue;
		}
		vec_push(&h, l);
		begun = first;
	}
	return h;
}

double hierarchy_line(const struct osvec *v)
{
	struct osvec_curve c = osvec_curve(v, "lat_line_*");
	double line = 0;

	for (size_t i = 1; i < c.n && line == 0; i++)
		if (c.points[i]->seconds > STEP * c.points[0]->seconds)
			line = c.points[i]->size;
	return line;
}

void hierarchy_free(struct hierarchy *h)
{
	vec_free(h);
}
