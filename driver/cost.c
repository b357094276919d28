/* SPDX-License-Identifier: MIT */
#include "cost.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/distribution.h"
#include "util/xalloc.h"

static const double level = COST_LEVEL;
static const double severe_share = 0.1;	 /* of the values, before OUTLIERS is said */
static const double drifted_share = 0.5; /* of the values, before DRIFT is said */
/* times the wanted precision, before WIDE is said: of many entries a run ends on time, a little
 * short of it */
static const double wide = 2;
static const double skewed = 0.1; /* mean / centre - 1, before SKEWED is said */

static void add_flag(char **flags, const char *word)
{
	if (!osvec_has_flag(*flags, word))
		*flags = xappend(*flags, "%s%s", **flags ? "," : "", word);
}

static double smallest(const double *x, size_t n)
{
	double least = INFINITY;

	for (size_t i = 0; i < n; i++)
		least = fmin(least, x[i]);
	return least;
}

/* Values and runs are both in order of time, but a value may have been typed in, and a kill may
 * have lost one between the two files. */
static void match_runs(struct cost *x)
{
	const double alike = 1e-7; /* the mean of copies is rounded */
	size_t next = 0;

	x->runs = xcalloc(x->processes, sizeof(*x->runs));
	for (size_t i = 0; x->history && i < x->processes; i++)
		for (size_t j = next; j < x->history->n && !x->runs[i]; j++)
			if (fabs(x->history->runs[j].seconds / x->all[i] - 1) < alike) {
				x->runs[i] = &x->history->runs[j];
				next = j + 1;
			}
}

/* Includes that the adjustment of the values of x is estimated. */
static void widen(struct estimate *e, const struct cost *x)
{
	const double quantile = distribution_student_quantile((1 + level) / 2, (double)x->n - 1);
	double adjusted = quantile * x->adjustment_error * e->centre;

	if (x->inflation > 1) {
		e->low = e->centre - hypot(x->inflation * (e->centre - e->low), adjusted);
		e->high = e->centre + hypot(x->inflation * (e->high - e->centre), adjusted);
	}
}

/* As widen, a standard error. */
static double widened(double error, const struct cost *x)
{
	return hypot(x->inflation * error, x->adjustment_error);
}

/* The means of the processes; the value of a process without.  Their CPU time if all have one. */
static void find_means(struct cost *x)
{
	double *means = xcalloc(x->n, sizeof(*means)), cpu = 0;
	const struct history_run *const *runs = x->runs + x->pilot;

	for (size_t i = 0; i < x->n; i++) {
		bool known = runs[i] && runs[i]->mean > 0;
		double value = x->all[x->pilot + i],
		       adjusted = x->mean_factor * x->values[i] / value;

		means[i] = adjusted * (known ? runs[i]->mean : value);
		cpu += adjusted * (runs[i] ? runs[i]->cpu / (double)x->n : NAN);
	}
	x->mean = estimate_mean(means, x->n, level);
	widen(&x->mean, x);
	x->mean_error = widened(estimate_mean_error(means, x->n), x);
	x->cpu = cpu;
	free(means);
	if (x->shipped && !isnan(x->shipped->mean_error)) {
		double half =
		    x->shipped->mean_error * x->shipped->mean *
		    distribution_student_quantile((1 + level) / 2, (double)x->shipped->n - 1);

		x->mean = (struct estimate){ x->shipped->mean, x->shipped->mean - half,
					     x->shipped->mean + half };
		x->mean_error = x->shipped->mean_error;
		x->cpu = x->shipped->cpu;
	}
}

void cost_estimate(struct cost *x, enum estimator e)
{
	const double *v = x->values;
	struct estimate hl = estimate_hodges_lehmann(v, x->n, level);

	x->modes = sample_modes(v, x->n);
	x->centre = estimate(e, v, x->n, level);
	x->trimmed = estimate_trimmed(v, x->n, level);
	widen(&x->centre, x);
	widen(&x->trimmed, x);
	find_means(x);
	x->precision = estimate_precision(&x->centre);
	x->minimum = smallest(v, x->n);
	x->cv = sample_sd(v, x->n) / sample_mean(v, x->n);
	x->tail_excess = x->mean.centre / hl.centre - 1;
	x->error = widened(estimate_log_error(v, x->n), x);
	x->batch_cv = x->history ? x->history->median.batch_sd / x->centre.centre : NAN;
}

void cost_describe(struct cost *x, const struct schedule_rule *rule, enum estimator e)
{
	x->pilot = schedule_pilot(rule, x->all, x->processes);
	x->n = x->processes - x->pilot;
	x->values = xcalloc(x->n, sizeof(*x->values));
	memcpy(x->values, x->all + x->pilot, x->n * sizeof(*x->values));
	x->mean_factor = x->inflation = 1;
	match_runs(x);
	cost_estimate(x, e);
}

struct rule {
	bool raised;
	const char *word;
};

static bool has_rule(const struct rule *rules, size_t n, const char *word)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(rules[i].word, word))
			return true;
	return false;
}

/* What the processes of x raised, by its history or, without, by the vector that came with the run:
 * the words there that no rule makes anew. */
static char *raised_flags(const struct cost *x, const struct rule *rules, size_t n)
{
	const char *raised = x->history ? x->history->flags : x->shipped ? x->shipped->flags : "";
	char *kept = xstrdup("");

	for (size_t length; *raised; raised += length + (raised[length] == ',')) {
		length = strcspn(raised, ",");
		char *word = xstrndup(raised, length);
		if (x->history || !has_rule(rules, n, word))
			add_flag(&kept, word);
		free(word);
	}
	return kept;
}

void cost_set_flags(struct cost *x, const struct schedule_rule *rule, bool logged)
{
	struct outliers outliers = sample_outliers(x->values, x->n);
	size_t unlogged = 0;

	for (size_t i = 0; logged && i < x->processes; i++)
		unlogged += !x->runs[i];
	const struct rule rules[] = {
		{ x->modes.bimodal, "BIMODAL" },
		{ x->processes < rule->min, "FEW" },
		{ !(x->precision <= wide * rule->precision), "WIDE" },
		{ (double)outliers.severe > severe_share * (double)x->n, "OUTLIERS" },
		/* runs.jsonl that was cut short lacks the flags of some processes; a kill can
		 * lose the last value, not more. */
		{ unlogged > 0 || (x->history && x->history->n > x->processes + 1), "NOLOG" },
		/* The last, because processes raise them, too. */
		{ x->tail_excess > skewed, "SKEWED" },
		{ x->drifted > drifted_share, "DRIFT" },
	};
	const size_t n = sizeof(rules) / sizeof(*rules);

	free(x->flags);
	x->flags = raised_flags(x, rules, n - 2);
	for (size_t i = 0; i < n; i++)
		if (rules[i].raised)
			add_flag(&x->flags, rules[i].word);
}

void cost_done(struct cost *x)
{
	free(x->name);
	free(x->flags);
	free(x->all);
	free(x->values);
	free(x->runs);
}
