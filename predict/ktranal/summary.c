/* SPDX-License-Identifier: MIT */
/* ktranal summary: the calls of a trace by name, the table of the thesis's Figure 11 and more. */
#include "ktranal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "trace/syscalls.h"
#include "util/vec.h"
#include "view.h"
#include "view/tally.h"

static struct {
	struct view view;
	bool by_process, by_kind;
	const char *sort;
} set;

static const struct opt options[] = { SELECTION_CALLS(set.view.selection),
				      SELECTION_PROCESSES(set.view.selection),
				      { 0, "by-process", OPT_FLAG, &set.by_process,
					.help = "each process by itself" },
				      { 0, "by-kind", OPT_FLAG, &set.by_kind,
					.help = "calls on files, pipes, TCP ... by themselves" },
				      { 's', "sort", OPT_STRING, &set.sort, "COLUMN",
					.help = "sort by this column (default TOTALTIME)" },
				      VIEW_FORMATS(set.view),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal summary",
	.operands = "TRACE...",
	.summary = "Sum up the system calls of traces: counts, errors and times by call.",
	.example = "ktranal summary --sort ncalls app.ktr",
};

/* The calls of one name, of one process and on one kind of descriptor where these are separate. */
struct row {
	size_t process;
	unsigned call;
	enum fd_kind kind;
	struct tally tally;
};

static struct {
	VEC(struct row) rows;
	struct map by_key; /* row plus one */
	enum abi abi;	   /* of the first trace: what NUM means */
	bool begun;
} summary;

static void begin(void *arg, const struct source_info *info)
{
	(void)arg;
	if (!summary.begun)
		summary.abi = info->abi;
	summary.begun = true;
	processes_begin(&set.view.processes, info->command);
}

static struct row *row_of(size_t process, unsigned call, enum fd_kind kind)
{
	uint64_t key = (uint64_t)process << 24 | (uint64_t)call << 8 | (uint64_t)kind;
	uint64_t *at = map_at(&summary.by_key, key);

	if (!*at) {
		vec_push(&summary.rows, (struct row){ process, call, kind, { 0 } });
		*at = summary.rows.n;
	}
	return &summary.rows.v[*at - 1];
}

static void take(void *arg, const struct event *e)
{
	bool selected = set.view.selection.processes.n;
	size_t process = 0;

	(void)arg;
	if (set.by_process || selected)
		process = processes_event(&set.view.processes, e);
	if (!event_is_return(e) || !selection_has_call(&set.view.selection, e->call.id))
		return;
	if (selected && !selection_has_process(&set.view.selection, e->pid,
					       processes_name(&set.view.processes, process)))
		return;
	tally_add(&row_of(set.by_process ? process : 0, e->call.id,
			  set.by_kind ? e->call.kind : FD_UNKNOWN)
		       ->tally,
		  e);
}

/* ---- columns ---- */

static double number(const struct row *r)
{
	int n = syscall_get(r->call)->number[summary.abi];

	return n < 0 ? NAN : n;
}

static double calls(const struct row *r)
{
	return (double)r->tally.calls;
}

static double errors(const struct row *r)
{
	return (double)r->tally.errors;
}

static const char *program(const struct row *r)
{
	return processes_name(&set.view.processes, r->process);
}

static const char *name(const struct row *r)
{
	return syscall_get(r->call)->name;
}

static const char *kind(const struct row *r)
{
	return r->kind == FD_UNKNOWN ? NULL : fd_kind_name(r->kind);
}

static double pid(const struct row *r)
{
	return set.view.processes.v[r->process].pid;
}

static const struct column {
	struct table_column head;
	const bool *shown; /* NULL: always */
	bool ascending;	   /* when sorted by it */
	/* What it holds: one of these two or, without them, a time, shown in microseconds. */
	const char *(*text)(const struct row *r);
	double (*number)(const struct row *r);
	enum tally_time time;
} columns[] = {
	{ { "PROCESS", "process", true }, &set.by_process, true, .text = program },
	{ { "PID", "pid", false }, &set.by_process, true, .number = pid },
	{ { "NUM", "num", false }, NULL, true, .number = number },
	{ { "NAME", "name", true }, NULL, true, .text = name },
	{ { "KIND", "kind", true }, &set.by_kind, true, .text = kind },
	{ { "NCALLS", "ncalls", false }, .number = calls },
	{ { "ERRORS", "errors", false }, .number = errors },
	{ { "TOTALTIME", "totaltime", false }, .time = TALLY_TOTAL },
	{ { "MINTIME", "mintime", false }, .time = TALLY_MIN },
	{ { "MAXTIME", "maxtime", false }, .time = TALLY_MAX },
	{ { "AVGTIME", "avgtime", false }, .time = TALLY_MEAN },
	{ { "STDDEV", "stddev", false }, .time = TALLY_DEVIATION },
	{ { "P50", "p50", false }, .time = TALLY_P50 },
	{ { "P95", "p95", false }, .time = TALLY_P95 },
	{ { "P99", "p99", false }, .time = TALLY_P99 },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static const struct column *sort_column;

static const struct column *find_column(const char *title)
{
	for (size_t i = 0; i < COLUMNS; i++)
		if (!strcasecmp(columns[i].head.title, title))
			return &columns[i];
	opt_bad_usage(&usage, "--sort %s: no such column (NUM, NAME, NCALLS, TOTALTIME, ...)",
		      title);
}

static double value(const struct column *c, const struct row *r)
{
	return c->number ? c->number(r) : tally_seconds(&r->tally, c->time);
}

/* Larger first unless the column ascends; what has no value comes last. */
static int compare_column(const struct column *c, const struct row *a, const struct row *b)
{
	int order;

	if (c->text) {
		const char *x = c->text(a), *y = c->text(b);

		order = strcmp(x ? x : "", y ? y : "");
	} else {
		double x = value(c, a), y = value(c, b);

		if (isnan(x) || isnan(y))
			return isnan(x) - isnan(y);
		order = (x > y) - (x < y);
	}
	return c->ascending ? order : -order;
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	int order = set.by_process ? (x->process > y->process) - (x->process < y->process) : 0;

	if (!order)
		order = compare_column(sort_column, x, y);
	if (!order)
		order = (x->tally.calls < y->tally.calls) - (x->tally.calls > y->tally.calls);
	if (!order)
		order = strcmp(name(x), name(y));
	return order ? order : (x->kind > y->kind) - (x->kind < y->kind);
}

static void print_cell(struct table *t, const struct column *c, const struct row *r)
{
	char shown[32];

	if (c->text) {
		table_text(t, c->text(r));
	} else if (c->number) {
		table_number(t, c->number(r), "%.0f");
	} else {
		snprintf(shown, sizeof(shown), "%.2f", value(c, r) * 1e6);
		table_shown(t, value(c, r), shown);
	}
}

static void print_table(void)
{
	enum table_format format = view_format(&set.view);
	struct table_column heads[COLUMNS];
	size_t n = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (!columns[i].shown || *columns[i].shown)
			heads[n++] = columns[i].head;
	struct table *t = table_new(heads, n);
	if (summary.rows.n)
		qsort(summary.rows.v, summary.rows.n, sizeof(*summary.rows.v), compare);
	for (size_t r = 0; r < summary.rows.n; r++)
		for (size_t i = 0; i < COLUMNS; i++)
			if (!columns[i].shown || *columns[i].shown)
				print_cell(t, &columns[i], &summary.rows.v[r]);
	view_print_begin(&set.view);
	table_print(t, stdout, format);
	if (format == TABLE_TEXT)
		printf("\ntimes in microseconds, from entry to return");
	view_print_end(&set.view);
	table_free(t);
}

static void free_summary(void)
{
	for (size_t i = 0; i < summary.rows.n; i++)
		tally_free(&summary.rows.v[i].tally);
	vec_free(&summary.rows);
	map_free(&summary.by_key);
	view_free(&set.view);
}

int command_summary(int argc, char **argv)
{
	const struct trace_taker taker = { .begin = begin, .take = take };
	int status = 0;

	view_parse(&set.view, argc, argv, &usage, options, true);
	sort_column = find_column(set.sort ? set.sort : "TOTALTIME");
	for (size_t i = 0; i < set.view.traces.n; i++)
		if (view_read(&set.view, set.view.traces.v[i], &taker, false) < 0)
			status = 1;
	if (summary.begun)
		print_table();
	if (!status && view_check(&set.view) < 0)
		status = 1;
	free_summary();
	return status;
}
