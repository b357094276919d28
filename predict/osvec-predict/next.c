/* SPDX-License-Identifier: MIT */
#include "next.h"

#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "model/doubt.h"
#include "util/vec.h"

/* Four times as many measurements leave a quarter of the variance. */
static const double saved = 0.75;
static const double worthwhile = 0.01; /* of the variance */
enum { LISTED = 8 };

struct step {
	const char *entry, *what; /* one of them */
	const char *machine;
	double gain; /* of the variance */
};

/* The logarithm of a ratio, and what makes it uncertain. */
struct plan {
	const struct query *q;
	const struct prediction *p[2];
	struct model_case of[2];
	struct model_error model;
	struct doubts doubts;
	double variance;
	VEC(struct step) steps;
};

static const char *label(const struct plan *n, const struct osvec *of)
{
	for (size_t i = 0; i < n->q->machines.n; i++)
		if (n->q->machines.v[i].vector == of)
			return n->q->machines.v[i].label;
	return of->machine;
}

static void add_step(struct plan *n, const char *entry, const char *what, const char *machine,
		     double gain)
{
	vec_push(&n->steps, (struct step){ entry, what, machine, gain });
}

/* What the entries of one machine add, all together and one by one. */
static void add_entries(struct plan *n, const struct osvec *of)
{
	double all = doubt_variance(&n->doubts, of);

	if (!(all > 0))
		return;
	add_step(n, NULL, "all entries, 4 x the rounds", label(n, of), saved * all);
	for (size_t i = 0; i < n->doubts.n; i++) {
		const struct doubt *x = &n->doubts.v[i];

		if (x->of == of)
			add_step(n, x->entry->name, NULL, label(n, of),
				 saved * (1 - of->correlation) * x->error * x->error);
	}
}

/* The variance of an error of that scale, of which so much is left when hosts are steady: their
 * states are normal deviates, the rest is Student's t. */
static double variance(const struct plan *n, double scale, double steady)
{
	const double f = n->model.freedom, widened = f > 2 ? f / (f - 2) : 3;

	return scale * scale + (widened - 1) * steady * steady;
}

static struct model_case on_steady_host(struct model_case c)
{
	c.state = c.host.spread = 0;
	return c;
}

static double steady_error_of_ratio(const struct plan *n)
{
	const struct model_case a = on_steady_host(n->of[0]), b = on_steady_host(n->of[1]);

	return model_error_of_ratio(&n->model, &a, &b);
}

static double variance_of_ratio(const struct plan *n)
{
	return variance(n, model_error_of_ratio(&n->model, &n->of[0], &n->of[1]),
			steady_error_of_ratio(n));
}

/* Of the ratio of a measured time to a predicted one, which holds the application's bias, too. */
static double variance_of_time(const struct plan *n, const struct model_case *of)
{
	const struct model_case steady = on_steady_host(*of);

	return variance(n, hypot(model_error_of(&n->model, of), n->model.bias),
			hypot(model_error_of(&n->model, &steady), n->model.bias));
}

/* Timing the application on a machine replaces all that is predicted for it. */
static void add_truth(struct plan *n, int side)
{
	const struct prediction *p = n->p[side];
	double gain = variance_of_ratio(n) - variance_of_time(n, &n->of[!side]);

	add_step(n, NULL, "the application, timed there", label(n, p->machine),
		 fmax(gain, 0) + pow(doubt_uncovered(p), 2) +
		     doubt_variance(&n->doubts, p->machine));
}

static void find_steps(struct plan *n)
{
	const struct osvec *reference = n->p[0]->reference;

	for (int side = 0; side < 2; side++)
		doubt_add(&n->doubts, n->p[side], side ? -1 : 1);
	for (int side = 0; side < 2; side++) {
		add_entries(n, n->p[side]->machine);
		add_truth(n, side);
	}
	if (reference && reference != n->p[0]->machine && reference != n->p[1]->machine)
		add_entries(n, reference);
	n->variance = doubt_ratio(n->p[0], n->p[1]) + variance_of_ratio(n);
	if (reference)
		add_step(n, NULL, "the application's runs, 4 x as many", label(n, reference),
			 saved * doubt_runs(n->p[0], n->p[1]));
}

static int by_gain(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->gain < y->gain) - (x->gain > y->gain);
}

static void print_steps(const struct plan *n, struct samples_interval in)
{
	static const struct table_column columns[] = {
		{ "measure", "measure", TABLE_LEFT },	  { "on", "machine", TABLE_LEFT },
		{ "of the doubt", "share", TABLE_RIGHT }, { "from", "ratio_low", TABLE_RIGHT },
		{ "to", "ratio_high", TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < n->steps.n && i < LISTED; i++) {
		const struct step *x = &n->steps.v[i];
		double share = x->gain / n->variance, left = sqrt(fmax(1 - share, 0));

		if (!(share >= worthwhile))
			break;
		char *what =
		    x->entry ? xasprintf("%s, 4 x the rounds", x->entry) : xstrdup(x->what);
		table_text(t, what);
		free(what);
		table_text(t, x->machine);
		table_percent(t, share, "%.1f %%");
		table_number(t, in.median * pow(in.low / in.median, left), "%.2f");
		table_number(t, in.median * pow(in.high / in.median, left), "%.2f");
	}
	answer_table(n->q, "measure_next", t, false);
	if (!n->steps.n || !(n->steps.v[0].gain >= 0.5 * n->variance))
		answer_say(n->q,
			   "No single measurement takes away half of it; timing the application on "
			   "both machines takes away all.");
}

static struct plan make_plan(const struct query *q, const struct intervals *s, size_t i, size_t j)
{
	struct plan n = {
		.q = q,
		.p = { q->predictions[i], q->predictions[j] },
		.of = { doubt_case(q->predictions[i]), doubt_case(q->predictions[j]) },
		.model = intervals_model_error(s, q),
	};

	find_steps(&n);
	return n;
}

static void free_plan(struct plan *n)
{
	vec_free(&n->steps);
	vec_free(&n->doubts);
	free(n->of[0].lines);
	free(n->of[1].lines);
}

struct next_parts next_split(const struct query *q, const struct intervals *s, size_t i, size_t j)
{
	if (osvec_is_same(q->predictions[i]->machine, q->predictions[j]->machine))
		return (struct next_parts){ 0 };
	struct plan n = make_plan(q, s, i, j);
	const double both = model_error_of_ratio(&n.model, &n.of[0], &n.of[1]);
	const double uncovered = pow(doubt_uncovered(n.p[0]), 2) + pow(doubt_uncovered(n.p[1]), 2);
	const double model = steady_error_of_ratio(&n);
	const struct next_parts parts = {
		.measured = n.variance - variance_of_ratio(&n) - uncovered,
		.model = variance(&n, model, model) + uncovered,
		.hosts = both * both - model * model,
	};
	free_plan(&n);
	return parts;
}

void next_print(const struct query *q, const struct intervals *s, size_t i, size_t j,
		struct samples_interval in)
{
	struct plan n = make_plan(q, s, i, j);

	vec_sort(&n.steps, by_gain);
	answer_say(q,
		   "\nwhat to measure next: the share of the doubt in the ratio of %s to %s, now "
		   "%.2f to %.2f, that each would take away, and what would be left",
		   q->machines.v[i].label, q->machines.v[j].label, in.low, in.high);
	print_steps(&n, in);
	free_plan(&n);
}
