/* SPDX-License-Identifier: MIT */
/* osvec-predict validate - scores predictions against what was measured, beside naive guesses. */
#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "notes.h"
#include "report.h"
#include "util/number.h"
#include "util/vec.h"
#include "vector/json.h"
#include "verdict.h"

static struct query common;
static struct intervals intervals = INTERVALS_DEFAULT;
static struct {
	const char *measured;
	struct opt_list applications;
} set;

static const double much = 1.3; /* or less than 1 / much: a ratio whose causes are listed */
enum { BLAMED = 3 };		/* entries listed of a machine with such a ratio */

static const struct opt options[] = {
	{ 0, "measured", OPT_STRING, &set.measured, "FILE", 0, 0,
	  "what was measured: application, machine, cpu, wall or rate, seconds..." },
	{ 'a', "application", OPT_LIST, &set.applications, "FILE", 0, 0,
	  "an application vector; may be repeated" },
	{ 0, "reference", OPT_STRING, &common.reference_path, "MACHINE", 0, 0,
	  "the machine they were recorded on (default: found among MACHINES)" },
	{ 'l', "level", OPT_COUNT, &common.level, "N", 0, 2,
	  "0: as measured; 1: calibrated by the reference's measured time; 2: with its inflation" },
	INTERVALS_OPTIONS(intervals),
	{ 'j', "json", OPT_FLAG, &common.json, NULL, 0, 0, "print JSON" },
	{ 0, "csv", OPT_FLAG, &common.csv, NULL, 0, 0, "print CSV" },
	{ 0 },
};

static const struct opt_usage usage = {
	"osvec-predict validate",
	"[MACHINE...]",
	"Scores predictions against what applications were measured to take, beside guesses that\n"
	"know nothing of the application.",
	"osvec-predict validate --measured measured.tsv -a redis-set.json -a find.json results/*",
};

static void put_time(struct table *t, double seconds)
{
	char shown[NUMBER_MAX];

	table_shown(t, seconds, number_format_duration(shown, seconds));
}

static bool for_people(void)
{
	return query_format(&common) == TABLE_TEXT;
}

/* One row a machine; text has only the first columns. */
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
	put_time(table, c->measured->median);
	put_time(table, c->measured->low);
	put_time(table, c->measured->high);
	table_count(table, c->measured_place);
	table_number(table, trial_compares(t) ? trial_ratio(c) : NAN, "%.2f");
	table_text(table, !trial_tried(t, c) ? NULL : trial_inside(c) ? "yes" : "no");
	if (for_people())
		return;
	verdict_put_answer(table, is_reference(t, c));
	verdict_put_answer(table, trial_known(t, c));
	table_count(table, c->measured->repetitions);
	table_text(table, t->q.application->name);
	table_text(table, measured_kind_name(t->kind));
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

/* The largest lines of a prediction that is far off; text names the machine once. */
static void put_blame(struct table *table, const struct trial *t, const struct cell *c)
{
	const struct prediction *p = t->q.predictions[c->machine];
	const struct prediction_line **order = prediction_largest(p);

	for (size_t i = 0; i < p->nlines && i < BLAMED && order[i]->seconds > 0; i++) {
		bool named = !i || !for_people();

		table_text(table, named ? t->q.machines.v[c->machine].label : "");
		if (named)
			table_number(table, trial_ratio(c), "%.2f");
		else
			table_text(table, "");
		table_text(table, report_line_name(order[i]));
		put_time(table, query_time(&t->q, order[i]->seconds));
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
		   "\nOff by more than %.0f %%.  Totals do not show whether kernel or user "
		   "time is wrong; the largest parts of these predictions:",
		   100 * (much - 1));
	report_table(&t->q, "off", table, false);
}

static void print_trial(const struct trial *t)
{
	const char *kind = measured_kind_name(t->kind);

	report_begin(&t->q);
	report_fact(&t->q, "kind", json_text(kind));
	intervals_facts(&intervals, &t->q, t->measured_share);
	report_say(&t->q, "%s: %s time per %s, predicted and measured, level %s",
		   t->q.application->name, t->kind == MEASURED_CPU ? "CPU" : kind, t->q.unit,
		   query_level(&t->q));
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

/* Tries an application by one kind of measured time; adds a note when that is impossible. */
static bool try(struct trials *all, const struct measured *measured, const char *path,
		enum measured_kind kind, struct names *known)
{
	struct trial *t = trial_new(&common, path, kind);
	const char *name = t->q.application->name;
	struct error e;

	names_add(known, name);
	if (!trial_match(t, measured)) {
		trial_free(t);
		return false;
	}
	if (trial_score(t, &intervals, &e)) {
		query_note(&common, "%s, %s, is left out: %s", name, measured_kind_name(kind),
			   e.text);
		trial_free(t);
		return false;
	}
	vec_push(all, t);
	return true;
}

static void try_all(struct trials *all, const struct measured *measured)
{
	struct names known = { 0 };

	for (size_t i = 0; i < set.applications.n; i++) {
		const char *path = set.applications.v[i];
		size_t before = common.notes.n;
		bool tried = false;

		for (enum measured_kind kind = 0; kind < MEASURED_KINDS; kind++)
			tried |= try(all, measured, path, kind, &known);
		if (!tried && common.notes.n == before)
			query_note(&common,
				   "%s is left out: no time of it was measured on "
				   "these machines",
				   path);
	}
	notes_add_unknown(measured, &known, &common);
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
	if (!set.measured)
		opt_bad_usage(&usage, "no measured times: give --measured FILE");
	if (!set.applications.n)
		opt_bad_usage(&usage, "no application: give -a FILE");
	if (common.json && common.csv)
		opt_bad_usage(&usage, "--json or --csv, not both");
}

int command_validate(int argc, char **argv)
{
	struct measured measured = { 0 };
	struct trials all = { 0 };
	struct error e;

	parse(argc, argv);
	if (measured_read(&measured, set.measured, &e) ||
	    machines_read(&common.machines, common.operands.v, common.operands.n, &e))
		errx(1, "%s", e.text);
	try_all(&all, &measured);
	if (!all.n) {
		for (size_t i = 0; i < common.notes.n; i++)
			warnx("%s", common.notes.v[i]);
		errx(1, "%s: nothing in it could be scored", set.measured);
	}
	notes_add(&all, &measured, &intervals, &common);
	print(&all);
	for (size_t i = 0; i < all.n; i++)
		trial_free(all.v[i]);
	vec_free(&all);
	vec_free(&set.applications);
	measured_free(&measured);
	query_free(&common);
	return 0;
}
