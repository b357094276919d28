/* SPDX-License-Identifier: MIT */
#include "modelfit.h"

#include <math.h>
#include <string.h>

enum { FREEDOM_LEAST = 3 };	/* a Student t with less has no variance */

/* Logarithms of ratios of one trial. */
struct logs {
	double sum, squares, n;
};

static void add(struct logs *l, double x)
{
	l->sum += x;
	l->squares += x * x;
	l->n++;
}

/* Squares around their mean. */
static double squares_within(const struct logs *l)
{
	return l->squares - l->sum * l->sum / l->n;
}

static const char *label(const struct trial *t, const struct cell *c)
{
	return t->q.machines.v[c->machine].label;
}

static bool is(const char *name, const char *wanted)
{
	return wanted && !strcmp(name, wanted);
}

struct model_error modelfit(const struct trials *all, const struct modelfit_without *without)
{
	double within = 0, within_n = 0, alike = 0, alike_n = 0, bias = 0, bias_n = 0, machines = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		struct logs logs = { 0 }, like = { 0 };

		if (!trial_compares(t) || is(t->q.application->name, without->application))
			continue;
		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];

			if (is(label(t, c), without->machine))
				continue;
			add(&logs, log(trial_ratio(c)));
			if (t->q.predictions[c->machine]->alike)
				add(&like, log(trial_ratio(c)));
		}
		machines = fmax(machines, logs.n);
		if (logs.n > 1) {
			within += squares_within(&logs);
			within_n += logs.n - 1;
			bias += pow(logs.sum / logs.n, 2);
			bias_n++;
		}
		if (like.n > 1) {
			alike += squares_within(&like);
			alike_n += like.n - 1;
		}
	}
	double freedom = fmax(FREEDOM_LEAST, machines - 1), deviation = sqrt(freedom / (freedom - 2));
	struct model_error found = {
		.spread = sqrt(within / within_n) / deviation, .bias = sqrt(bias / bias_n) / deviation,
		.freedom = freedom,
	};
	found.alike = alike_n > 0 ? sqrt(alike / alike_n) / deviation : found.spread;
	return found;
}

static double width(const struct model_error *m, bool alike)
{
	return hypot(alike ? m->alike : m->spread, m->bias);
}

/* Is the truth inside when the interval's width is what m makes of it?  Nearly all of it is model error. */
static bool holds(const struct trial *t, const struct cell *c, const struct model_error *m,
		  const struct model_error *used)
{
	bool alike = t->q.predictions[c->machine]->alike;
	double factor = width(m, alike) / width(used, alike);
	double truth = log(c->truth->median / c->interval.median);

	return truth >= factor * log(c->interval.low / c->interval.median) &&
	       truth <= factor * log(c->interval.high / c->interval.median);
}

struct modelfit_held modelfit_hold_out(const struct trials *all, const struct model_error *used)
{
	struct modelfit_held held = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		const struct modelfit_without application = { .application = t->q.application->name };
		const struct model_error others = modelfit(all, &application);

		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];
			const struct modelfit_without machine = { .machine = label(t, c) };
			const struct model_error elsewhere = modelfit(all, &machine);

			if (!trial_tried(t, c))
				continue;
			held.machines += holds(t, c, &elsewhere, used);
			held.applications += holds(t, c, &others, used);
		}
	}
	return held;
}
