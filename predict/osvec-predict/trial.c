/* SPDX-License-Identifier: MIT */
#include "trial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "filed.h"
#include "util/xalloc.h"

const double trial_apart = 0.05;

static int by_measured(const void *a, const void *b)
{
	const struct cell *x = a, *y = b;

	if (x->measured->median != y->measured->median)
		return x->measured->median < y->measured->median ? -1 : 1;
	return (x->machine > y->machine) - (x->machine < y->machine);
}

bool trial_same_family(const char *a, const char *b)
{
	const size_t n = strcspn(a, "-");

	return n == strcspn(b, "-") && !strncmp(a, b, n);
}

bool trial_counts(const struct trials *all, const struct trial *t)
{
	if (t->kind != MEASURED_CPU)
		return t->kind == MEASURED_WALL;
	for (size_t i = 0; i < all->n; i++)
		if (all->v[i]->kind == MEASURED_WALL &&
		    !strcmp(all->v[i]->q.application->name, t->q.application->name))
			return false;
	return true;
}

const struct cell *trial_reference(const struct trial *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->cells[i].machine->vector == t->q.reference)
			return &t->cells[i];
	return NULL;
}

struct trial *trial_new(const struct query *common, const char *application,
			const struct measured *measured, enum measured_kind kind)
{
	static const struct measured_row second = { .median = 1, .low = 1, .high = 1 };
	struct trial *t = xcalloc(1, sizeof(*t));

	t->kind = kind;
	t->q = query_about(common, application);
	t->q.without_wait = kind == MEASURED_CPU;
	query_read(&t->q);
	t->name = xasprintf("%s %s", t->q.application->name, measured_kind_names[kind]);
	t->cells = xcalloc(t->q.machines.n, sizeof(*t->cells));
	for (size_t i = 0; i < t->q.machines.n; i++) {
		const struct machine *m = &t->q.machines.v[i];
		const struct measured_row *row =
		    measured ? measured_find(measured, t->q.application->name, m->label, kind)
			     : &second;

		if (row)
			t->cells[t->n++] = (struct cell){ .machine = m, .measured = row };
	}
	qsort(t->cells, t->n, sizeof(*t->cells), by_measured);
	return t;
}

/* Level 1: the time measured on the reference is the one known run. */
static int choose_calibration(struct trial *t, struct error *e)
{
	const struct cell *c = trial_reference(t);
	struct query *q = &t->q;

	if (!c)
		return error_set(
		    e, "level 1 needs the time measured on the machine it was recorded on");
	q->known = c->measured->median;
	q->calibration = t->calibration = xasprintf("%s=%.17g", c->machine->label, q->known);
	return 0;
}

struct score trial_score_of(const struct trial *t, const double *predicted)
{
	double *measured = xcalloc(t->n + 1, sizeof(*measured));

	for (size_t i = 0; i < t->n; i++)
		measured[i] = t->cells[i].measured->median;
	struct score s = score(predicted, measured, t->n, trial_apart);
	if (t->kind == MEASURED_RATE)
		s.median_error = s.factor = s.scaled_error = s.spread = NAN;
	free(measured);
	return s;
}

static size_t machine_of(const struct trial *t, const struct cell *c)
{
	return (size_t)(c->machine - t->q.machines.v);
}

/* How the interval and the ratio of a cell follow from what is predicted. */
static void judge(struct trial *t, struct cell *c)
{
	const double measured = c->measured->median;

	c->ratio = t->kind == MEASURED_RATE ? NAN : c->predicted / measured;
	c->tried = t->kind != MEASURED_RATE && !c->prediction->known;
	c->inside = c->tried && measured >= c->interval.low && measured <= c->interval.high;
	t->tried += c->tried;
	t->inside += c->inside;
}

/* The ratios of each two machines; none when only the order is compared. */
static void find_pairs(struct trial *t, const struct samples *d, const struct intervals *intervals)
{
	if (t->kind == MEASURED_RATE)
		return;
	t->pairs = xcalloc(t->n * t->n, sizeof(*t->pairs));
	for (const struct cell *a = t->cells; a < t->cells + t->n; a++)
		for (const struct cell *b = t->cells; b < a; b++) {
			const size_t i = machine_of(t, a), j = machine_of(t, b);

			t->pairs[t->npairs++] = (struct pair){
				.a = a,
				.b = b,
				.measured = a->measured->median / b->measured->median,
				.predicted = samples_ratio(d, i, j, intervals->level),
				.doubt = next_split(&t->q, intervals, i, j),
			};
		}
}

static void predict(struct trial *t, const struct intervals *intervals)
{
	struct query *q = &t->q;
	struct samples d = intervals_sample(intervals, q);

	for (size_t i = 0; i < t->n; i++) {
		struct cell *c = &t->cells[i];
		const size_t machine = machine_of(t, c);
		struct samples_interval v = samples_interval(&d, d.full, machine, intervals->level);

		c->prediction = q->predictions[machine];
		c->predicted = query_time(q, c->prediction->total);
		c->interval.median = query_time(q, v.median);
		c->interval.low = query_time(q, v.low);
		c->interval.high = query_time(q, v.high);
		judge(t, c);
	}
	t->draws = xcalloc(d.n * t->n, sizeof(*t->draws));
	t->ndraws = d.n;
	t->level = intervals->level;
	for (size_t k = 0; k < d.n; k++)
		for (size_t i = 0; i < t->n; i++)
			t->draws[k * t->n + i] = d.full[k * d.m + machine_of(t, &t->cells[i])];
	find_pairs(t, &d, intervals);
	t->measured_share = samples_measured_share(&d);
	samples_free(&d);
}

static const struct measured_row *find_filed(const struct trial *t, const struct measured *filed,
					     const struct cell *c)
{
	return measured_find(filed, t->q.application->name, c->machine->label, t->kind);
}

static void drop_unfiled(struct trial *t, const struct measured *filed)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		if (find_filed(t, filed, &t->cells[i]))
			t->cells[n++] = t->cells[i];
	t->n = n;
}

/* What was predicted before counts. */
static void take_filed(struct trial *t, const struct measured *filed)
{
	t->tried = t->inside = t->ndraws = 0;
	for (struct cell *c = t->cells; c < t->cells + t->n; c++) {
		const struct measured_row *row = find_filed(t, filed, c);

		c->predicted = row->median;
		c->interval = (struct samples_interval){ row->median, row->low, row->high };
		judge(t, c);
	}
	filed_take_pairs(t, filed);
}

static void score_all(struct trial *t)
{
	double *predicted = xcalloc(2 * t->n + 1, sizeof(*predicted)), *measured = predicted + t->n;
	size_t *place = xcalloc(2 * t->n + 1, sizeof(*place)), tried = 0;

	for (size_t i = 0; i < t->n; i++) {
		predicted[i] = t->cells[i].predicted;
		measured[i] = t->cells[i].measured->median;
	}
	t->score = trial_score_of(t, predicted);
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
	free(predicted);
}

enum kind trial_pair_kind(const struct pair *p)
{
	const enum kind a = p->a->prediction->kind, b = p->b->prediction->kind;

	return a > b ? a : b;
}

int trial_score(struct trial *t, const struct intervals *intervals, const struct measured *filed,
		struct error *e)
{
	if (t->q.level == 1 && choose_calibration(t, e))
		return -1;
	if (filed)
		drop_unfiled(t, filed);
	if (!t->n)
		return error_set(e, "nothing was filed");
	query_answer(&t->q);
	predict(t, intervals);
	if (filed)
		take_filed(t, filed);
	score_all(t);
	return 0;
}

void trial_free(struct trial *t)
{
	query_free(&t->q);
	free(t->name);
	free(t->calibration);
	for (size_t g = 0; g < GUESSES; g++)
		free(t->guesses[g].value);
	free(t->cells);
	free(t->draws);
	free(t->pairs);
	free(t);
}
