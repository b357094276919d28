/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "pairs.h"
#include "util/xalloc.h"

const double trial_apart = 0.05;

/* The cost of an entry on each machine; false when one of them lacks it. */
static bool guess_entry(const struct trial *t, const char *name, double *value)
{
	for (size_t i = 0; i < t->n; i++) {
		const struct osvec_entry *e = osvec_find(t->cells[i].machine->vector, name);

		if (!e)
			return false;
		value[i] = e->seconds;
	}
	return true;
}

static bool guess_mean(const struct trial *t, double *value)
{
	const struct osvec *first = t->cells[0].machine->vector;
	double *cost = xcalloc(t->n, sizeof(*cost));
	size_t common = 0;

	memset(value, 0, t->n * sizeof(*value));
	for (size_t k = 0; k < first->n; k++) {
		if (!guess_entry(t, first->entries[k].name, cost))
			continue;
		common++;
		for (size_t i = 0; i < t->n; i++)
			value[i] += log(cost[i]);
	}
	for (size_t i = 0; i < t->n; i++)
		value[i] = exp(value[i] / (double)common);
	free(cost);
	return common > 0;
}

static int by_measured(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->measured->median != y->measured->median)
		return x->measured->median < y->measured->median ? -1 : 1;
	return (x->machine > y->machine) - (x->machine < y->machine);
}

struct trial *trial_new(const struct query *common, const char *application,
			const struct measured *measured, enum measured_kind kind)
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
	t->name = xasprintf("%s %s", t->q.application->name, measured_kind_names[kind]);
	t->cells = xcalloc(t->q.machines.n, sizeof(*t->cells));
	for (size_t i = 0; i < t->q.machines.n; i++) {
		const struct machine *m = &t->q.machines.v[i];
		const struct measured_row *row =
		    measured_find(measured, t->q.application->name, m->label, kind);

		if (row)
			t->cells[t->n++] = (struct cell){ .machine = m, .measured = row };
	}
	qsort(t->cells, t->n, sizeof(*t->cells), by_measured);
	return t;
}

/* Level 1: the time measured on the reference is the one known run. */
static int choose_calibration(struct trial *t, struct error *e)
{
	struct query *q = &t->q;

	for (size_t i = 0; i < t->n; i++) {
		const struct cell *c = &t->cells[i];

		if (c->machine->vector != q->reference)
			continue;
		q->known = c->measured->median;
		q->calibration = t->calibration =
		    xasprintf("%s=%.17g", c->machine->label, q->known);
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
		size_t machine = (size_t)(c->machine - q->machines.v);
		struct samples_interval v = samples_interval(&d, d.full, machine, intervals->level);
		double measured = c->measured->median;

		c->prediction = q->predictions[machine];
		c->predicted = query_time(q, c->prediction->total);
		c->interval.median = query_time(q, v.median);
		c->interval.low = query_time(q, v.low);
		c->interval.high = query_time(q, v.high);
		c->ratio = t->kind == MEASURED_RATE ? NAN : c->predicted / measured;
		c->tried = t->kind != MEASURED_RATE && !c->prediction->known;
		c->inside = c->tried && measured >= c->interval.low && measured <= c->interval.high;
		t->tried += c->tried;
		t->inside += c->inside;
	}
	pairs_find(t, &d, intervals->level);
	t->measured_share = samples_measured_share(&d);
	samples_free(&d);
}

/* The score of t's guess, predicted. */
static struct score score_guess(const struct trial *t, const double *predicted,
				const double *measured)
{
	struct score s = score(predicted, measured, t->n, trial_apart);

	if (t->kind == MEASURED_RATE)
		s.median_error = s.factor = s.scaled_error = s.spread = NAN;
	return s;
}

static void score_baselines(struct trial *t, double *guess, const double *measured)
{
	static const char *const names[BASELINES] = { "null call", "cpu_int", "geometric mean" };
	const bool known[BASELINES] = {
		guess_entry(t, t->q.demand->null_entry, guess),
		guess_entry(t, "cpu_int", guess + t->n),
		guess_mean(t, guess + 2 * t->n),
	};

	for (size_t b = 0; b < BASELINES; b++) {
		t->baselines[b].name = names[b];
		if (known[b])
			t->baselines[b].score = score_guess(t, guess + b * t->n, measured);
	}
}

static void score_all(struct trial *t)
{
	double *guess = xcalloc((BASELINES + 2) * t->n, sizeof(*guess));
	double *predicted = guess + BASELINES * t->n, *measured = predicted + t->n;
	size_t *place = xcalloc(2 * t->n, sizeof(*place)), tried = 0;

	for (size_t i = 0; i < t->n; i++) {
		predicted[i] = t->cells[i].predicted;
		measured[i] = t->cells[i].measured->median;
	}
	score_baselines(t, guess, measured);
	t->score = score_guess(t, predicted, measured);
	score_places(predicted, t->n, place);
	score_places(measured, t->n, place + t->n);
	for (size_t i = 0; i < t->n; i++) {
		t->cells[i].predicted_place = place[i];
		t->cells[i].measured_place = place[t->n + i];
		if (t->cells[i].tried) {
			predicted[tried] = predicted[i];
			measured[tried++] = measured[i];
		}
	}
	t->score.median_error = score(predicted, measured, tried, trial_apart).median_error;
	free(place);
	free(guess);
}

int trial_score(struct trial *t, const struct intervals *intervals, struct error *e)
{
	if (t->q.level == 1 && choose_calibration(t, e))
		return -1;
	query_answer(&t->q);
	predict(t, intervals);
	score_all(t);
	return 0;
}

void trial_free(struct trial *t)
{
	query_free(&t->q);
	free(t->name);
	free(t->calibration);
	free(t->cells);
	free(t->pairs);
	free(t);
}
