/* SPDX-License-Identifier: MIT */
#include "pairs.h"

#include <math.h>
#include <stdlib.h>

#include "answer.h"
#include "stats/sample.h"
#include "util/vec.h"

void pairs_find(struct trial *t, const struct samples *d, double level)
{
	const struct machine *machines = t->q.machines.v;

	if (t->kind == MEASURED_RATE)
		return;
	t->pairs = xcalloc(t->n * t->n, sizeof(*t->pairs));
	for (const struct cell *a = t->cells; a < t->cells + t->n; a++)
		for (const struct cell *b = t->cells; b < a; b++) {
			enum kind x = a->prediction->kind, y = b->prediction->kind;

			t->pairs[t->npairs++] = (struct pair){
				.kind = x > y ? x : y,
				.measured = a->measured->median / b->measured->median,
				.predicted = samples_ratio(d, (size_t)(a->machine - machines),
							   (size_t)(b->machine - machines), level),
			};
		}
}

struct tally {
	size_t pairs, inside, apart, told, wrong;
	VEC(double) widths;
};

static void add(struct tally *s, const struct pair *p)
{
	const struct samples_interval *in = &p->predicted;
	bool apart = fabs(log(p->measured)) > log1p(trial_apart);

	s->pairs++;
	s->inside += p->measured >= in->low && p->measured <= in->high;
	s->apart += apart;
	s->told += apart && (in->low > 1 || in->high < 1);
	s->wrong += apart && (p->measured > 1 ? in->high < 1 : in->low > 1);
	vec_push(&s->widths, in->high / in->low);
}

/* "9/10" in text, else the share. */
static void put_part(struct table *t, size_t part, size_t of)
{
	char shown[64];

	snprintf(shown, sizeof(shown), "%zu/%zu", part, of);
	table_shown(t, of ? (double)part / (double)of : NAN, shown);
}

static void put_tally(struct table *t, const char *name, struct tally *s)
{
	double *sorted = sample_sorted(s->widths.v, s->widths.n);

	table_text(t, name);
	put_part(t, s->inside, s->pairs);
	answer_percent(t, (double)s->inside / (double)s->pairs);
	table_number(t, sample_quantile(sorted, s->widths.n, 0.5), "x %.2f");
	put_part(t, s->told, s->apart);
	table_count(t, s->wrong);
	free(sorted);
	vec_free(&s->widths);
}

void pairs_print(const struct query *q, const struct trials *all)
{
	static const struct table_column columns[] = {
		{ "pairs with", "kind", true },	 { "inside", "inside_share", false },
		{ "covered", "covered", false }, { "median width", "width", false },
		{ "told apart", "told", false }, { "wrongly", "wrong", false },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(*columns));
	struct tally kinds[KINDS] = { 0 }, sum = { 0 };

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; k < all->v[i]->npairs; k++) {
			const struct pair *p = &all->v[i]->pairs[k];

			add(&kinds[p->kind], p);
			add(&sum, p);
		}
	for (size_t k = 0; k < KINDS; k++)
		if (kinds[k].pairs)
			put_tally(table, kind_names[k], &kinds[k]);
	if (sum.pairs) {
		put_tally(table, "all", &sum);
		answer_say(
		    q, "\nintervals of ratios, by the machine of the pair that is less like the "
		       "reference");
		answer_say(q, "%s", "");
	}
	answer_table(q, "ratios", table, false);
}
