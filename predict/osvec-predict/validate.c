/* SPDX-License-Identifier: MIT */
/* osvec-predict validate - scores predictions against what was measured, beside naive guesses. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "report.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/field.h"
#include "verdict.h"

static struct question common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *truth;
	struct opt_list applications;
} set;

static const double much = 1.3;	/* or little, 1 / that: a ratio that asks for a cause */
enum { BLAMED = 3 };		/* entries listed of a machine with such a ratio */
enum { ENOUGH_MACHINES = 5 };	/* an exact order by chance: once in 5! = 120 */

static const struct opt options[] = {
	{ 't', "truth", OPT_STRING, &set.truth, "FILE", 0, 0,
	  "what was measured: application, machine, cpu or wall, seconds..." },
	{ 'a', "application", OPT_LIST, &set.applications, "FILE", 0, 0,
	  "an application vector; may be repeated" },
	{ 'r', "reference", OPT_STRING, &common.reference_path, "MACHINE", 0, 0,
	  "the machine they were recorded on (default: found among MACHINES)" },
	{ 'l', "level", OPT_COUNT, &common.level, "N", 0, 2,
	  "0: as measured; 1: calibrated by the reference's truth; 2: with its inflation" },
	INTERVALS_OPTIONS(intervals),
	{ 'j', "json", OPT_FLAG, &common.json, NULL, 0, 0, "print JSON" },
	{ 'c', "csv", OPT_FLAG, &common.csv, NULL, 0, 0, "print CSV" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict validate", "[MACHINE...]",
	"Scores predictions against what applications were measured to take, beside guesses that\n"
	"know nothing of the application.",
	"osvec-predict validate -t truth.tsv -a redis-set.json -a find.json results/*",
};

/* "a, b" */
static void join(char **list, const char *word)
{
	char *longer = *list ? xasprintf("%s, %s", *list, word) : xstrdup(word);

	free(*list);
	*list = longer;
}

static void put_time(struct table *t, double seconds)
{
	char shown[NUMBER_MAX];

	table_shown(t, seconds, number_format_duration(shown, seconds));
}

static bool for_people(void)
{
	return question_format(&common) == TABLE_TEXT;
}

/* Machine by machine; the first columns are of all dresses, the others only for programs. */
static const struct table_column cell_columns[] = {
	{ "machine", "machine", true }, { "predicted", "predicted", false },
	{ "from", "low", false }, { "to", "high", false }, { "rank", "predicted_rank", false },
	{ "measured", "measured", false }, { "from", "measured_low", false },
	{ "to", "measured_high", false }, { "rank", "measured_rank", false },
	{ "ratio", "ratio", false }, { "inside", "inside", true },
	{ "reference", "reference", true }, { "calibrated", "calibrated", true },
	{ "repetitions", "repetitions", false }, { "application", "application", true },
	{ "kind", "kind", true }, { "file", "file", true },
};

static struct table *new_cells(void)
{
	return table_new(cell_columns,
			 for_people() ? 11 : sizeof(cell_columns) / sizeof(*cell_columns));
}

static bool is_reference(const struct trial *t, const struct cell *c)
{
	return t->q.machines.v[c->machine].vector == t->q.reference;
}

static void put_cell(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct machine *m = &t->q.machines.v[c->machine];
	char *marked = xasprintf("%s%s", m->label, for_people() && is_reference(t, c) ? " *" : "");

	table_text(table, marked);
	free(marked);
	put_time(table, c->predicted);
	put_time(table, c->interval.low);
	put_time(table, c->interval.high);
	table_count(table, c->predicted_place);
	put_time(table, c->truth->median);
	put_time(table, c->truth->low);
	put_time(table, c->truth->high);
	table_count(table, c->measured_place);
	table_number(table, trial_ratio(c), "%.2f");
	table_text(table, trial_known(t, c) ? NULL : trial_inside(c) ? "yes" : "no");
	if (for_people())
		return;
	verdict_put_answer(table, is_reference(t, c));
	verdict_put_answer(table, trial_known(t, c));
	table_count(table, c->truth->repetitions);
	table_text(table, t->q.application->name);
	table_text(table, truth_kind_name(t->kind));
	table_text(table, m->vector->path);
}

static void put_cells(struct table *table, const struct trial *t)
{
	for (size_t i = 0; i < t->n; i++)
		put_cell(table, t, &t->cells[i]);
}

static bool is_off(const struct cell *c)
{
	return fabs(log(trial_ratio(c))) > log(much);
}

static int by_seconds(const void *a, const void *b)
{
	const struct prediction_line *x = *(const struct prediction_line *const *)a;
	const struct prediction_line *y = *(const struct prediction_line *const *)b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The largest lines of a prediction that is far off. */
static void put_blame(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct prediction *p = t->q.predictions[c->machine];
	const struct prediction_line **order = xcalloc(p->nlines, sizeof(*order));

	for (size_t i = 0; i < p->nlines; i++)
		order[i] = &p->lines[i];
	qsort(order, p->nlines, sizeof(*order), by_seconds);
	for (size_t i = 0; i < p->nlines && i < BLAMED && order[i]->seconds > 0; i++) {
		table_text(table, t->q.machines.v[c->machine].label);
		table_number(table, trial_ratio(c), "%.2f");
		table_text(table, report_line_name(order[i]));
		put_time(table, question_time(&t->q, order[i]->seconds));
		verdict_put_percent(table, order[i]->seconds / p->total);
	}
	free(order);
}

static void print_blame(const struct trial *t)
{
	static const struct table_column columns[] = {
		{ "machine", "machine", true }, { "ratio", "ratio", false },
		{ "largest entries", "entry", true }, { "time", "seconds", false },
		{ "share", "share", false },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(*columns));
	size_t off = 0;

	for (size_t i = 0; i < t->n; i++)
		if (is_off(&t->cells[i])) {
			put_blame(table, t, &t->cells[i]);
			off++;
		}
	if (!off && for_people()) {
		table_free(table);
		return;
	}
	report_say(&t->q, "\nOff by more than %.0f %%.  Totals do not tell whether kernel or user "
		   "time is to blame; most of these predictions is:", 100 * (much - 1));
	report_table(&t->q, "off", table, false);
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
			question_note(&t->q, "THE %s ALONE ORDERS AS WELL OR BETTER: %zu of %zu "
				      "pairs, osvec-predict %zu", baseline_name(b),
				      s->pairs_right, s->pairs, model->pairs_right);
		if (s->n && s->scaled_error <= model->scaled_error)
			question_note(&t->q, "THE %s ALONE COMES AS CLOSE OR CLOSER: scaled error "
				      "%.1f %%, osvec-predict %.1f %%", baseline_name(b),
				      100 * s->scaled_error, 100 * model->scaled_error);
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
		question_note(&t->q, "%zu machines: an order is exact by chance once in %zu "
			      "(1/M!), which cannot show skill; take %d or more", n, orders,
			      ENOUGH_MACHINES);
	if (n > 1 && !t->verdict.score.pairs)
		question_note(&t->q, "no two machines were measured to differ by more than "
			      "%.0f %%: their order says nothing", 100 * trial_apart);
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

static void print_trial(struct trial *t, const struct truth *truth)
{
	const char *kind = truth_kind_name(t->kind);

	if (t->kind == TRUTH_WALL)
		question_note(&t->q, "wall time is compared with the sum of kernel, user and "
			      "waiting, which is as long only where one thing happens after "
			      "the other");
	note_order(t);
	note_baselines(t);
	note_left_out(t, truth);
	report_begin(&t->q);
	report_fact(&t->q, "kind", json_text(kind));
	intervals_facts(&intervals, &t->q, t->measured_share);
	report_say(&t->q, "%s: %s time per %s, predicted and measured, level %s",
		   t->q.application->name, t->kind == TRUTH_CPU ? "CPU" : kind, t->q.unit,
		   question_level(&t->q));
	report_say(&t->q, "%s", "");
	struct table *cells = new_cells();
	put_cells(cells, t);
	report_table(&t->q, "machines", cells, false);
	for (size_t i = 0; i < t->n; i++)
		if (is_reference(t, &t->cells[i]))
			report_say(&t->q, "* the reference, on which it was recorded");
	print_blame(t);
	verdict_print(t);
	report_end(&t->q);
}

/* Rows about applications that are not given. */
static void note_unknown(const struct truth *truth, const struct names *known)
{
	struct names unknown = { 0 };
	char *list = NULL;

	for (size_t i = 0; i < truth->n; i++) {
		const char *name = truth->v[i].application;

		if (names_find(known, name) == SIZE_MAX && names_find(&unknown, name) == SIZE_MAX)
			names_add(&unknown, name);
	}
	for (size_t i = 0; i < unknown.n; i++)
		join(&list, unknown.v[i]);
	if (list)
		question_note(&common, "left out of the truth, as no application given with -a: %s",
			      list);
	free(list);
	names_free(&unknown);
}

/* Tries an application by one kind of truth; why not is noted. */
static bool try(struct trials *all, const struct truth *truth, const char *path,
		enum truth_kind kind, struct names *known)
{
	struct trial *t = trial_new(&common, path, kind);
	const char *name = t->q.application->name;
	struct error e;

	names_add(known, name);
	if (!trial_match(t, truth)) {
		trial_free(t);
		return false;
	}
	if (trial_score(t, &intervals, &e)) {
		question_note(&common, "%s, %s, is left out: %s", name, truth_kind_name(kind),
			      e.text);
		trial_free(t);
		return false;
	}
	vec_push(all, t);
	return true;
}

static void try_all(struct trials *all, const struct truth *truth)
{
	struct names known = { 0 };

	for (size_t i = 0; i < set.applications.n; i++) {
		const char *path = set.applications.v[i];
		size_t before = common.notes.n;
		bool tried = false;

		for (enum truth_kind kind = 0; kind < TRUTH_KINDS; kind++)
			tried |= try(all, truth, path, kind, &known);
		if (!tried && common.notes.n == before)
			question_note(&common, "%s is left out: the truth has no time of it on "
				      "these machines", path);
	}
	note_unknown(truth, &known);
	names_free(&known);
}

static void print_rows(const struct trials *all)
{
	struct table *cells = new_cells();

	for (size_t i = 0; i < all->n; i++)
		put_cells(cells, all->v[i]);
	report_table(&common, "machines", cells, true);
}

static void print(const struct trials *all, const struct truth *truth)
{
	if (common.json)
		printf("{\n\"applications\": [\n");
	for (size_t i = 0; i < all->n; i++) {
		if (i)
			printf(common.json ? ",\n" : common.csv ? "" : "\n\n");
		print_trial(all->v[i], truth);
	}
	if (common.json)
		printf("],\n");
	if (common.csv)
		print_rows(all);
	if (all->n > 1 || common.json)
		verdict_print_all(&common, all);
	report_end(&common);
}

static void parse(int argc, char **argv)
{
	struct opt_list *machines = &common.operands;

	for (int i = opt_parse_mixed(argc, argv, &usage, options, NULL); i < argc; i++)
		vec_push(machines, argv[i]);
	if (!set.truth)
		opt_bad_usage(&usage, "no truth: give -t FILE");
	if (!set.applications.n)
		opt_bad_usage(&usage, "no application: give -a FILE");
	if (common.json && common.csv)
		opt_bad_usage(&usage, "--json or --csv, not both");
}

int command_validate(int argc, char **argv)
{
	struct truth truth = { 0 };
	struct trials all = { 0 };
	struct error e;

	parse(argc, argv);
	if (truth_read(&truth, set.truth, &e) ||
	    machines_read(&common.machines, common.operands.v, common.operands.n, true, &e))
		errx(1, "%s", e.text);
	try_all(&all, &truth);
	if (!all.n) {
		for (size_t i = 0; i < common.notes.n; i++)
			warnx("%s", common.notes.v[i]);
		errx(1, "%s: nothing in it could be scored", set.truth);
	}
	print(&all, &truth);
	for (size_t i = 0; i < all.n; i++)
		trial_free(all.v[i]);
	vec_free(&all);
	vec_free(&set.applications);
	truth_free(&truth);
	question_free(&common);
	return 0;
}
