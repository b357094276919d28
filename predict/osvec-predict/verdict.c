/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "model/doubt.h"
#include "util/map.h"
#include "util/vec.h"

static const struct table_column score_columns[] = {
	{ "by", "by", TABLE_NAME },
	{ "exact", "exact_order", TABLE_LEFT },
	{ "tau-b", "tau_b", TABLE_RIGHT },
	{ "pairs", "pairs_share", TABLE_RIGHT },
	{ "error", "median_error", TABLE_RIGHT },
	{ "scaled", "scaled_error", TABLE_RIGHT },
	{ "spread", "spread", TABLE_RIGHT },
	{ "factor", "factor", TABLE_RIGHT },
	{ "inside", "inside", TABLE_RIGHT },
	{ "best", "best_found", TABLE_LEFT },
	{ "loss", "deficiency", TABLE_RIGHT },
	{ "machines", "machines", TABLE_RIGHT },
	{ "pairs apart", "pairs", TABLE_RIGHT },
};

static struct table *new_scores(const struct query *q)
{
	return table_new(score_columns,
			 query_for_people(q) ? 11 : sizeof(score_columns) / sizeof(*score_columns));
}

/* t is NULL for a guess, which has no unit and no interval. */
static void put_score(const struct query *q, struct table *table, const char *by,
		      const struct score *s, const struct trial *t)
{
	bool ordered = s->n > 1;

	table_text(table, by);
	table_text(table, ordered ? answer_bool(s->exact_order) : NULL);
	table_number(table, s->tau_b, "%.2f");
	answer_share(table, s->pairs_right, s->pairs);
	table_percent(table, t ? s->median_error : NAN, "%.1f %%");
	table_percent(table, ordered ? s->scaled_error : NAN, "%.1f %%");
	table_percent(table, s->spread, "%.1f %%");
	table_number(table, t ? s->factor : NAN, "%.3g");
	if (t && t->tried)
		answer_share(table, t->inside, t->tried);
	else
		table_text(table, NULL);
	table_text(table, ordered ? answer_bool(s->best_found) : NULL);
	table_percent(table, ordered ? s->deficiency : NAN, "%.1f %%");
	if (query_for_people(q))
		return;
	table_count(table, s->n);
	table_count(table, s->pairs);
}

void verdict_print(const struct trial *t)
{
	struct table *table = new_scores(&t->q);

	put_score(&t->q, table, "osvec-predict", &t->score, t);
	for (const struct guess *g = t->guesses; g < t->guesses + GUESSES; g++)
		if (g->score.n)
			put_score(&t->q, table, g->name, &g->score, NULL);
	answer_say(&t->q, "%s", "");
	answer_table(&t->q, "scores", table, false);
}

/* -- the model error that the trials show -------------------------------------------------------
 */

/* Only what the model was made with may be, when that is known. */
static bool may_fit(const struct sets *sets, const char *application, const char *machine)
{
	return !sets->n || sets_find(sets, application, machine) == SET_DEVELOPMENT;
}

struct residuals {
	struct residual *v;
	size_t n, cap;
	struct names applications;
};

/* The errors of what the model may be made with, without one of the machines, or one application
 * with its family (NULL: with all). */
static struct residuals collect(const struct trials *all, const struct sets *sets,
				const struct machine *machine, const char *application)
{
	struct residuals r = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		const char *name = t->q.application->name;

		if (!trial_counts(all, t) || (application && trial_same_family(name, application)))
			continue;
		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];

			if (c->machine == machine || !may_fit(sets, name, c->machine->label))
				continue;
			names_add(&r.applications, name);
			vec_push(&r, (struct residual){ i, doubt_case(c->prediction), log(c->ratio),
							c->prediction });
		}
	}
	return r;
}

static void residuals_free(struct residuals *r)
{
	for (size_t i = 0; i < r->n; i++)
		free(r->v[i].of.lines);
	names_free(&r->applications);
	vec_free(r);
}

static struct model_error fit(const struct trials *all, const struct sets *sets,
			      const struct machine *machine, const char *application)
{
	struct residuals r = collect(all, sets, machine, application);
	struct model_error m = model_error_fit(r.v, r.n, r.applications.n);

	residuals_free(&r);
	return m;
}

/* Whether the interval, made as wide as m would make it, holds the measured time.  Nearly all of
 * the width is model error. */
static bool holds(const struct cell *c, const struct model_error *m, const struct model_error *used)
{
	const struct model_case of = doubt_case(c->prediction);
	double factor =
	    hypot(model_error_of(m, &of), m->bias) / hypot(model_error_of(used, &of), used->bias);
	double measured = log(c->measured->median / c->interval.median);

	free(of.lines);
	return measured >= factor * log(c->interval.low / c->interval.median) &&
	       measured <= factor * log(c->interval.high / c->interval.median);
}

/* How well what was left out of a fit is predicted by it. */
struct left_out {
	size_t inside, tried; /* times in the interval, of so many */
	double likelihood;    /* its logarithm, of pairs */
	size_t pairs;
};

/*
 * An interval holds the measured times that its width was derived from more often than others.  So
 * each machine is judged by the errors of the other machines, and each application by those of the
 * other families (leave one out).
 */
static void hold_out(const struct trials *all, const struct sets *sets,
		     const struct intervals *intervals, struct left_out *machines,
		     struct left_out *applications)
{
	const struct machines *m = &all->v[0]->q.machines; /* the same of all trials */
	struct model_error *elsewhere = xcalloc(m->n, sizeof(*elsewhere));
	struct residuals r = collect(all, sets, NULL, NULL);
	size_t from = 0;

	for (size_t i = 0; i < m->n; i++) {
		elsewhere[i] = fit(all, sets, &m->v[i], NULL);
		machines->likelihood += model_error_likelihood(&elsewhere[i], r.v, r.n,
							       m->v[i].vector, &machines->pairs);
	}
	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		const struct model_error others = fit(all, sets, NULL, t->q.application->name);
		const struct model_error used = intervals_model_error(intervals, &t->q);
		size_t n = 0;

		while (from + n < r.n && r.v[from + n].trial == i)
			n++;
		applications->likelihood +=
		    model_error_likelihood(&others, r.v + from, n, NULL, &applications->pairs);
		from += n;
		for (size_t k = 0; k < t->n; k++) {
			const struct cell *c = &t->cells[k];

			if (!c->tried || c == trial_reference(t) || !trial_counts(all, t))
				continue;
			machines->tried = ++applications->tried;
			machines->inside += holds(c, &elsewhere[c->machine - m->v], &used);
			applications->inside += holds(c, &others, &used);
		}
	}
	residuals_free(&r);
	free(elsewhere);
}

static bool is_tried(const struct trials *all, enum kind kind)
{
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->v[i]->n; k++)
			if (all->v[i]->cells[k].prediction->kind == kind)
				return true;
	return false;
}

/* The model.conf that these trials give, and how well it predicts trials left out of it. */
static void print_fit(const struct query *q, const struct trials *all, const struct sets *sets,
		      const struct intervals *intervals)
{
	const struct model_error found = fit(all, sets, NULL, NULL);
	struct left_out machines = { 0 }, applications = { 0 };

	if (!isfinite(found.bias))
		return;
	hold_out(all, sets, intervals, &machines, &applications);
	answer_number(q, "inside_without_machine", (double)machines.inside);
	answer_number(q, "inside_without_family", (double)applications.inside);
	answer_say(q, "\nmodel.conf%s:\nbias %.2f\nlines %.2f\nfreedom %.0f",
		   sets->n ? ", found on the development set" : "", found.bias, found.lines,
		   found.freedom);
	for (size_t k = KIND_REFERENCE + 1; k < KINDS; k++)
		if (is_tried(all, (enum kind)k))
			answer_say(q, "%s %.2f %.2f", kind_names[k], found.kinds[k].own,
				   found.kinds[k].common);
	if (isfinite(found.siblings))
		answer_say(q, "siblings %.2f", found.siblings);
	answer_say(q,
		   "left out of it: inside %zu of %zu when each machine is, %zu of %zu when each "
		   "family of applications is",
		   machines.inside, machines.tried, applications.inside, applications.tried);
	const double of_machines = machines.likelihood / (double)machines.pairs;
	const double of_families = applications.likelihood / (double)applications.pairs;
	answer_number(q, "likelihood_without_machine", of_machines);
	answer_number(q, "likelihood_without_family", of_families);
	if (machines.pairs)
		answer_say(q, "logarithm of the likelihood of a pair: %.3f and %.3f", of_machines,
			   of_families);
}

void verdict_print_all(const struct query *q, const struct trials *all, const struct sets *sets,
		       const struct intervals *intervals)
{
	struct table *table = new_scores(q);

	for (size_t i = 0; i < all->n; i++)
		put_score(q, table, all->v[i]->name, &all->v[i]->score, all->v[i]);
	answer_say(q, "\n\nall together");
	answer_say(q, "%s", "");
	answer_table(q, "scores", table, false);
	print_fit(q, all, sets, intervals);
}
