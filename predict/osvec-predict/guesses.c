/* SPDX-License-Identifier: MIT */
#include "guesses.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

/* The cost of an entry on each machine, NaN where it was not measured. */
static void guess_entry(const struct trial *t, const char *name, double *value)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct osvec_entry *e = osvec_find(t->cells[i].machine->vector, name);

		value[i] = e ? e->seconds : NAN;
	}
}

static bool is_known(const struct trial *t, const double *value)
{
	for (size_t i = 0; i < t->n; i++)
		if (!isfinite(value[i]))
			return false;
	return t->n > 0;
}

static void guess_mean(const struct trial *t, double *value)
{
	const struct osvec *first = t->cells[0].machine->vector;
	double *cost = xcalloc(t->n, sizeof(*cost));
	size_t common = 0;

	memset(value, 0, t->n * sizeof(*value));
	for (size_t k = 0; k < first->n; k++) {
		guess_entry(t, first->entries[k].name, cost);
		if (!is_known(t, cost))
			continue;
		common++;
		for (size_t i = 0; i < t->n; i++)
			value[i] += log(cost[i]);
	}
	for (size_t i = 0; i < t->n; i++)
		value[i] = exp(value[i] / (double)common); /* NaN for 0 / 0 */
	free(cost);
}

/* The time measured on a machine over that on the reference, NaN where one is unknown. */
static double measured_ratio(const struct trial *t, const struct machine *machine)
{
	const struct cell *reference = trial_reference(t);

	for (size_t i = 0; reference && i < t->n; i++)
		if (t->cells[i].machine == machine)
			return t->cells[i].measured->median / reference->measured->median;
	return NAN;
}

static bool is_elsewhere(const struct trial *t, const struct trial *other)
{
	return other->kind == t->kind &&
	       !trial_same_family(other->q.application->name, t->q.application->name);
}

static double mean_elsewhere(const struct trials *all, const struct trial *t,
			     const struct machine *machine)
{
	double sum = 0, n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const double ratio = measured_ratio(all->v[i], machine);

		if (!is_elsewhere(t, all->v[i]) || isnan(ratio))
			continue;
		sum += log(ratio);
		n++;
	}
	return exp(sum / n);
}

/* The next trial of another family. */
static const struct trial *wrong(const struct trials *all, size_t at)
{
	for (size_t i = 1; i < all->n; i++) {
		const struct trial *t = all->v[(at + i) % all->n];

		if (is_elsewhere(all->v[at], t))
			return t;
	}
	return NULL;
}

static void guess_from_trials(const struct trials *all, size_t at)
{
	struct trial *t = all->v[at];
	const struct trial *other = wrong(all, at);

	for (size_t i = 0; i < t->n; i++) {
		const struct machine *m = t->cells[i].machine;

		t->guesses[GUESS_REFERENCE].value[i] = m->vector == t->q.reference ? 1 : 1 + 1e-9;
		t->guesses[GUESS_OTHERS].value[i] = mean_elsewhere(all, t, m);
		t->guesses[GUESS_WRONG].value[i] =
		    other ? other->q.predictions[m - t->q.machines.v]->total : NAN;
	}
}

void guesses_make(const struct trials *all)
{
	static const char *const names[GUESSES] = { "null call",      "cpu_int",
						    "geometric mean", "always the reference",
						    "others' mean",   "wrong application" };

	for (size_t i = 0; i < all->n; i++) {
		struct trial *t = all->v[i];

		for (size_t g = 0; g < GUESSES; g++) {
			t->guesses[g].name = names[g];
			t->guesses[g].value = xcalloc(t->n + 1, sizeof(double));
		}
		guess_entry(t, t->q.demand->null_entry, t->guesses[GUESS_CALL].value);
		guess_entry(t, "cpu_int", t->guesses[GUESS_CPU].value);
		guess_mean(t, t->guesses[GUESS_MEAN].value);
		guess_from_trials(all, i);
		for (size_t g = 0; g < GUESSES; g++)
			if (is_known(t, t->guesses[g].value))
				t->guesses[g].score = trial_score_of(t, t->guesses[g].value);
	}
}
