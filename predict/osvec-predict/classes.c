/* SPDX-License-Identifier: MIT */
#include "classes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "ranksets.h"
#include "stats/sample.h"
#include "util/vec.h"

/* Cells that are scored together: all that pass each condition which is set. */
struct group {
	const char *name;
	enum set set;	/* SETS: any */
	enum kind kind; /* KINDS: any */
	bool without_translated;
	bool only_other_processors; /* than that of the reference, not emulated */
};

/* Where the values of a class's trial come from: the model, or a guess. */
enum { BY_MODEL = -1 };

struct tally {
	VEC(double) error; /* |ratio - 1| */
	VEC(double) width; /* upper over lower bound of the ratio of two machines */
	VEC(double) model; /* share of the model in the variance of its logarithm, ... */
	VEC(double) hosts, measured;
	double within, within_n, scaled, tau, taus, loss, worst_loss;
	size_t inside, tried, pairs, pairs_right, orders;
	size_t ratios, ratios_inside, apart, told, wrong;
	struct ranksets sets;
};

static bool belongs(const struct group *group, const struct sets *sets, const struct trial *t,
		    const struct cell *c)
{
	const enum kind kind = c->prediction->kind;

	if (c->machine->vector == t->q.reference)
		return true;
	return (group->set == SETS ||
		sets_find(sets, t->q.application->name, c->machine->label) == group->set) &&
	       (group->kind == KINDS || kind == group->kind) &&
	       (!group->without_translated || kind != KIND_TRANSLATED) &&
	       (!group->only_other_processors ||
		(kind == KIND_NATIVE &&
		 osvec_is_other_processor(c->machine->vector, t->q.reference)));
}

static double value_of(const struct trial *t, size_t i, int by)
{
	return by == BY_MODEL ? t->cells[i].predicted : t->guesses[by].value[i];
}

/* Errors: of the time itself, or, as guesses know no time, of that relative to the reference. */
static void add_errors(struct tally *s, const struct trial *t, const bool *in, int by,
		       bool relative)
{
	double base = 1, sum = 0, squares = 0, n = 0;

	for (size_t i = 0; relative && i < t->n; i++)
		if (&t->cells[i] == trial_reference(t))
			base = value_of(t, i, by) / t->cells[i].measured->median;
	for (size_t i = 0; i < t->n; i++) {
		const struct cell *c = &t->cells[i];
		const double ratio = value_of(t, i, by) / c->measured->median / base;

		if (!in[i] || c == trial_reference(t) || !isfinite(ratio))
			continue;
		vec_push(&s->error, fabs(ratio - 1));
		sum += log(ratio);
		squares += log(ratio) * log(ratio);
		n++;
		s->tried += c->tried;
		s->inside += c->inside;
	}
	if (n > 1) {
		s->within += fmax(0, squares - sum * sum / n);
		s->within_n += n - 1;
	}
}

static void add_order(struct tally *s, const struct trial *t, const bool *in, int by)
{
	double *predicted = xcalloc(2 * t->n, sizeof(*predicted)), *measured = predicted + t->n;
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++) {
		predicted[n] = value_of(t, i, by);
		measured[n] = t->cells[i].measured->median;
		n += in[i] && isfinite(predicted[n]);
	}
	if (n > 1) {
		const struct score x = score(predicted, measured, n, trial_apart);

		s->pairs += x.pairs;
		s->pairs_right += x.pairs_right;
		s->scaled = fmax(s->scaled, x.scaled_error);
		s->loss += x.deficiency;
		s->worst_loss = fmax(s->worst_loss, x.deficiency);
		s->orders++;
		if (!isnan(x.tau_b)) {
			s->tau += x.tau_b;
			s->taus++;
		}
	}
	free(predicted);
}

static bool differs(const struct pair *p)
{
	return fabs(log(p->measured)) > log1p(trial_apart);
}

static bool is_told_wrongly(const struct pair *p)
{
	return differs(p) && (p->measured > 1 ? p->predicted.high < 1 : p->predicted.low > 1);
}

static void add_doubt(struct tally *s, const struct next_parts *doubt)
{
	const double all = doubt->measured + doubt->model + doubt->hosts;

	if (!(all > 0))
		return;
	vec_push(&s->model, doubt->model / all);
	vec_push(&s->hosts, doubt->hosts / all);
	vec_push(&s->measured, doubt->measured / all);
}

/* The intervals of ratios: what they hold, and which pairs they tell apart.  A pair of different
 * kinds is of the one that is less like the reference. */
static void add_pairs(struct tally *s, const struct trial *t, const bool *in, enum kind kind)
{
	for (size_t i = 0; i < t->npairs; i++) {
		const struct pair *p = &t->pairs[i];
		const struct samples_interval *is = &p->predicted;
		const bool apart = differs(p);

		if (kind != KINDS ? trial_pair_kind(p) != kind
				  : !in[p->a - t->cells] || !in[p->b - t->cells])
			continue;
		s->ratios++;
		s->ratios_inside += p->measured >= is->low && p->measured <= is->high;
		vec_push(&s->width, is->high / is->low);
		s->apart += apart;
		s->told += apart && (is->low > 1 || is->high < 1);
		s->wrong += is_told_wrongly(p);
		add_doubt(s, &p->doubt);
	}
}

static struct tally add_up(const struct trials *all, const struct sets *sets,
			   const struct group *group, int by, bool relative)
{
	struct tally s = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct trial *t = all->v[i];
		bool *in = xcalloc(t->n, sizeof(*in));
		const size_t before = s.error.n;

		for (size_t k = 0; k < t->n; k++)
			in[k] = belongs(group, sets, t, &t->cells[k]);
		if (trial_counts(all, t))
			add_errors(&s, t, in, by, relative);
		if (s.error.n > before) {
			add_order(&s, t, in, by);
			if (!relative) {
				add_pairs(&s, t, in, group->kind);
				ranksets_add(&s.sets, t, in);
			}
		}
		free(in);
	}
	return s;
}

static double quantile(const double *v, size_t n, double p)
{
	double *sorted = sample_sorted(v, n);
	const double x = n ? sample_quantile(sorted, n, p) : NAN;

	free(sorted);
	return x;
}

static void tally_free(struct tally *s)
{
	vec_free(&s->error);
	vec_free(&s->width);
	vec_free(&s->model);
	vec_free(&s->hosts);
	vec_free(&s->measured);
}

static double share(size_t part, size_t of)
{
	return of ? (double)part / (double)of : NAN;
}

static void put_tally(struct table *table, const char *name, const struct tally *s)
{
	table_text(table, name);
	table_count(table, s->error.n);
	table_percent(table, quantile(s->error.v, s->error.n, 0.5), "%.1f %%");
	table_percent(table, sample_mean(s->error.v, s->error.n), "%.1f %%");
	table_number(table, sqrt(s->within / s->within_n), "%.3f");
	table_percent(table, s->scaled, "%.1f %%");
	table_number(table, s->tau / s->taus, "%.2f");
	table_percent(table, share(s->pairs_right, s->pairs), "%.1f %%");
	table_percent(table, s->loss / (double)s->orders, "%.1f %%");
	table_percent(table, s->worst_loss, "%.1f %%");
}

/* clang-format off */
#define SCORE_COLUMNS(first, key) \
	{ first, key, TABLE_NAME }, { "cells", "cells", TABLE_RIGHT }, \
	{ "error", "median_error", TABLE_RIGHT }, { "mean", "mean_error", TABLE_RIGHT }, \
	{ "log SD", "within_log_sd", TABLE_RIGHT }, { "scaled", "scaled_error", TABLE_RIGHT }, \
	{ "tau-b", "tau_b", TABLE_RIGHT }, { "pairs", "pairs_share", TABLE_RIGHT }, \
	{ "loss", "mean_deficiency", TABLE_RIGHT }, \
	{ "worst", "worst_deficiency", TABLE_RIGHT }
/* clang-format on */

/* After a blank line; text without rows is left out. */
static void print_table(const struct query *q, const char *key, struct table *table, size_t rows)
{
	if (rows)
		answer_say(q, "%s", "");
	if (rows || q->json)
		answer_table(q, key, table, false);
	else
		table_free(table);
}

static void print_guesses(const struct query *q, const struct trials *all, const struct sets *sets)
{
	static const struct table_column columns[] = { SCORE_COLUMNS("relative to the reference",
								     "by") };
	static const struct group any = { "all", SETS, KINDS, false, false };
	struct table *table = table_of(columns);

	for (int by = BY_MODEL; by < GUESSES; by++) {
		struct tally s = add_up(all, sets, &any, by, true);

		if (s.error.n)
			put_tally(table,
				  by == BY_MODEL ? "osvec-predict" : all->v[0]->guesses[by].name,
				  &s);
		tally_free(&s);
	}
	print_table(q, "guesses", table, 1);
}

/* Each machine but the reference in turn as the one where the time is known: the median of the
 * errors elsewhere.
 */
static void print_rotated(const struct query *q, const struct trials *all)
{
	VEC(double) errors = { 0 };
	const char *worst = NULL;
	double most = 0;

	for (size_t m = 0; m < q->machines.n; m++) {
		VEC(double) error = { 0 };

		for (size_t i = 0; i < all->n; i++) {
			const struct trial *t = all->v[i];
			const struct cell *base = NULL;

			for (size_t k = 0; trial_counts(all, t) && k < t->n; k++)
				if (t->cells[k].machine == &q->machines.v[m] &&
				    &t->cells[k] != trial_reference(t))
					base = &t->cells[k];
			for (size_t k = 0; base && k < t->n; k++)
				if (&t->cells[k] != base)
					vec_push(&error, fabs(t->cells[k].ratio / base->ratio - 1));
		}
		if (error.n) {
			const double median = quantile(error.v, error.n, 0.5);

			vec_push(&errors, median);
			if (median > most) {
				most = median;
				worst = q->machines.v[m].label;
			}
		}
		vec_free(&error);
	}
	answer_number(q, "other_known_error", quantile(errors.v, errors.n, 0.5));
	answer_number(q, "rotated_worst_error", most);
	if (worst)
		answer_say(q,
			   "\nif the time on another machine were the known one: error %.1f %% in "
			   "the median, %.1f %% at most (%s)",
			   100 * quantile(errors.v, errors.n, 0.5), 100 * most, worst);
	vec_free(&errors);
}

/* Of the classes: scores, intervals, rank sets, and what makes intervals wide. */
struct tables {
	struct table *scores, *ratios, *sets, *doubts;
	size_t drawn; /* rows of the last two, which predictions that were filed do not have */
};

static void put_sets(struct table *table, const char *name, const struct ranksets *s)
{
	table_text(table, name);
	answer_share(table, s->inside, s->machines);
	answer_share(table, s->all_inside, s->applications);
	answer_share(table, s->told, s->slower);
	table_count(table, s->fastest_left_out);
	answer_share(table, s->losses_inside, s->applications);
}

static void put_median(struct table *table, const double *shares, size_t n)
{
	table_percent(table, quantile(shares, n, 0.5), "%.0f %%");
}

/* The number of its cells; a class of none, or of as many as that, is not printed. */
static size_t print_class(struct tables *to, const struct trials *all, const struct sets *sets,
			  const struct group *group, size_t known)
{
	struct table *const ratios = to->ratios, *const doubts = to->doubts;
	struct tally s = add_up(all, sets, group, BY_MODEL, false);
	const size_t n = s.error.n;

	if (n && n != known) {
		put_tally(to->scores, group->name, &s);
		table_text(ratios, group->name);
		answer_share(ratios, s.inside, s.tried);
		answer_share(ratios, s.ratios_inside, s.ratios);
		table_number(ratios, quantile(s.width.v, s.width.n, 0.5), "%.2f");
		answer_share(ratios, s.told, s.apart);
		table_count(ratios, s.wrong);
		if (s.model.n) {
			to->drawn++;
			put_sets(to->sets, group->name, &s.sets);
			table_text(doubts, group->name);
			put_median(doubts, s.model.v, s.model.n);
			put_median(doubts, s.hosts.v, s.hosts.n);
			put_median(doubts, s.measured.v, s.measured.n);
		}
	}
	tally_free(&s);
	return n;
}

/* The cells of a set, and of these, where there are others, those that are not translated. */
static void print_set(struct tables *to, const struct trials *all, const struct sets *sets,
		      enum set set)
{
	char *name = xasprintf("%s, not translated", set_names[set]);
	struct group group = { set_names[set], set, KINDS, false, false };
	const size_t n = print_class(to, all, sets, &group, 0);

	group = (struct group){ name, set, KINDS, true, false };
	print_class(to, all, sets, &group, n);
	free(name);
}

/* The pairs that intervals put in the wrong order. */
static void print_wrong(const struct query *q, const struct trials *all)
{
	static const struct table_column columns[] = {
		{ "in the wrong order", "application", TABLE_NAME },
		{ "time on", "machine", TABLE_LEFT },
		{ "to that on", "other", TABLE_LEFT },
		{ "low", "low", TABLE_RIGHT },
		{ "predicted", "ratio", TABLE_RIGHT },
		{ "high", "high", TABLE_RIGHT },
		{ "measured", "measured", TABLE_RIGHT },
	};
	struct table *table = table_of(columns);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		for (size_t k = 0; trial_counts(all, all->v[i]) && k < all->v[i]->npairs; k++) {
			const struct pair *p = &all->v[i]->pairs[k];

			if (!is_told_wrongly(p))
				continue;
			table_text(table, all->v[i]->name);
			table_text(table, p->a->machine->label);
			table_text(table, p->b->machine->label);
			table_number(table, p->predicted.low, "%.2f");
			table_number(table, p->predicted.median, "%.2f");
			table_number(table, p->predicted.high, "%.2f");
			table_number(table, p->measured, "%.2f");
			n++;
		}
	print_table(q, "told_wrongly", table, n);
}

void classes_print(const struct query *q, const struct trials *all, const struct sets *sets)
{
	static const struct table_column score_columns[] = { SCORE_COLUMNS("class", "class") };
	static const struct table_column ratio_columns[] = {
		{ "intervals", "class", TABLE_NAME },
		{ "times inside", "inside", TABLE_RIGHT },
		{ "ratios inside", "ratios_inside", TABLE_RIGHT },
		{ "width", "ratio_width", TABLE_RIGHT },
		{ "told apart", "told_apart", TABLE_RIGHT },
		{ "wrongly", "told_wrongly", TABLE_RIGHT },
	};
	static const struct table_column set_columns[] = {
		{ "rank sets", "class", TABLE_NAME },
		{ "ranks inside", "ranks_inside", TABLE_RIGHT },
		{ "all inside", "applications_inside", TABLE_RIGHT },
		{ "not first", "not_first", TABLE_RIGHT },
		{ "wrongly", "not_first_wrongly", TABLE_RIGHT },
		{ "loss inside", "loss_inside", TABLE_RIGHT },
	};
	static const struct table_column doubt_columns[] = {
		{ "doubt in a ratio", "class", TABLE_NAME },
		{ "model", "model_share", TABLE_RIGHT },
		{ "hosts", "hosts_share", TABLE_RIGHT },
		{ "measured", "measured_share", TABLE_RIGHT },
	};
	struct tables to = { table_of(score_columns), table_of(ratio_columns),
			     table_of(set_columns), table_of(doubt_columns), 0 };
	struct group group = { "all", SETS, KINDS, false, false };

	print_class(&to, all, sets, &group, 0);
	group = (struct group){ "not translated", SETS, KINDS, true, false };
	print_class(&to, all, sets, &group, 0);
	group = (struct group){ "other processors", SETS, KINDS, false, true };
	print_class(&to, all, sets, &group, 0);
	for (enum set set = 0; set < SETS && sets->n; set++)
		print_set(&to, all, sets, set);
	for (enum kind kind = KIND_NATIVE; kind < KINDS; kind++) {
		group = (struct group){ kind_names[kind], SETS, kind, false, false };
		print_class(&to, all, sets, &group, 0);
	}
	print_table(q, "classes", to.scores, 1);
	print_table(q, "class_intervals", to.ratios, 1);
	print_table(q, "class_rank_sets", to.sets, to.drawn);
	print_table(q, "class_doubts", to.doubts, to.drawn);
	print_wrong(q, all);
	print_guesses(q, all, sets);
	print_rotated(q, all);
}
