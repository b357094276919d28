/* SPDX-License-Identifier: MIT */
#include "remarks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

enum {
	ENOUGH_MACHINES = 5, /* an exact order by chance: once in 5! = 120 */
	LISTED = 4,	     /* trials that a note names; it counts more of them */
};

/* "a, b" */
static void join(char **list, const char *word)
{
	*list = xappend(*list, "%s%s", *list ? ", " : "", word);
}

/* Rows about applications that are not given. */
void remarks_unknown(const struct truth *truth, const struct names *known, struct question *common)
{
	struct names unknown = { 0 };

	for (size_t i = 0; i < truth->n; i++) {
		const char *name = truth->v[i].application;

		if (names_find(known, name) == SIZE_MAX)
			names_add(&unknown, name);
	}
	char *list = names_join(&unknown, ", ");
	if (unknown.n)
		question_note(common, "left out of the truth, as no application given with -a: %s",
			      list);
	free(list);
	names_free(&unknown);
}

static void note_baselines(struct trial *t)
{
	const struct score *model = &t->verdict.score;

	for (enum baseline b = 0; b < BASELINES; b++) {
		const struct score *s = &t->baseline[b];

		if (t->n == 1)
			return;
		if (!s->n)
			question_note(&t->q, "%s is not scored: not every machine measured it",
				      baseline_name(b));
		else if (model->pairs && s->pairs_right >= model->pairs_right)
			question_note(&t->q,
				      "THE %s ALONE ORDERS AS WELL OR BETTER: %zu of %zu "
				      "pairs, osvec-predict %zu",
				      baseline_name(b), s->pairs_right, s->pairs,
				      model->pairs_right);
		if (s->n && s->scaled_error <= model->scaled_error)
			question_note(&t->q,
				      "THE %s ALONE COMES AS CLOSE OR CLOSER: scaled error "
				      "%.1f %%, osvec-predict %.1f %%",
				      baseline_name(b), 100 * s->scaled_error,
				      100 * model->scaled_error);
	}
}

static void note_order(struct trial *t)
{
	size_t n = t->n, orders = 1;

	for (size_t i = 2; i <= n && i < ENOUGH_MACHINES; i++)
		orders *= i;
	if (n == 1)
		question_note(&t->q, "one machine has no order to score");
	else if (n < ENOUGH_MACHINES)
		question_note(&t->q,
			      "%zu machines: an order is exact by chance once in %zu "
			      "(1/M!), which cannot show skill; take %d or more",
			      n, orders, ENOUGH_MACHINES);
	if (n > 1 && !t->verdict.score.pairs)
		question_note(&t->q,
			      "no two machines were measured to differ by more than "
			      "%.0f %%: their order says nothing",
			      100 * trial_apart);
}

static bool is_matched(const struct trial *t, const struct truth_row *row)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->cells[i].truth == row)
			return true;
	return false;
}

/* Machines without truth, and truth without a machine. */
static void note_left_out(struct trial *t, const struct truth *truth)
{
	const struct machines *m = &t->q.machines;
	const char *kind = truth_kind_name(t->kind);
	char *without = NULL, *unknown = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (!truth_find(truth, t->q.application->name, m->v[i].label, t->kind))
			join(&without, m->v[i].label);
	for (size_t i = 0; i < truth->n; i++)
		if (truth->v[i].kind == t->kind && !is_matched(t, &truth->v[i]) &&
		    !strcmp(truth->v[i].application, t->q.application->name))
			join(&unknown, truth->v[i].machine);
	if (without)
		question_note(&t->q, "left out, as the truth has no %s time: %s", kind, without);
	if (unknown)
		question_note(&t->q, "left out of the truth, as no machine here: %s", unknown);
	free(without);
	free(unknown);
}

static void note_trial(struct trial *t, const struct truth *truth)
{
	if (t->kind == TRUTH_WALL)
		question_note(&t->q, "wall time is compared with the sum of kernel, user and "
				     "waiting, which is as long only where one thing happens after "
				     "the other");
	if (t->kind == TRUTH_RATE)
		question_note(&t->q, "what clients see holds overlap and queues: only its order is "
				     "compared with the prediction");
	note_order(t);
	note_baselines(t);
	note_left_out(t, truth);
	intervals_note_runs(&t->q);
}

static size_t find_note(const struct trial *t, const char *text)
{
	size_t i = 0;

	while (i < t->q.notes.n && strcmp(t->q.notes.v[i], text))
		i++;
	return i;
}

static bool has_note(const struct trial *t, const char *text)
{
	return find_note(t, text) < t->q.notes.n;
}

static void drop_note(struct trial *t, const char *text)
{
	struct notes *notes = &t->q.notes;
	size_t i = find_note(t, text);

	if (i == notes->n)
		return;
	free(notes->v[i]);
	notes->n--;
	memmove(&notes->v[i], &notes->v[i + 1], (notes->n - i) * sizeof(*notes->v));
}

/* Says a note of several applications for all of them. */
static void note_common(struct question *common, const struct trials *all, const char *text)
{
	char *list = NULL;
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		if (has_note(all->v[i], text)) {
			char *name = trial_name(all->v[i]);

			join(&list, name);
			free(name);
			n++;
		}
	if (n == all->n)
		question_note(common, "%s", text);
	else if (n <= LISTED)
		question_note(common, "%s (%s)", text, list);
	else
		question_note(common, "%s (%zu of these %zu)", text, n, all->n);
	free(list);
}

/* Takes a note of trial first out of the later ones, and out of itself when they are of other applications:
 * true. */
static bool say_once(const struct trials *all, size_t first, size_t note, struct question *common)
{
	const char *name = all->v[first]->q.application->name;
	char *text = xstrdup(all->v[first]->q.notes.v[note]);
	bool several = false;

	for (size_t i = first + 1; i < all->n; i++)
		several |=
		    has_note(all->v[i], text) && strcmp(all->v[i]->q.application->name, name);
	if (several)
		note_common(common, all, text);
	for (size_t i = several ? first : first + 1; i < all->n; i++)
		drop_note(all->v[i], text);
	free(text);
	return several;
}

void remarks_note(struct trials *all, const struct truth *truth, const struct intervals *intervals,
		  struct question *common)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < all->n; i++) {
		note_trial(all->v[i], truth);
		low = fmin(low, all->v[i]->measured_share);
		high = fmax(high, all->v[i]->measured_share);
	}
	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->v[i]->q.notes.n;)
			k += !say_once(all, i, k, common);
	intervals_note_range(intervals, common, low, high);
}
