/* SPDX-License-Identifier: MIT */
/* osvec-predict validate - scores predictions against what was measured, beside naive guesses. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "remarks.h"
#include "report.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/json.h"
#include "verdict.h"

static struct question common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *truth;
	struct opt_list applications;
} set;

static const double much = 1.3; /* or little, 1 / that: a ratio that asks for a cause */
enum { BLAMED = 3 };		/* entries listed of a machine with such a ratio */

static const struct opt options[] = {
	{ 't', "truth", OPT_STRING, &set.truth, "FILE", 0, 0,
	  "what was measured: application, machine, cpu, wall or rate, seconds..." },
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
	"osvec-predict validate",
	"[MACHINE...]",
	"Scores predictions against what applications were measured to take, beside guesses that\n"
	"know nothing of the application.",
	"osvec-predict validate -t truth.tsv -a redis-set.json -a find.json results/*",
};

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
/* clang-format off */
static const struct table_column cell_columns[] = {
	{ "machine", "machine", TABLE_NAME }, { "predicted", "predicted", false },
	{ "from", "low", false }, { "to", "high", false }, { "rank", "predicted_rank", false },
	{ "measured", "measured", false }, { "from", "measured_low", false },
	{ "to", "measured_high", false }, { "rank", "measured_rank", false },
	{ "ratio", "ratio", false }, { "inside", "inside", true },
	{ "reference", "reference", true }, { "calibrated", "calibrated", true },
	{ "repetitions", "repetitions", false }, { "application", "application", true },
	{ "kind", "kind", true }, { "file", "file", true },
};
/* clang-format on */

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
	table_number(table, trial_compares(t) ? trial_ratio(c) : NAN, "%.2f");
	table_text(table, !trial_tried(t, c) ? NULL : trial_inside(c) ? "yes" : "no");
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

static bool is_off(const struct trial *t, const struct cell *c)
{
	return trial_compares(t) && fabs(log(trial_ratio(c))) > log(much);
}

static int by_seconds(const void *a, const void *b)
{
	const struct prediction_line *x = *(const struct prediction_line *const *)a;
	const struct prediction_line *y = *(const struct prediction_line *const *)b;

	return (x->seconds < y->seconds) - (x->seconds > y->seconds);
}

/* The largest lines of a prediction that is far off; people read its name once. */
static void put_blame(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct prediction *p = t->q.predictions[c->machine];
	const struct prediction_line **order = xcalloc(p->nlines, sizeof(*order));

	for (size_t i = 0; i < p->nlines; i++)
		order[i] = &p->lines[i];
	qsort(order, p->nlines, sizeof(*order), by_seconds);
	for (size_t i = 0; i < p->nlines && i < BLAMED && order[i]->seconds > 0; i++) {
		bool named = !i || !for_people();

		table_text(table, named ? t->q.machines.v[c->machine].label : "");
		if (named)
			table_number(table, trial_ratio(c), "%.2f");
		else
			table_text(table, "");
		table_text(table, report_line_name(order[i]));
		put_time(table, question_time(&t->q, order[i]->seconds));
		verdict_put_percent(table, order[i]->seconds / p->total);
	}
	free(order);
}

static void print_blame(const struct trial *t)
{
	static const struct table_column columns[] = {
		{ "machine", "machine", TABLE_NAME }, { "ratio", "ratio", false },
		{ "largest entries", "entry", true }, { "time", "seconds", false },
		{ "share", "share", false },
	};
	struct table *table = table_new(columns, sizeof(columns) / sizeof(*columns));
	size_t off = 0;

	for (size_t i = 0; i < t->n; i++)
		if (is_off(t, &t->cells[i])) {
			put_blame(table, t, &t->cells[i]);
			off++;
		}
	if (!off && for_people()) {
		table_free(table);
		return;
	}
	report_say(&t->q,
		   "\nOff by more than %.0f %%.  Totals do not tell whether kernel or user "
		   "time is to blame; most of these predictions is:",
		   100 * (much - 1));
	report_table(&t->q, "off", table, false);
}

static void print_trial(const struct trial *t)
{
	const char *kind = truth_kind_name(t->kind);

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
			question_note(&common,
				      "%s is left out: the truth has no time of it on "
				      "these machines",
				      path);
	}
	remarks_unknown(truth, &known, &common);
	names_free(&known);
}

static void print_rows(const struct trials *all)
{
	struct table *cells = new_cells();

	for (size_t i = 0; i < all->n; i++)
		put_cells(cells, all->v[i]);
	report_table(&common, "machines", cells, true);
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
		const struct model_error used = intervals_model_error(&intervals);

		verdict_print_all(&common, all, &used);
	}
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
	    machines_read(&common.machines, common.operands.v, common.operands.n, &e))
		errx(1, "%s", e.text);
	try_all(&all, &truth);
	if (!all.n) {
		for (size_t i = 0; i < common.notes.n; i++)
			warnx("%s", common.notes.v[i]);
		errx(1, "%s: nothing in it could be scored", set.truth);
	}
	remarks_note(&all, &truth, &intervals, &common);
	print(&all);
	for (size_t i = 0; i < all.n; i++)
		trial_free(all.v[i]);
	vec_free(&all);
	vec_free(&set.applications);
	truth_free(&truth);
	question_free(&common);
	return 0;
}
