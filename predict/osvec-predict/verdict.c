/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "stats/sample.h"
#include "util/vec.h"
#include "vector/json.h"

void verdict_put_percent(struct table *t, double share)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%.1f %%", 100 * share);
	table_shown(t, share, shown);
}

static const char *answer(bool yes)
{
	return yes ? "yes" : "no";
}

void verdict_put_answer(struct table *t, bool yes)
{
	table_text(t, answer(yes));
}

/* "9/10" in text, else the share. */
static void put_part(struct table *t, size_t part, size_t of)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%zu/%zu", part, of);
	table_shown(t, of ? (double)part / (double)of : NAN, shown);
}

static const struct table_column score_columns[] = {
	{ "by", "by", TABLE_NAME },	    { "exact", "exact_order", true },
	{ "tau-b", "tau_b", false },	    { "pairs", "pairs_share", false },
	{ "error", "median_error", false }, { "scaled", "scaled_error", false },
	{ "spread", "spread", false },	    { "factor", "factor", false },
	{ "inside", "inside", false },	    { "best", "best_found", true },
	{ "loss", "deficiency", false },    { "machines", "machines", false },
	{ "pairs apart", "pairs", false },
};

static bool for_people(const struct query *q)
{
	return query_format(q) == TABLE_TEXT;
}

static struct table *new_scores(const struct query *q)
{
	return table_new(score_columns,
			 for_people(q) ? 11 : sizeof(score_columns) / sizeof(*score_columns));
}

/* tried = SIZE_MAX: a guess, which has no unit and no interval. */
static void put_score(const struct query *q, struct table *t, const char *by, const struct score *s,
		      size_t inside, size_t tried)
{
	bool guess = tried == SIZE_MAX, ordered = s->n > 1;

	table_text(t, by);
	table_text(t, ordered ? answer(s->exact_order) : NULL);
	table_number(t, s->tau_b, "%.2f");
	put_part(t, s->pairs_right, s->pairs);
	verdict_put_percent(t, guess ? NAN : s->median_error);
	verdict_put_percent(t, ordered ? s->scaled_error : NAN);
	verdict_put_percent(t, s->spread);
	table_number(t, guess ? NAN : s->factor, "%.3g");
	if (guess || !tried)
		table_number(t, NAN, "%.0f");
	else
		put_part(t, inside, tried);
	table_text(t, ordered ? answer(s->best_found) : NULL);
	verdict_put_percent(t, ordered ? s->deficiency : NAN);
	if (for_people(q))
		return;
	table_count(t, s->n);
	table_count(t, s->pairs);
}

void verdict_print(const struct trial *t)
{
	struct table *table = new_scores(&t->q);

	put_score(&t->q, table, "osvec-predict", &t->verdict.score, t->verdict.inside,
		  t->verdict.tried);
	for (enum baseline b = 0; b < BASELINES; b++)
		if (t->baseline[b].n)
			put_score(&t->q, table, baseline_name(b), &t->baseline[b], 0, SIZE_MAX);
	report_say(&t->q, "%s", "");
	report_table(&t->q, "scores", table, false);
}

/* -- the model error that the trials show ------------------------------------------------------- */

/*
 * An interval holds the measured times that its width was derived from more often than others.  So
 * each machine is judged by the errors of the other machines, and each application by those of the
 * other applications (leave one out).
 */

/* Standard deviations of the logarithms of ratios; NaN when unknown. */
struct modelfit {
	double spread, alike, bias; /* as in struct model_error */
	double freedom;		    /* degrees of freedom: the most machines in a trial, less one */
};

enum { MODELFIT_ALL = -1 };

/* How many measured times lie inside intervals as wide as the others make them. */
struct modelfit_held {
	size_t machines, applications; /* left out: the machine, the application */
};

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

/* Without one of the machines, or without the application of that name; MODELFIT_ALL, NULL: with all. */
static struct modelfit modelfit(const struct trials *all, ptrdiff_t machine,
				const char *application)
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

/* The same as scales of Student's t: what conf/model.conf states. */
static struct model_error modelfit_scales(const struct modelfit *m)
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

static struct modelfit_held hold_out(const struct trials *all, const struct model_error *used)
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

/* -- all trials together ------------------------------------------------------------------------ */

static int ascending(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* All trials together; a trial of one machine has no order. */
struct sum {
	size_t ordered, exact, best, pairs, pairs_right, tried, inside, taus;
	double tau, worst_tau, scaled, loss, median_error;
	size_t scored; /* whose ratios have a spread */
};

static void add_order(struct sum *s, const struct score *x)
{
	s->ordered++;
	s->exact += x->exact_order;
	s->best += x->best_found;
	s->pairs += x->pairs;
	s->pairs_right += x->pairs_right;
	s->loss = fmax(s->loss, x->deficiency);
	if (!isnan(x->spread)) {
		s->scaled = fmax(s->scaled, x->scaled_error);
		s->scored++;
	}
	if (isnan(x->tau_b))
		return;
	s->tau += x->tau_b;
	s->worst_tau = fmin(s->worst_tau, x->tau_b);
	s->taus++;
}

static struct sum add_up(const struct trials *all)
{
	struct sum s = { .worst_tau = INFINITY };
	VEC(double) error = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];

		if (t->n > 1)
			add_order(&s, &t->verdict.score);
		s.tried += t->verdict.tried;
		s.inside += t->verdict.inside;
		for (size_t k = 0; k < t->n; k++)
			if (trial_tried(t, &t->cells[k]))
				vec_push(&error, fabs(trial_ratio(&t->cells[k]) - 1));
	}
	if (!s.scored)
		s.scaled = NAN;
	if (error.n)
		qsort(error.v, error.n, sizeof(*error.v), ascending);
	s.median_error = sample_quantile(error.v, error.n, 0.5);
	vec_free(&error);
	return s;
}

static void print_sum(const struct query *q, const struct sum *s, size_t trials,
		      const struct modelfit *fit)
{
	double tau = s->taus ? s->tau / (double)s->taus : NAN;

	report_fact(q, "trials", json_integer((json_int_t)trials));
	report_fact(q, "ordered", json_integer((json_int_t)s->ordered));
	report_fact(q, "exact_orders", json_integer((json_int_t)s->exact));
	report_fact(q, "best_found", json_integer((json_int_t)s->best));
	report_fact(q, "pairs", json_integer((json_int_t)s->pairs));
	report_fact(q, "pairs_right", json_integer((json_int_t)s->pairs_right));
	report_fact(q, "mean_tau_b", json_double(tau));
	report_fact(q, "worst_tau_b", json_double(s->taus ? s->worst_tau : NAN));
	report_fact(q, "median_error", json_double(s->median_error));
	report_fact(q, "intervals", json_integer((json_int_t)s->tried));
	report_fact(q, "inside", json_integer((json_int_t)s->inside));
	if (s->tried)
		report_say(q, "error: median %.1f %%; inside the interval: %zu of %zu",
			   100 * s->median_error, s->inside, s->tried);
	if (!s->ordered)
		return;
	report_fact(q, "scaled_error", json_double(s->scaled));
	report_fact(q, "spread", json_double(fit->spread));
	report_fact(q, "bias", json_double(fit->bias));
	report_fact(q, "deficiency", json_double(s->loss));
	report_say(q,
		   "exact order: %zu of %zu; best machine found: %zu of %zu, loss at most "
		   "%.1f %%; pairs right: %zu of %zu",
		   s->exact, s->ordered, s->best, s->ordered, 100 * s->loss, s->pairs_right,
		   s->pairs);
	if (s->taus)
		report_say(q, "tau-b: mean %.2f, worst %.2f", tau, s->worst_tau);
	if (!s->scored)
		return;
	report_say(q,
		   "scaled error: at most %.1f %%; spread %.1f %% within an application, bias "
		   "%.1f %% of applications",
		   100 * s->scaled, 100 * fit->spread, 100 * fit->bias);
}

/* The model.conf that these trials give, and how well it predicts trials left out of it. */
static void print_fit(const struct query *q, const struct trials *all, const struct modelfit *found,
		      const struct model_error *used)
{
	const struct model_error fit = modelfit_scales(found);
	const struct modelfit_held held = hold_out(all, used);

	report_fact(q, "model_spread", json_double(fit.spread));
	report_fact(q, "model_alike", json_double(fit.alike));
	report_fact(q, "model_bias", json_double(fit.bias));
	if (!isfinite(fit.spread))
		return;
	report_fact(q, "inside_without_machine", json_integer((json_int_t)held.machines));
	report_fact(q, "inside_without_application", json_integer((json_int_t)held.applications));
	report_say(q, "model.conf: spread %.2f, alike %.2f, bias %.2f, freedom %.0f", fit.spread,
		   fit.alike, fit.bias, fit.freedom);
	report_say(q,
		   "left out of it: inside %zu when each machine is, %zu when each application is",
		   held.machines, held.applications);
}

void verdict_print_all(const struct query *q, const struct trials *all,
		       const struct model_error *used)
{
	const struct sum s = add_up(all);
	const struct modelfit fit = modelfit(all, MODELFIT_ALL, NULL);
	struct table *table = new_scores(q);

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		char *name = trial_name(t);

		put_score(q, table, name, &t->verdict.score, t->verdict.inside, t->verdict.tried);
		free(name);
	}
	report_say(q, "\n\nall together");
	report_say(q, "%s", "");
	report_table(q, "scores", table, false);
	report_say(q, "%s", "");
	print_sum(q, &s, all->n, &fit);
	print_fit(q, all, &fit, used);
}
