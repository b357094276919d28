/* SPDX-License-Identifier: MIT */
/* ktranal summary: calls by name, as in the thesis's Figure 11, or by process, kind, file, peer. */
#include "ktranal.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "labels.h"
#include "trace/syscalls.h"
#include "util/number.h"
#include "util/vec.h"
#include "view.h"
#include "view/tally.h"

/* What a row is about. */
enum by {
	BY_PROCESS,
	BY_THREAD,
	BY_CALL,
	BY_KIND,
	BY_FILE, /* this and the following: by their names */
	BY_PEER,
	BY_CGROUP,
	BY_WORDS
};

static struct {
	struct view view;
	struct opt_list words; /* --by */
	bool by[BY_WORDS], by_subtree;
	const char *sort;
} set;

#define BY_LIST "call, process, thread, subtree, kind, file, peer or cgroup"

static const struct opt options[] = {
	SELECTION_CALLS(set.view.selection),
	SELECTION_PROCESSES(set.view.selection),
	{ 'b', "by", OPT_LIST, &set.words, "WORD", 0, 0,
	  "a row for each " BY_LIST " (default: call); words joined by commas: each combination" },
	VIEW_NET(set.view),
	{ 's', "sort", OPT_STRING, &set.sort, "COLUMN",
	  .help = "sort by this column (default TOTALTIME)" },
	VIEW_FORMATS(set.view),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "ktranal summary",
	.operands = "{TRACE... | -- COMMAND [ARGUMENT...]}",
	.summary = "Sum up the system calls of traces: counts, errors and times by " BY_LIST ".",
	.example = "ktranal summary --by process,call --sort ncalls app.ktr",
};

/* Calls that are alike in all that --by names; the rest is 0. */
struct row {
	uint32_t of[BY_WORDS]; /* process: its number; names: of labels.h */
	size_t next;	       /* of the same process, plus one */
	struct tally tally;
};

static struct {
	VEC(struct row) rows;
	VEC(size_t) first;	     /* row of each process, plus one */
	struct map groups[BY_WORDS]; /* group so far and what the row is about: group, from 1 */
	uint32_t ngroups[BY_WORDS];
	struct labels labels;
	struct tally total;
	uint64_t faults[FAULT_KINDS];
	enum abi abi; /* of the first trace: what NUM means */
	bool begun;
} summary;

static void begin(void *arg, const struct source_info *info)
{
	(void)arg;
	if (!summary.begun)
		summary.abi = info->abi;
	summary.begun = true;
	labels_begin(&summary.labels, info);
}

static struct row *add_row(const uint32_t of[BY_WORDS])
{
	struct row row = { 0 };

	memcpy(row.of, of, sizeof(row.of));
	while (summary.first.n <= of[BY_PROCESS])
		vec_push(&summary.first, 0);
	row.next = summary.first.v[of[BY_PROCESS]];
	vec_push(&summary.rows, row);
	summary.first.v[of[BY_PROCESS]] = summary.rows.n;
	return &summary.rows.v[summary.rows.n - 1];
}

/* Each combination of the first words is a group; those of all words are the rows. */
static struct row *row_of(const uint32_t of[BY_WORDS])
{
	uint64_t group = 0;

	for (int i = 0; i < BY_WORDS; i++) {
		if (!set.by[i])
			continue;
		uint64_t *at = map_at(&summary.groups[i], group << 32 | of[i]);
		if (!*at)
			*at = ++summary.ngroups[i];
		group = *at;
	}
	return group > summary.rows.n ? add_row(of) : &summary.rows.v[group - 1];
}

static void take(void *arg, const struct event *e)
{
	const struct selection *s = &set.view.selection;
	bool some = s->processes.n || s->roots.n;
	size_t process = 0;

	(void)arg;
	if (set.by[BY_PROCESS] || some)
		process = processes_event(&set.view.processes, e);
	bool left_out = some && !view_selects(&set.view, process, e);
	labels_event(&summary.labels, e);
	if (e->type == EVENT_FAULT && !left_out)
		summary.faults[e->fault.kind]++;
	if (!event_is_return(e) || !selection_has_call(s, e->call.id) || left_out)
		return;
	const uint32_t of[BY_WORDS] = {
		[BY_PROCESS] = set.by[BY_PROCESS] ? (uint32_t)process : 0,
		[BY_THREAD] = e->tid,
		[BY_CALL] = e->call.id,
		[BY_KIND] = e->call.kind,
		[BY_FILE] = labels_file(&summary.labels, e),
		[BY_PEER] = labels_peer(&summary.labels, e),
		[BY_CGROUP] = labels_cgroup(&summary.labels, e),
	};
	tally_add(&row_of(of)->tally, e);
}

/* Each process counts what its children do too.  Children have higher numbers. */
static void sum_subtrees(void)
{
	for (size_t process = summary.first.n; process-- > 0;) {
		size_t parent = set.view.processes.v[process].parent;
		bool above = set.view.selection.roots.n && parent &&
			     !set.view.processes.v[parent - 1].within;
		size_t next = parent && !above ? summary.first.v[process] : 0;

		while (next) {
			uint32_t of[BY_WORDS];
			size_t row = next - 1;

			memcpy(of, summary.rows.v[row].of, sizeof(of));
			of[BY_PROCESS] = (uint32_t)parent - 1;
			struct tally *sum = &row_of(of)->tally;
			tally_merge(sum, &summary.rows.v[row].tally);
			next = summary.rows.v[row].next;
		}
	}
}

/* ---- columns ---- */

static double number(const struct row *r)
{
	int n = syscall_get(r->of[BY_CALL])->number[summary.abi];

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

static double share(const struct row *r)
{
	return r->tally.total / summary.total.total; /* 0 / 0: no times */
}

static const char *program(const struct row *r)
{
	return processes_shown(&set.view.processes, r->of[BY_PROCESS]);
}

static const char *name(const struct row *r)
{
	return syscall_get(r->of[BY_CALL])->name;
}

static const char *kind(const struct row *r)
{
	return r->of[BY_KIND] == FD_UNKNOWN ? NULL : fd_kind_name(r->of[BY_KIND]);
}

static const char *file(const struct row *r)
{
	return labels_name(&summary.labels, r->of[BY_FILE]);
}

static const char *peer(const struct row *r)
{
	return labels_name(&summary.labels, r->of[BY_PEER]);
}

static const char *cgroup(const struct row *r)
{
	return labels_name(&summary.labels, r->of[BY_CGROUP]);
}

static uint32_t pid(const struct row *r)
{
	return set.view.processes.v[r->of[BY_PROCESS]].pid;
}

static uint32_t tid(const struct row *r)
{
	return r->of[BY_THREAD];
}

static const struct column {
	struct table_column head;
	const bool *shown; /* NULL: always */
	bool ascending;	   /* when sorted by it */
	/* What it holds: one of these or, without them, a time, shown in microseconds. */
	const char *(*text)(const struct row *r);
	double (*number)(const struct row *r);
	const char *format;		     /* of the number; NULL: "%.0f" */
	uint32_t (*id)(const struct row *r); /* of a process or thread */
	enum tally_time time;
} columns[] = {
	{ { "PROCESS", "process", TABLE_LEFT }, &set.by[BY_PROCESS], true, .text = program },
	{ { "PID", "pid", TABLE_RIGHT }, &set.by[BY_PROCESS], true, .id = pid },
	{ { "TID", "tid", TABLE_RIGHT }, &set.by[BY_THREAD], true, .id = tid },
	{ { "NUM", "num", TABLE_DATA }, &set.by[BY_CALL], true, .number = number },
	{ { "NAME", "name", TABLE_LEFT }, &set.by[BY_CALL], true, .text = name },
	{ { "KIND", "kind", TABLE_LEFT }, &set.by[BY_KIND], true, .text = kind },
	{ { "FILE", "file", TABLE_NAME }, &set.by[BY_FILE], true, .text = file },
	{ { "PEER", "peer", TABLE_NAME }, &set.by[BY_PEER], true, .text = peer },
	{ { "CGROUP", "cgroup", TABLE_NAME }, &set.by[BY_CGROUP], true, .text = cgroup },
	{ { "NCALLS", "ncalls", TABLE_RIGHT }, .number = calls },
	{ { "ERRORS", "errors", TABLE_RIGHT }, .number = errors },
	{ { "TOTALTIME", "totaltime", TABLE_RIGHT }, .time = TALLY_TOTAL },
	{ { "SHARE", "share", TABLE_RIGHT }, .number = share, .format = "%.3f" },
	{ { "MINTIME", "mintime", TABLE_RIGHT }, .time = TALLY_MIN },
	{ { "MAXTIME", "maxtime", TABLE_RIGHT }, .time = TALLY_MAX },
	{ { "AVGTIME", "avgtime", TABLE_RIGHT }, .time = TALLY_MEAN },
	{ { "STDDEV", "stddev", TABLE_RIGHT }, .time = TALLY_DEVIATION },
	{ { "P50", "p50", TABLE_RIGHT }, .time = TALLY_P50 },
	{ { "P95", "p95", TABLE_RIGHT }, .time = TALLY_P95 },
	{ { "P99", "p99", TABLE_RIGHT }, .time = TALLY_P99 },
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
	return c->number ? c->number(r) : c->id ? c->id(r) : tally_seconds(&r->tally, c->time);
}

/* Larger first unless the column ascends; what has no value comes last. */
static int compare_column(const struct column *c, const struct row *a, const struct row *b)
{
	if (!c->text)
		return number_compare(value(c, a), value(c, b), c->ascending);
	const char *x = c->text(a), *y = c->text(b);
	int order = strcmp(x ? x : "", y ? y : "");
	return c->ascending ? order : -order;
}

static int compare_number(uint32_t a, uint32_t b)
{
	return (a > b) - (a < b);
}

static int compare(const void *a, const void *b)
{
	const struct row *x = a, *y = b;
	/* With the calls of each process its calls stand together. */
	int order = set.by[BY_CALL] ? compare_number(x->of[BY_PROCESS], y->of[BY_PROCESS]) : 0;

	if (!order)
		order = compare_column(sort_column, x, y);
	if (!order)
		order = (x->tally.calls < y->tally.calls) - (x->tally.calls > y->tally.calls);
	if (!order)
		order = strcmp(name(x), name(y));
	for (int i = 0; !order && i < BY_WORDS; i++)
		order = compare_number(x->of[i], y->of[i]);
	return order;
}

static void print_cell(struct table *t, const struct column *c, const struct row *r)
{
	if (c->text)
		table_text(t, c->text(r));
	else if (c->id)
		view_put_id(&set.view, t, r->of[BY_PROCESS], c->id(r));
	else if (c->number)
		table_number(t, c->number(r), c->format ? c->format : "%.0f");
	else
		table_scaled(t, value(c, r), 1e6, "%.2f");
}

/* What all rows have together: people want to see it, programs add up. */
static void print_total(struct table *t)
{
	const struct row row = { .tally = summary.total };
	bool named = false;

	table_head(t, 0);
	for (size_t i = 0; i < COLUMNS; i++) {
		const struct column *c = &columns[i];

		if (c->shown && !*c->shown)
			continue;
		if (!c->shown)
			print_cell(t, c, &row);
		else if (c->head.kind == TABLE_DATA || named)
			table_text(t, "");
		else
			table_text(t, "TOTAL");
		named |= c->shown && c->head.kind != TABLE_DATA;
	}
}

/* Page faults by kind, those that there were: nothing of a trace without any. */
static void print_faults(bool json)
{
	const char *before = json ? ", \"faults\": {" : "\npage faults: ";
	bool any = false;

	for (int i = 0; i < FAULT_KINDS; i++) {
		if (!summary.faults[i])
			continue;
		printf(json ? "%s\"%s\": %" PRIu64 : "%s%s %" PRIu64, any ? ", " : before,
		       fault_kind_name(i), summary.faults[i]);
		any = true;
	}
	if (any && json)
		printf("}");
}

static void print_table(void)
{
	enum table_format format = view_format(&set.view);
	struct table_column heads[COLUMNS];
	size_t n = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		if (!columns[i].shown || *columns[i].shown)
			heads[n++] = columns[i].head;
	struct table *t = view_table(&set.view, heads, n);
	vec_sort(&summary.rows, compare);
	for (size_t r = 0; r < summary.rows.n; r++)
		for (size_t i = 0; i < COLUMNS; i++)
			if (!columns[i].shown || *columns[i].shown)
				print_cell(t, &columns[i], &summary.rows.v[r]);
	if (format == TABLE_TEXT && summary.rows.n > 1)
		print_total(t);
	view_print_begin(&set.view, "calls");
	table_end(t, stdout, format);
	if (format == TABLE_TEXT)
		printf("\ntimes in microseconds, from entry to return%s",
		       set.by_subtree ? "; a process counts what its descendants do too" : "");
	if (format != TABLE_CSV)
		print_faults(format == TABLE_JSON);
	view_print_end(&set.view);
}

static void free_summary(void)
{
	for (size_t i = 0; i < summary.rows.n; i++)
		tally_free(&summary.rows.v[i].tally);
	tally_free(&summary.total);
	for (int i = 0; i < BY_WORDS; i++)
		map_free(&summary.groups[i]);
	vec_free(&summary.rows);
	vec_free(&summary.first);
	labels_free(&summary.labels);
	vec_free(&set.words);
}

static void split_by(const char *word)
{
	static const char *const words[BY_WORDS] = { "process", "thread", "call",  "kind",
						     "file",	"peer",	  "cgroup" };

	for (int i = 0; i < BY_WORDS; i++)
		if (!strcmp(word, words[i])) {
			set.by[i] = true;
			return;
		}
	if (strcmp(word, "subtree"))
		opt_bad_usage(&usage, "--by %s: not " BY_LIST, word);
	set.by_subtree = true;
}

/* Without --by each call has a row. */
static void parse_by(void)
{
	set.by[BY_CALL] = !set.words.n;
	for (size_t i = 0; i < set.words.n; i++) {
		char *list = xstrdup(set.words.v[i]), *rest = list, *word;

		while ((word = strsep(&rest, ",")))
			split_by(word);
		free(list);
	}
	if (set.by_subtree && set.by[BY_THREAD])
		opt_bad_usage(&usage, "--by: subtree and thread exclude each other");
	set.by[BY_PROCESS] |= set.by_subtree || set.by[BY_THREAD];
	summary.labels.files = set.by[BY_FILE];
	summary.labels.peers = set.by[BY_PEER];
	summary.labels.cgroups = set.by[BY_CGROUP];
}

int command_summary(int argc, char **argv)
{
	const struct trace_taker taker = { .begin = begin, .take = take, .operations = true };
	int status = 0;

	view_parse(&set.view, argc, argv, &usage, options, true);
	parse_by();
	sort_column = find_column(set.sort ? set.sort : "TOTALTIME");
	for (size_t i = 0; i < set.view.traces.n; i++)
		if (view_read(&set.view, set.view.traces.v[i], &taker, false) < 0)
			status = -1;
	for (size_t i = 0; i < summary.rows.n; i++)
		tally_merge(&summary.total, &summary.rows.v[i].tally);
	if (set.by_subtree)
		sum_subtrees();
	if (summary.begun)
		print_table();
	free_summary();
	return view_end(&set.view, status);
}
