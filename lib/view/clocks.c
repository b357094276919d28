/* SPDX-License-Identifier: MIT */
#include "view/clocks.h"

#include <math.h>
#include <stdlib.h>

#include "util/vec.h"

/* A usual clock drifts by less than the first, the most that the kernel corrects a frequency by for
 * NTP (500 ppm, RFC 5905); a clock that was tampered with, by less than the second. */
static const double drift_usual = 500e-6, drift_most = 0.05;

/* Relative to the first point of a piece, so that differences of doubles are exact far below 1
 * ns. */
struct place {
	double x, y;
};

/* The lower convex hull of the points above the line, or of those below it with y negated. */
struct hull {
	VEC(struct place) at;
};

/* The points that were added from one side, and the possible slopes of a line between them. */
struct wedge {
	struct hull above, below;
	double least, most;
	const struct clock_point *origin;
	int step; /* 1: forward in time; -1: backward, with x negated */
};

static void hull_add(struct hull *h, struct place p)
{
	while (h->at.n > 1) {
		const struct place *a = &h->at.v[h->at.n - 2], *b = a + 1;

		if ((b->y - a->y) * (p.x - a->x) < (p.y - a->y) * (b->x - a->x))
			break;
		h->at.n--;
	}
	vec_push(&h->at, p);
}

/* Adds a point.  Returns false, and changes nothing, if no line would fit any more. */
static bool wedge_add(struct wedge *w, const struct clock_point *point)
{
	struct hull *own = point->most ? &w->above : &w->below;
	const struct hull *other = point->most ? &w->below : &w->above;
	double sign = point->most ? 1 : -1;
	/* Because y of the points below is negated, the sum of both y is the gap between two
	 * points. */
	struct place p = { (double)(point->time - w->origin->time) * w->step,
			   (double)(point->ahead - w->origin->ahead) * sign };
	double limit = INFINITY;

	for (size_t i = 0; i < other->at.n; i++) {
		const struct place *q = &other->at.v[i];
		double gap = p.y + q->y;

		if (p.x > q->x)
			limit = fmin(limit, gap / (p.x - q->x));
		else if (gap < 0)
			return false;
	}
	double most = point->most ? fmin(w->most, limit) : w->most;
	double least = point->most ? w->least : fmax(w->least, -limit);
	if (least > most)
		return false;
	w->most = most;
	w->least = least;
	hull_add(own, p);
	return true;
}

static void wedge_free(struct wedge *w)
{
	vec_free(&w->above.at);
	vec_free(&w->below.at);
}

/* Returns a wedge of as many of points[n] as fit, from the first on, forward or backward. */
static struct wedge wedge_new(const struct clock_point *points, size_t n, int step, size_t *fitted)
{
	struct wedge w = {
		.least = -drift_most, .most = drift_most, .origin = points, .step = step
	};

	for (*fitted = 0; *fitted < n; ++*fitted)
		if (!wedge_add(&w, points + (ptrdiff_t)*fitted * step))
			break;
	return w;
}

/* Returns the height at x = 0 of the highest line of that slope below the hull; INFINITY if the
 * hull is empty. */
static double touch(const struct hull *h, double slope)
{
	double y = INFINITY;

	for (size_t i = 0; i < h->at.n; i++)
		y = fmin(y, h->at.v[i].y - slope * h->at.v[i].x);
	return y;
}

/*
 * Returns the greatest height at x of the lines in the wedge; `sign` converts its slopes to those
 * of the hull.  The height is a concave function of the slope, so the maximum is at an end or at
 * the slope of an edge of the hull.
 */
static double extreme(const struct wedge *w, const struct hull *h, double sign, double x)
{
	double best = -INFINITY;

	for (size_t i = 0; i <= h->at.n; i++) {
		double slope = i ? w->most : w->least;

		if (i > 1)
			slope = sign * (h->at.v[i - 1].y - h->at.v[i - 2].y) /
				(h->at.v[i - 1].x - h->at.v[i - 2].x);
		slope = fmin(fmax(slope, w->least), w->most) * sign;
		best = fmax(best, touch(h, slope) + slope * x);
	}
	return best;
}

/* If few messages leave the drift open, limits it to a usual one. */
static void expect_usual(struct wedge *w)
{
	if (w->least > drift_usual || w->most < -drift_usual)
		return;
	w->least = fmax(w->least, -drift_usual);
	w->most = fmin(w->most, drift_usual);
}

static struct clock_piece piece_of(const struct wedge *w, const struct clock_point *points,
				   size_t n, bool *one_way)
{
	double slope = (w->least + w->most) / 2;
	double above = touch(&w->above, slope), below = -touch(&w->below, -slope);
	struct clock_piece p = { .from = points[0].time, .to = points[n - 1].time, .drift = slope };

	*one_way = !w->above.at.n || !w->below.at.n;
	if (*one_way) {
		p.drift = fmin(fmax(0, w->least), w->most);
		above = touch(&w->above, p.drift);
		below = -touch(&w->below, -p.drift);
	}
	double here = isinf(above) ? below : isinf(below) ? above : (above + below) / 2;
	p.ahead = (double)w->origin->ahead + here;
	double ends[] = { 0, (double)(p.to - p.from) };
	for (int i = 0; i < 2; i++) {
		double at = here + p.drift * ends[i];

		p.bound = fmax(p.bound, extreme(w, &w->above, 1, ends[i]) - at);
		p.bound = fmax(p.bound, extreme(w, &w->below, -1, ends[i]) + at);
	}
	return p;
}

static int compare(const void *a, const void *b)
{
	const struct clock_point *x = a, *y = b;

	return (x->time > y->time) - (x->time < y->time);
}

struct clock_fit clock_fit(struct clock_point *points, size_t n)
{
	struct clock_fit fit = { 0 };
	size_t fitted;

	if (n)
		qsort(points, n, sizeof(*points), compare);
	for (size_t end = 0; end < n;) {
		struct wedge w = wedge_new(points + end, n - end, 1, &fitted);
		bool one_way;

		wedge_free(&w);
		end += fitted;
		/* A piece begins as early as possible, so it shares points with the previous
		 * one. */
		w = wedge_new(points + end - 1, end, -1, &fitted);
		wedge_free(&w);
		const struct clock_point *first = points + end - fitted;
		w = wedge_new(first, fitted, 1, &fitted);
		expect_usual(&w);
		fit.v = xreallocarray(fit.v, fit.n + 1, sizeof(*fit.v));
		fit.v[fit.n++] = piece_of(&w, first, fitted, &one_way);
		fit.one_way |= one_way;
		wedge_free(&w);
	}
	return fit;
}

static double line(const struct clock_piece *p, int64_t time)
{
	return p->ahead + p->drift * (double)(time - p->from);
}

/* Where two pieces overlap both fit, and so does the transition from one to the other; where they
 * do not overlap there is no point between them. */
int64_t clock_map(const struct clock_fit *fit, int64_t time)
{
	double ahead = 0;

	for (size_t i = 0; i < fit->n; i++) {
		const struct clock_piece *p = &fit->v[i], *next = p + 1;

		ahead = line(p, time);
		if (i + 1 == fit->n)
			break;
		int64_t left = p->to < next->from ? p->to : next->from;
		int64_t right = p->to < next->from ? next->from : p->to;
		if (time >= right)
			continue;
		if (time > left) {
			double share = (double)(time - left) / (double)(right - left);

			ahead += share * (line(next, time) - ahead);
		}
		break;
	}
	return time + (int64_t)llround(ahead);
}
