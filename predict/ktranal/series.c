/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/file.h"
#include "util/svg.h"
#include "util/xalloc.h"

/* ---- which ---- */

static size_t add(struct series *s, const char *name)
{
	struct series_row *row = &s->v[s->n];

	*row = (struct series_row){ .title = xstrdup(name),
				    .key = xasprintf("%s_ns", name),
				    .name = name };
	for (char *p = row->title; *p; p++)
		*p = (char)toupper((unsigned char)*p);
	return ++s->n;
}

/* The calls without a column that take the most time; classes.n: there are none. */
static size_t largest(const struct series *s, const double *totals)
{
	size_t best = s->of->classes.n;

	for (size_t i = BREAKDOWN_OTHER + 1; i < s->of->classes.n; i++)
		if (!s->of_class[i] && totals[i] > 0 &&
		    (best == s->of->classes.n || totals[i] > totals[best]))
			best = i;
	return best;
}

void series_make(struct series *s, const struct breakdown *b, bool scheduled)
{
	const size_t first = BREAKDOWN_OTHER + 1, n = b->classes.n > first ? b->classes.n : first;
	double *totals = xcalloc(n, sizeof(*totals));
	bool of_cpus = scheduled && (b->by == BREAKDOWN_ALL || b->by == BREAKDOWN_CPU);
	struct breakdown_cell c;

	*s = (struct series){ .of = b, .cpus = 1 };
	s->of_class = xcalloc(n, sizeof(*s->of_class));
	for (size_t at = 0; breakdown_next(b, &at, &c);)
		totals[c.class] += (double)c.ns;
	s->of_class[BREAKDOWN_USER] = add(s, "user");
	for (size_t i; s->n < SERIES_MOST - 3 && (i = largest(s, totals)) < b->classes.n;)
		s->of_class[i] = add(s, b->classes.v[i]);
	if (largest(s, totals) < b->classes.n || totals[BREAKDOWN_OTHER] > 0) {
		size_t rest = add(s, "other");

		for (size_t i = BREAKDOWN_OTHER; i < b->classes.n; i++)
			if (!s->of_class[i])
				s->of_class[i] = rest;
	}
	if (of_cpus) {
		s->cpus = b->by == BREAKDOWN_ALL ? (double)b->cpus.n : 1;
		s->v[add(s, "idle") - 1].is_idle = true;
	} else {
		s->of_class[BREAKDOWN_RUNNABLE] =
		    totals[BREAKDOWN_RUNNABLE] > 0 ? add(s, "runnable") : 0;
		s->of_class[BREAKDOWN_WAITING] = add(s, "waiting");
	}
	free(totals);
}

void series_ns(const struct series *s, int64_t interval, size_t unit, double ns[SERIES_MOST])
{
	double rest = (double)breakdown_length(s->of, interval) * s->cpus;

	memset(ns, 0, SERIES_MOST * sizeof(*ns));
	for (size_t i = 0; i < s->of->classes.n; i++)
		if (s->of_class[i])
			ns[s->of_class[i] - 1] += (double)breakdown_ns(s->of, interval, unit, i);
	if (!s->v[s->n - 1].is_idle)
		return;
	for (size_t row = 0; row < s->n - 1; row++)
		rest -= ns[row];
	ns[s->n - 1] = fmax(rest, 0);
}

/* ---- in which order ---- */

static const struct series *compared;
static const double *used; /* ns that are no waits, by unit */

static int compare_units(const void *a, const void *b)
{
	size_t i = *(const size_t *)a, k = *(const size_t *)b;
	const struct breakdown_unit *u = compared->of->units.v;

	if (compared->of->by == BREAKDOWN_CPU)
		return (u[i].id > u[k].id) - (u[i].id < u[k].id);
	return used[i] != used[k] ? (used[i] < used[k]) - (used[i] > used[k]) : (i > k) - (i < k);
}

/* The units: CPUs by number, others by what they used.  The caller frees. */
static size_t *ordered_units(const struct series *s)
{
	size_t n = s->of->units.n, *order = xcalloc(n, sizeof(*order));
	double *sums = xcalloc(n, sizeof(*sums));
	struct breakdown_cell c;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	for (size_t at = 0; breakdown_next(s->of, &at, &c);)
		if (s->of_class[c.class] && c.class != BREAKDOWN_WAITING)
			sums[c.unit] += (double)c.ns;
	compared = s;
	used = sums;
	qsort(order, n, sizeof(*order), compare_units);
	free(sums);
	return order;
}

static int compare_places(const void *a, const void *b)
{
	const struct series_place *x = a, *y = b;

	return x->interval != y->interval
		   ? (x->interval > y->interval) - (x->interval < y->interval)
		   : (x->rank > y->rank) - (x->rank < y->rank);
}

/* Those of CPUs are all; of others those with time. */
static void find_places(const struct series *s, const size_t *rank, struct series_places *out)
{
	struct breakdown_cell c;

	if (!s->v[s->n - 1].is_idle) {
		for (size_t at = 0; breakdown_next(s->of, &at, &c);)
			if (s->of_class[c.class] && c.ns)
				vec_push(out, ((struct series_place){ c.interval, c.unit,
								      rank[c.unit] }));
		return;
	}
	for (int64_t i = s->of->first; i <= s->of->last; i++)
		for (size_t unit = 0; unit < s->of->units.n && breakdown_length(s->of, i); unit++)
			vec_push(out, ((struct series_place){ i, unit, rank[unit] }));
}

struct series_places series_places(const struct series *s)
{
	size_t *order = ordered_units(s), *rank = xcalloc(s->of->units.n, sizeof(*rank)), n = 0;
	struct series_places found = { 0 };

	for (size_t i = 0; i < s->of->units.n; i++)
		rank[order[i]] = i;
	find_places(s, rank, &found);
	vec_sort(&found, compare_places);
	for (size_t i = 0; i < found.n; i++) /* several classes of one place */
		if (!n || compare_places(&found.v[n - 1], &found.v[i]) != 0)
			found.v[n++] = found.v[i];
	found.n = n;
	free(rank);
	free(order);
	return found;
}

void series_free(struct series *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->v[i].title);
		free(s->v[i].key);
	}
	free(s->of_class);
}

/* ---- the picture ---- */

enum { PANELS = 16, LEFT = 70, TOP = 64, WIDTH = 760, PANEL = 120, GAP = 34, RIGHT = 130 };

/* User, calls, and what is no work. */
static const char user_color[] = "#4477aa", idle_color[] = "#eeeeee", wait_color[] = "#dddddd",
		  runnable_color[] = "#ffcc66";
static const char *const call_colors[] = { "#cc3311", "#ee7733", "#009988", "#aa4499", "#ddaa33",
					   "#33bbee", "#117733", "#882255", "#999933", "#777777" };

static const char *color_of(const struct series *s, size_t row)
{
	const char *name = s->v[row].name;
	size_t n = sizeof(call_colors) / sizeof(*call_colors);

	if (row == 0)
		return user_color;
	if (s->v[row].is_idle)
		return idle_color;
	if (s->of_class[BREAKDOWN_WAITING] == row + 1)
		return wait_color;
	if (s->of_class[BREAKDOWN_RUNNABLE] == row + 1)
		return runnable_color;
	return call_colors[strcmp(name, "other") ? (row - 1) % (n - 1) : n - 1];
}

/* The most CPUs that bars of that unit stand for. */
static double highest(const struct series *s, size_t unit)
{
	double most = 0;

	for (int64_t i = s->of->first; i <= s->of->last; i++) {
		double sum = 0, length = (double)breakdown_length(s->of, i), ns[SERIES_MOST];

		series_ns(s, i, unit, ns);
		for (size_t row = 0; row < s->n; row++)
			sum += ns[row];
		most = length > 0 ? fmax(most, sum / length) : most;
	}
	return most;
}

static void draw_unit(const struct series *s, const struct plot *p, size_t unit)
{
	for (int64_t i = s->of->first; i <= s->of->last; i++) {
		double from = (double)i * (double)s->of->interval * 1e-9, base = 0;
		double to = from + (double)s->of->interval * 1e-9;
		double length = (double)breakdown_length(s->of, i), ns[SERIES_MOST];

		series_ns(s, i, unit, ns);
		for (size_t row = 0; row < s->n && length > 0; row++) {
			double share = ns[row] / length;

			if (share <= 0)
				continue;
			fprintf(p->f,
				"<rect x='%.2f' y='%.2f' width='%.2f' height='%.2f' fill='%s'/>\n",
				plot_x(p, fmax(from, p->x0)), plot_y(p, base + share),
				plot_x(p, fmin(to, p->x1)) - plot_x(p, fmax(from, p->x0)),
				share / (p->y1 - p->y0) * p->height, color_of(s, row));
			base += share;
		}
	}
}

static void draw_legend(const struct series *s, FILE *f)
{
	for (size_t row = 0; row < s->n; row++) {
		double y = TOP + 18.0 * (double)(s->n - 1 - row);

		fprintf(f,
			"<rect x='%d' y='%.0f' width='12' height='12' fill='%s' stroke='#888'/>\n",
			LEFT + WIDTH + 16, y, color_of(s, row));
		svg_text(f, LEFT + WIDTH + 34, y + 10, "start", "#222", "%s", s->v[row].name);
	}
}

static void draw_title(const struct series *s, const struct processes *p, const struct plot *plot,
		       size_t unit)
{
	const struct breakdown_unit *u = &s->of->units.v[unit];
	const char *host = processes_host_of(p, u->id);
	char id[PROCESSES_ID];
	double y = plot->top - 8, x = plot->left + plot->width;

	if (u->process != SIZE_MAX)
		svg_text(plot->f, x, y, "end", "#222", "%s %s", processes_name(p, u->process),
			 processes_id(p, u->process, u->id, id));
	else if (s->of->by == BREAKDOWN_CPU)
		svg_text(plot->f, x, y, "end", "#222", "%s%sCPU %u", host ? host : "",
			 host ? ": " : "", host_local(u->id));
}

static void draw(const struct series *s, const struct processes *p, const char *title, FILE *f)
{
	size_t n = s->of->units.n, *order = ordered_units(s);
	size_t panels = n < PANELS ? n : PANELS;

	svg_begin(f, LEFT + WIDTH + RIGHT,
		  fmax(TOP + (double)panels * (PANEL + GAP) + 30, TOP + 18.0 * (double)s->n + 20),
		  title);
	draw_legend(s, f);
	for (size_t i = 0; i < panels; i++) {
		struct plot plot = { .f = f,
				     .left = LEFT,
				     .width = WIDTH,
				     .height = PANEL,
				     .top = TOP + (double)i * (PANEL + GAP),
				     .x0 = (double)s->of->from * 1e-9,
				     .x1 = (double)s->of->to * 1e-9,
				     .y1 = fmax(highest(s, order[i]), 1e-6) };

		draw_unit(s, &plot, order[i]);
		plot_y_axis(&plot, "CPUs", false);
		draw_title(s, p, &plot, order[i]);
		if (i + 1 == panels)
			plot_x_axis(&plot, "time", true);
	}
	if (n > panels)
		svg_text(f, LEFT, 44, "start", "#555", "the %zu of %zu that used most", panels, n);
	svg_end(f);
	free(order);
}

int series_draw(const struct series *s, const struct processes *p, const char *title,
		const char *path, struct error *e)
{
	char *picture;
	size_t n;
	FILE *f = open_memstream(&picture, &n);

	if (!f)
		return error_set(e, "%s: %s", path, strerror(errno));
	draw(s, p, title, f);
	if (fclose(f))
		return error_set(e, "%s: %s", path, strerror(errno));
	int status = file_write(path, picture, n, e);
	free(picture);
	return status;
}
