/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "warnings.h"

const double trial_apart = 0.05;

static const char *const baseline_names[BASELINES] = { "null call", "cpu_int", "geometric mean" };

const char *baseline_name(enum baseline b)
{
	return baseline_names[b];
}

static const struct osvec *vector(const struct query *q, size_t machine)
{
	return q->machines.v[machine].vector;
}

/* One number for each of the machines in machine[n], in any unit; false when one of them lacks the
 * entries. */
static bool guess_entry(const char *entry, const struct query *q, const size_t *machine, size_t n,
			double *value)
{
	for (size_t i = 0; i < n; i++) {
		const struct osvec_entry *e = osvec_find(vector(q, machine[i]), entry);

		if (!e)
			return false;
		value[i] = e->seconds;
	}
	return true;
}

static bool guess_mean(const struct query *q, const size_t *machine, size_t n, double *value)
{
	const struct osvec *first = vector(q, machine[0]);
	double *cost = xcalloc(n, sizeof(*cost));
	size_t common = 0;

	for (size_t i = 0; i < n; i++)
		value[i] = 0;
	for (size_t k = 0; k < first->n; k++) {
		if (!guess_entry(first->entries[k].name, q, machine, n, cost))
			continue;
		common++;
		for (size_t i = 0; i < n; i++)
			value[i] += log(cost[i]);
	}
	for (size_t i = 0; i < n; i++)
		value[i] = exp(value[i] / (double)common);
	free(cost);
	return common > 0;
}

static bool baseline_guess(enum baseline b, const struct query *q, const size_t *machine, size_t n,
			   double *value)
{
	if (b == BASELINE_MEAN)
		return guess_mean(q, machine, n, value);
	return guess_entry(b == BASELINE_CPU ? "cpu_int" : q->demand->null_entry, q, machine, n,
			   value);
}

struct trial *trial_new(const struct query *common, const char *application,
			enum measured_kind kind)
{
	struct trial *t = xcalloc(1, sizeof(*t));

	t->kind = kind;
	t->q = (struct query){
		.application_path = application,
		.reference_path = common->reference_path,
		.level = common->level,
		.json = common->json,
		.csv = common->csv,
		.machines = common->machines,
		.machines_shared = true,
		.inflation = NAN,
		.known = NAN,
		.without_wait = kind == MEASURED_CPU,
	};
	query_read(&t->q);
	return t;
}

static int by_measured(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->measured->median != y->measured->median)
		return x->measured->median < y->measured->median ? -1 : 1;
	return (x->machine > y->machine) - (x->machine < y->machine);
}

size_t trial_match(struct trial *t, const struct measured *measured)
{
	const struct machines *m = &t->q.machines;

	t->cells = xcalloc(m->n, sizeof(*t->cells));
	for (size_t i = 0; i < m->n; i++) {
		const struct measured_row *row =
		    measured_find(measured, t->q.application->name, m->v[i].label, t->kind);

		if (row)
			t->cells[t->n++] = (struct cell){ .machine = i, .measured = row };
	}
	qsort(t->cells, t->n, sizeof(*t->cells), by_measured);
	return t->n;
}

char *trial_name(const struct trial *t)
{
	return xasprintf("%s %s", t->q.application->name, measured_kind_name(t->kind));
}

double trial_ratio(const struct cell *c)
{
	return c->predicted / c->measured->median;
}

bool trial_inside(const struct cell *c)
{
	return c->measured->median >= c->interval.low && c->measured->median <= c->interval.high;
}

bool trial_known(const struct trial *t, const struct cell *c)
{
	return t->q.predictions[c->machine]->known;
}

bool trial_compares(const struct trial *t)
{
	return t->kind != MEASURED_RATE;
}

bool trial_tried(const struct trial *t, const struct cell *c)
{
	return trial_compares(t) && !trial_known(t, c);
}

/* Level 1: the time measured on the reference is the one known run. */
static int choose_calibration(struct trial *t, struct error *e)
{
	struct query *q = &t->q;

	for (size_t i = 0; i < t->n; i++) {
		const struct machine *m = &q->machines.v[t->cells[i].machine];

		if (m->vector != q->reference)
			continue;
		q->known = t->cells[i].measured->median;
		q->calibration = t->calibration = xasprintf("%s=%.17g", m->label, q->known);
		return 0;
	}
	return error_set(e, "level 1 needs the time measured on the machine it was recorded on");
}

static void predict(struct trial *t, const struct intervals *intervals)
{
	struct query *q = &t->q;
	struct samples d = intervals_sample(intervals, q);

	for (size_t i = 0; i < t->n; i++) {
		struct cell *c = &t->cells[i];
		struct samples_interval v =
		    samples_interval(&d, d.full, c->machine, intervals->level);

		c->predicted = query_time(q, q->predictions[c->machine]->total);
		c->interval =
		    (struct samples_interval){ query_time(q, v.median), query_time(q, v.low),
					       query_time(q, v.high) };
	}
	t->measured_share = samples_measured_share(&d);
	samples_free(&d);
}

static void find_places(struct trial *t, const double *predicted, const double *measured)
{
	size_t *place = xcalloc(2 * t->n, sizeof(*place));

	score_places(predicted, t->n, place);
	score_places(measured, t->n, place + t->n);
	for (size_t i = 0; i < t->n; i++) {
		t->cells[i].predicted_place = place[i];
		t->cells[i].measured_place = place[t->n + i];
	}
	free(place);
}

/* The error and the intervals that calibration did not make right. */
static void score_unknown(struct trial *t, double *predicted, double *measured)
{
	struct verdict *v = &t->verdict;

	for (size_t i = 0; i < t->n; i++) {
		const struct cell *c = &t->cells[i];

		if (!trial_tried(t, c))
			continue;
		predicted[v->tried] = c->predicted;
		measured[v->tried++] = c->measured->median;
		v->inside += trial_inside(c);
	}
	v->score.median_error = score(predicted, measured, v->tried, trial_apart).median_error;
}

/* The score of t's guess, predicted. */
static struct score score_guess(const struct trial *t, const double *predicted,
				const double *measured)
{
	struct score s = score(predicted, measured, t->n, trial_apart);

	if (!trial_compares(t))
		s.median_error = s.factor = s.scaled_error = s.spread = NAN;
	return s;
}

static void score_all(struct trial *t)
{
	double *predicted = xcalloc(2 * t->n, sizeof(*predicted)), *measured = predicted + t->n;
	size_t *machine = xcalloc(t->n, sizeof(*machine));

	for (size_t i = 0; i < t->n; i++) {
		machine[i] = t->cells[i].machine;
		measured[i] = t->cells[i].measured->median;
	}
	for (enum baseline b = 0; b < BASELINES; b++)
		if (baseline_guess(b, &t->q, machine, t->n, predicted))
			t->baseline[b] = score_guess(t, predicted, measured);
	for (size_t i = 0; i < t->n; i++)
		predicted[i] = t->cells[i].predicted;
	t->verdict.score = score_guess(t, predicted, measured);
	find_places(t, predicted, measured);
	score_unknown(t, predicted, measured);
	free(machine);
	free(predicted);
}

int trial_score(struct trial *t, const struct intervals *intervals, struct error *e)
{
	if (t->q.level == 1 && choose_calibration(t, e))
		return -1;
	query_answer(&t->q);
	warnings_add(&t->q);
	predict(t, intervals);
	score_all(t);
	return 0;
}

void trial_free(struct trial *t)
{
	query_free(&t->q);
	free(t->calibration);
	free(t->cells);
	free(t);
}
