/* SPDX-License-Identifier: MIT */
#include "remarks.h"

#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "util/map.h"
#include "util/vec.h"

enum {
	ENOUGH_MACHINES = 5, /* an exact order by chance: once in 5! = 120 */
	LISTED = 4,	     /* trials that a note names; it counts more of them */
};

static void note_baselines(struct trial *t)
{
	const struct score *model = &t->score;

	for (size_t g = 0; g < GUESSES_OF_VECTORS && t->n > 1; g++) {
		const struct score *s = &t->guesses[g].score;
		const char *name = t->guesses[g].name;

		if (!s->n)
			query_note(&t->q, "%s is not scored: not every machine measured it", name);
		else if (model->pairs && s->pairs_right >= model->pairs_right)
			query_note(&t->q,
				   "THE %s ALONE ORDERS AS WELL OR BETTER: %zu of %zu "
				   "pairs, osvec-predict %zu",
				   name, s->pairs_right, s->pairs, model->pairs_right);
		if (s->n && s->scaled_error <= model->scaled_error)
			query_note(&t->q,
				   "THE %s ALONE COMES AS CLOSE OR CLOSER: scaled error "
				   "%.1f %%, osvec-predict %.1f %%",
				   name, 100 * s->scaled_error, 100 * model->scaled_error);
	}
}

static void note_order(struct trial *t)
{
	size_t n = t->n, orders = 1;

	for (size_t i = 2; i <= n && i < ENOUGH_MACHINES; i++)
		orders *= i;
	if (n == 1)
		query_note(&t->q, "one machine has no order to score");
	else if (n < ENOUGH_MACHINES)
		query_note(&t->q,
			   "%zu machines: an order is exact by chance once in %zu "
			   "(1/M!), which cannot show skill; take %d or more",
			   n, orders, ENOUGH_MACHINES);
	if (n > 1 && !t->score.pairs)
		query_note(&t->q,
			   "no two machines were measured to differ by more than "
			   "%.0f %%: their order shows nothing",
			   100 * trial_apart);
}

static bool is_matched(const struct trial *t, const struct measured_row *row)
{
	for (size_t i = 0; i < t->n; i++)
		if (t->cells[i].measured == row)
			return true;
	return false;
}

/* Machines without measured times, and measured times without a machine. */
static void note_left_out(struct trial *t, const struct measured *measured)
{
	const struct machines *m = &t->q.machines;
	const char *kind = measured_kind_names[t->kind];
	char *without = NULL, *unknown = NULL;

	for (size_t i = 0; i < m->n; i++)
		if (!measured_find(measured, t->q.application->name, m->v[i].label, t->kind))
			answer_join(&without, m->v[i].label);
	for (size_t i = 0; i < measured->n; i++)
		if (measured->v[i].kind == t->kind && !is_matched(t, &measured->v[i]) &&
		    !strcmp(measured->v[i].application, t->q.application->name))
			answer_join(&unknown, measured->v[i].machine);
	if (without)
		query_note(&t->q, "left out, as their %s time was not measured: %s", kind, without);
	if (unknown)
		query_note(&t->q, "measured, but not among the machines: %s", unknown);
	free(without);
	free(unknown);
}

void remarks_make(struct trial *t, const struct measured *measured)
{
	if (t->kind == MEASURED_WALL)
		query_note(&t->q, "wall time is compared with the sum of kernel, user and "
				  "waiting, which is as long only where one thing happens after "
				  "the other");
	if (t->kind == MEASURED_RATE)
		query_note(&t->q, "what clients see holds overlap and queues: only its order is "
				  "compared with the prediction");
	note_order(t);
	note_baselines(t);
	note_left_out(t, measured);
	intervals_note_runs(&t->q);
}

/* The trials that a note is about. */
struct about {
	char *list; /* "redis-set cpu, shell wall" */
	size_t n;
};

void remarks_collect(const struct trials *all, struct query *into)
{
	struct names texts = { 0 };
	VEC(struct about) about = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		struct notes *notes = &all->v[i]->q.notes;

		for (size_t k = 0; k < notes->n; k++) {
			size_t at = names_add(&texts, notes->v[k]);

			if (at == about.n)
				vec_push(&about, (struct about){ 0 });
			answer_join(&about.v[at].list, all->v[i]->name);
			about.v[at].n++;
			free(notes->v[k]);
		}
		vec_free(notes);
	}
	for (size_t i = 0; i < texts.n; i++) {
		const struct about *x = &about.v[i];

		if (x->n == all->n)
			query_note(into, "%s", texts.v[i]);
		else if (x->n <= LISTED)
			query_note(into, "%s (%s)", texts.v[i], x->list);
		else
			query_note(into, "%s (%zu of these %zu)", texts.v[i], x->n, all->n);
		free(x->list);
	}
	vec_free(&about);
	names_free(&texts);
}
