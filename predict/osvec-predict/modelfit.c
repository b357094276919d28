/* SPDX-License-Identifier: MIT */
#include "modelfit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum { FREEDOM_LEAST = 3 }; /* a Student t with less has no variance */

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

/* Squares around their mean, which rounding must not make less than none. */
static double squares_within(const struct logs *l)
{
	return fmax(0, l->squares - l->sum * l->sum / l->n);
}

struct modelfit modelfit(const struct trials *all, ptrdiff_t machine, const char *application)
{
	double within = 0, within_n = 0, alike = 0, alike_n = 0, bias = 0, bias_n = 0, machines = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		struct logs logs = { 0 }, like = { 0 };

		if (!trial_compares(t) ||
		    (application && !strcmp(t->q.application->name, application)))
			continue;
		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];

			if ((ptrdiff_t)c->machine == machine)
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
	struct modelfit found = {
		.spread = sqrt(within / within_n),
		.bias = sqrt(bias / bias_n),
		.freedom = fmax(FREEDOM_LEAST, machines - 1),
	};
	found.alike = alike_n > 0 ? sqrt(alike / alike_n) : found.spread;
	return found;
}

struct model_error modelfit_scales(const struct modelfit *m)
{
	double deviation = sqrt(m->freedom / (m->freedom - 2)); /* of a t of scale 1 */

	return (struct model_error){
		.spread = m->spread / deviation,
		.bias = m->bias / deviation,
		.alike = m->alike / deviation,
		.freedom = m->freedom,
	};
}

static double width(const struct model_error *m, bool alike)
{
	return hypot(alike ? m->alike : m->spread, m->bias);
}

/* Whether the interval, made as wide as m would make it, holds the measured time.  Nearly all of the
 * width is model error. */
static bool holds(const struct trial *t, const struct cell *c, const struct model_error *m,
		  const struct model_error *used)
{
	bool alike = t->q.predictions[c->machine]->alike;
	double factor = width(m, alike) / width(used, alike);
	double measured = log(c->measured->median / c->interval.median);

	return measured >= factor * log(c->interval.low / c->interval.median) &&
	       measured <= factor * log(c->interval.high / c->interval.median);
}

static struct model_error scales_without(const struct trials *all, ptrdiff_t machine,
					 const char *application)
{
	const struct modelfit m = modelfit(all, machine, application);

	return modelfit_scales(&m);
}

struct modelfit_held modelfit_hold_out(const struct trials *all, const struct model_error *used)
{
	size_t machines = all->n ? all->v[0]->q.machines.n : 0; /* the same of all trials */
	struct model_error *elsewhere = xcalloc(machines, sizeof(*elsewhere));
	struct modelfit_held held = { 0 };

	for (size_t m = 0; m < machines; m++)
		elsewhere[m] = scales_without(all, (ptrdiff_t)m, NULL);
	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		const struct model_error others =
		    scales_without(all, MODELFIT_ALL, t->q.application->name);

		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];

			if (!trial_tried(t, c))
				continue;
			held.machines += holds(t, c, &elsewhere[c->machine], used);
			held.applications += holds(t, c, &others, used);
		}
	}
	free(elsewhere);
	return held;
}
