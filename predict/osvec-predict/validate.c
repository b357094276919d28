/* SPDX-License-Identifier: MIT */
/* osvec-predict validate - scores predictions against what was measured, beside naive guesses. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "answer.h"
#include "classes.h"
#include "filed.h"
#include "guesses.h"
#include "level.h"
#include "util/map.h"
#include "util/vec.h"
#include "verdict.h"

static struct query common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *measured, *filed, *sets;
	bool file;
} set;
static struct measured filed;
static struct sets sets;

static const double much = 1.3; /* or less than 1 / much: a ratio whose causes are listed */

enum {
	BLAMED = 3,	     /* entries listed of a machine with such a ratio */
	ENOUGH_MACHINES = 5, /* an exact order by chance: once in 5! = 120 */
	LISTED = 4,	     /* trials that a note names; it counts more of them */
};

static const struct opt options[] = {
	{ 0, "measured", OPT_STRING, &set.measured, "FILE", 0, 0,
	  "what was measured: application, machine, cpu, wall or rate, seconds..." },
	{ 0, "file", OPT_FLAG, &set.file, NULL, 0, 0,
	  "print the predictions as such a table, to be filed before anything is measured" },
	{ 0, "filed", OPT_STRING, &set.filed, "FILE", 0, 0, "score these predictions" },
	{ 0, "sets", OPT_STRING, &set.sets, "FILE", 0, 0,
	  "what the model was made with: application or machine, name, set" },
	{ 'a', "application", OPT_LIST, &common.applications, "FILE", 0, 0,
	  "an application vector; may be repeated" },
	{ 0, "reference", OPT_STRING, &common.reference_path, "MACHINE", 0, 0,
	  "the machine they were recorded on (default: found among MACHINES)" },
	{ 'l', "level", OPT_COUNT, &common.level, "N", 0, 2,
	  "0: as measured; 1: by the reference's measured time; 2: by its system time" },
	{ 0, "vector-state", OPT_FLAG, &common.vector_state, NULL, 0, 0,
	  "times were measured as if each host stayed as fast as it was for its vector" },
	INTERVALS_OPTIONS(intervals),
	QUERY_FORMATS(common),
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict validate",
	"[MACHINE...]",
	"Scores predictions against what applications were measured to take, beside guesses that\n"
	"know nothing of the application.",
	"osvec-predict validate --measured measured.tsv -a redis-set.json -a find.json results/*",
};

/* One row a machine; text has only the first columns. */
/* clang-format off */
static const struct table_column cell_columns[] = {
	{ "machine", "machine", TABLE_NAME }, { "predicted", "predicted", TABLE_RIGHT },
	{ "from", "low", TABLE_RIGHT }, { "to", "high", TABLE_RIGHT },
	{ "rank", "predicted_rank", TABLE_RIGHT },
	{ "measured", "measured", TABLE_RIGHT }, { "from", "measured_low", TABLE_RIGHT },
	{ "to", "measured_high", TABLE_RIGHT }, { "rank", "measured_rank", TABLE_RIGHT },
	{ "ratio", "ratio", TABLE_RIGHT }, { "inside", "inside", TABLE_LEFT },
	{ "reference", "reference", TABLE_LEFT }, { "calibrated", "calibrated", TABLE_LEFT },
	{ "repetitions", "repetitions", TABLE_RIGHT }, { "application", "application", TABLE_LEFT },
	{ "kind", "kind", TABLE_LEFT }, { "file", "file", TABLE_LEFT },
};
/* clang-format on */

static struct table *new_cells(void)
{
	return table_new(cell_columns, query_for_people(&common)
					   ? 11
					   : sizeof(cell_columns) / sizeof(*cell_columns));
}

static bool is_reference(const struct trial *t, const struct cell *c)
{
	return c->machine->vector == t->q.reference;
}

static void put_cells(struct table *table, const struct trial *t)
{
	for (const struct cell *c = t->cells; c < t->cells + t->n; c++) {
		bool marked = query_for_people(&common) && is_reference(t, c);
		char *name = xasprintf("%s%s", c->machine->label, marked ? " *" : "");

		table_text(table, name);
		free(name);
		table_seconds(table, c->predicted);
		table_seconds(table, c->interval.low);
		table_seconds(table, c->interval.high);
		table_count(table, c->predicted_place);
		table_seconds(table, c->measured->median);
		table_seconds(table, c->measured->low);
		table_seconds(table, c->measured->high);
		table_count(table, c->measured_place);
		table_number(table, c->ratio, "%.2f");
		table_text(table, c->tried ? answer_bool(c->inside) : NULL);
		if (query_for_people(&common))
			continue;
		table_text(table, answer_bool(is_reference(t, c)));
		table_text(table, answer_bool(c->prediction->known));
		table_count(table, c->measured->repetitions);
		table_text(table, t->q.application->name);
		table_text(table, measured_kind_names[t->kind]);
		table_text(table, c->machine->vector->path);
	}
}

/* The largest lines of a prediction that is far off; text names the machine once. */
static void put_blame(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct prediction *p = c->prediction;
	const struct prediction_line **order = prediction_largest(p);

	for (size_t i = 0; i < p->nlines && i < BLAMED && order[i]->seconds > 0; i++) {
		bool named = !i || !query_for_people(&common);

		table_text(table, named ? c->machine->label : "");
		if (named)
			table_number(table, c->ratio, "%.2f");
		else
			table_text(table, "");
		table_text(table, answer_line_name(order[i]));
		answer_time(&t->q, table, order[i]->seconds);
		table_percent(table, order[i]->seconds / p->total, "%.1f %%");
	}
	free(order);
}

static void print_blame(const struct trial *t)
{
	static const struct table_column columns[] = {
		{ "machine", "machine", TABLE_NAME },	    { "ratio", "ratio", TABLE_RIGHT },
		{ "largest entries", "entry", TABLE_LEFT }, { "time", "seconds", TABLE_RIGHT },
		{ "share", "share", TABLE_RIGHT },
	};
	struct table *table = table_of(columns);
	bool any = false;

	for (size_t i = 0; i < t->n; i++)
		if (fabs(log(t->cells[i].ratio)) > log(much)) {
			put_blame(table, t, &t->cells[i]);
			any = true;
		}
	if (!any && query_for_people(&common)) {
		table_free(table);
		return;
	}
	answer_say(&t->q,
		   "\nOff by more than %.0f %%.  Totals do not show whether kernel or user "
		   "time is wrong; the largest parts of these predictions:",
		   100 * (much - 1));
	answer_table(&t->q, "off", table, false);
}

static void print_trial(const struct trial *t)
{
	const char *kind = measured_kind_names[t->kind];

	answer_begin(&t->q);
	answer_word(&t->q, "kind", kind);
	intervals_facts(&intervals, &t->q, t->measured_share);
	answer_say(&t->q, "%s: %s time per %s, predicted and measured, level %s",
		   t->q.application->name, t->kind == MEASURED_CPU ? "CPU" : kind, t->q.unit,
		   level_name(&t->q));
	answer_say(&t->q, "%s", "");
	struct table *cells = new_cells();
	put_cells(cells, t);
	answer_table(&t->q, "machines", cells, false);
	for (size_t i = 0; i < t->n; i++)
		if (is_reference(t, &t->cells[i]))
			answer_say(&t->q, "* the reference, on which it was recorded");
	print_blame(t);
	verdict_print(t);
	answer_end(&t->q);
}

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

static void note_trial(struct trial *t, const struct measured *measured)
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

/* Moves the notes of all trials to common, each once and with the trials that it is about. */
static void collect(const struct trials *all)
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
			query_note(&common, "%s", texts.v[i]);
		else if (x->n <= LISTED)
			query_note(&common, "%s (%s)", texts.v[i], x->list);
		else
			query_note(&common, "%s (%zu of these %zu)", texts.v[i], x->n, all->n);
		free(x->list);
	}
	vec_free(&about);
	names_free(&texts);
}

static void add_notes(const struct trials *all, const struct measured *measured)
{
	double low = INFINITY, high = -INFINITY;

	for (size_t i = 0; i < all->n; i++) {
		note_trial(all->v[i], measured);
		low = fmin(low, all->v[i]->measured_share);
		high = fmax(high, all->v[i]->measured_share);
	}
	collect(all);
	common.level = all->n ? all->v[0]->q.level : common.level; /* of the note */
	intervals_note(&intervals, &common, low, high);
}

/* Tries an application by one kind of measured time; adds a note when that is impossible. */
static bool try(struct trials *all, const struct measured *measured, const char *path,
		enum measured_kind kind, struct names *known)
{
	struct trial *t = trial_new(&common, path, measured, kind);
	const char *name = t->q.application->name;
	struct error e;

	names_add(known, name);
	const bool measured_somewhere = t->n;
	if (measured_somewhere && !trial_score(t, &intervals, set.filed ? &filed : NULL, &e)) {
		vec_push(all, t);
		return true;
	}
	if (measured_somewhere)
		query_note(&common, "%s, %s, is left out: %s", name, measured_kind_names[kind],
			   e.text);
	trial_free(t);
	return false;
}

/* A name in the sets that is mistyped is held out, which is to be seen. */
static void note_sets(const struct names *applications)
{
	char *unknown = NULL;

	for (size_t i = 0; i < sets.n; i++) {
		const char *row = sets.v[i].name, *name = strchr(row, ' ') + 1;
		bool found = *row == 'a' && names_find(applications, name) != SIZE_MAX;

		for (size_t k = 0; *row == 'm' && k < common.machines.n; k++)
			found = found || !strcmp(common.machines.v[k].label, name);
		if (!found)
			answer_join(&unknown, row);
	}
	if (unknown)
		query_note(&common, "in --sets, but not given: %s", unknown);
	free(unknown);
}

static void try_all(struct trials *all, const struct measured *measured)
{
	struct names known = { 0 };
	char *unknown = NULL;

	for (size_t i = 0; i < common.applications.n; i++) {
		const char *path = common.applications.v[i];
		size_t before = common.notes.n, names = known.n;
		bool tried = false;

		for (enum measured_kind kind = 0; kind < MEASURED_KINDS; kind++)
			tried |= try(all, measured, path, kind, &known);
		if (known.n == names)
			errx(1, "%s: an application of that name was given before", path);
		if (!tried && common.notes.n == before)
			query_note(&common,
				   "%s is left out: no time of it was measured on "
				   "these machines",
				   path);
	}
	note_sets(&known);
	for (size_t i = 0; i < measured->n; i++) {
		size_t before = known.n;

		if (names_add(&known, measured->v[i].application) == before)
			answer_join(&unknown, measured->v[i].application);
	}
	if (unknown)
		query_note(&common, "measured, but not given with -a: %s", unknown);
	free(unknown);
	names_free(&known);
}

static void print_rows(const struct trials *all)
{
	struct table *cells = new_cells();

	for (size_t i = 0; i < all->n; i++)
		put_cells(cells, all->v[i]);
	answer_table(&common, "machines", cells, true);
}

static void print(const struct trials *all)
{
	if (common.json)
		printf("{\n\"applications\": [\n");
	for (size_t i = 0; i < all->n; i++) {
		if (i)
			printf(common.json ? ",\n" : common.csv ? "" : "\n\n");
		print_trial(all->v[i]);
	}
	if (common.json)
		printf("],\n");
	if (common.csv)
		print_rows(all);
	if (all->n > 1 || common.json) {
		verdict_print_all(&common, all, &sets, &intervals);
		classes_print(&common, all, &sets);
	}
	answer_end(&common);
}

static void parse(int argc, char **argv)
{
	query_parse_many(&common, argc, argv, &usage, options);
	if (!set.measured == !set.file)
		opt_bad_usage(&usage, "give either --measured FILE, what was measured, or --file");
	if (set.file && (set.filed || set.sets || common.json || common.csv))
		opt_bad_usage(&usage, "--file scores and formats nothing");
}

static void file_application(const char *path)
{
	for (enum measured_kind kind = 0; kind < MEASURED_KINDS; kind++) {
		struct trial *t = trial_new(&common, path, NULL, kind);
		struct error e;

		if (trial_score(t, &intervals, NULL, &e))
			errx(1, "%s: %s", path, e.text);
		filed_print(t);
		trial_free(t);
	}
}

int command_validate(int argc, char **argv)
{
	struct measured measured = { 0 };
	struct trials all = { 0 };
	struct error e;

	parse(argc, argv);
	if ((set.measured && measured_read(&measured, set.measured, &e)) ||
	    (set.filed && filed_read(&filed, set.filed, &e)) ||
	    (set.sets && sets_read(&sets, set.sets, &e)))
		errx(1, "%s", e.text);
	query_read_machines(&common);
	if (set.file) {
		for (size_t i = 0; i < common.applications.n; i++)
			file_application(common.applications.v[i]);
		return 0;
	}
	try_all(&all, &measured);
	if (!all.n) {
		for (size_t i = 0; i < common.notes.n; i++)
			warnx("%s", common.notes.v[i]);
		errx(1, "%s: nothing in it could be scored", set.measured);
	}
	guesses_make(&all);
	add_notes(&all, &measured);
	print(&all);
	for (size_t i = 0; i < all.n; i++)
		trial_free(all.v[i]);
	vec_free(&all);
	measured_free(&measured);
	measured_free(&filed);
	sets_free(&sets);
	query_free(&common);
	return 0;
}
