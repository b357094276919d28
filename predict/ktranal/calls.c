/* SPDX-License-Identifier: MIT */
/* ktranal calls: how long each call of one name took. */
#include "ktranal.h"

#include "sequence.h"
#include "trace/syscalls.h"

static struct {
	struct view view;
	struct sequence sequence;
} set = { .sequence.window = SEQUENCE_WINDOW_DEFAULT };

static const struct opt options[] = { VIEW_CALLS(set.view),
				      VIEW_PROCESSES(set.view),
				      { 'a', "arguments", OPT_FLAG, &set.sequence.arguments,
					.help = "print the arguments too" },
				      SEQUENCE_WINDOW(set.sequence),
				      VIEW_FORMATS(set.view),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal calls",
	.operands = "TRACE",
	.summary = "Print the time of each call of the names given by -s.",
	.example = "ktranal calls -a -s fdatasync app.ktr",
};

/* The last one only with -a. */
static const struct table_column columns[] = {
	{ "NAME", "name", true },
	{ "PID", "pid", false },
	{ "TID", "tid", false },
	{ "START", "start_ns", false },
	{ "TIME", "duration_ns", false },
	{ "RESULT", "result", false },
	{ "ARGUMENTS", "arguments", true },
};

enum { COLUMNS = sizeof(columns) / sizeof(*columns) };

static struct table *begin(const struct source_info *info)
{
	(void)info;
	return table_new(columns, set.sequence.arguments ? COLUMNS : COLUMNS - 1);
}

static void put(const struct callrow *r, struct table *table)
{
	enum table_format format = view_format(&set.view);

	table_text(table, syscall_get(r->call)->name);
	table_count(table, r->pid);
	table_count(table, r->tid);
	callrow_put_start(r, table, format);
	callrow_put_duration(r, table, format);
	callrow_put_result(r, table, format);
	if (set.sequence.arguments)
		table_text(table, callrow_arguments(r));
}

int command_calls(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &usage, options, false);
	if (!set.view.names.n)
		opt_bad_usage(&usage, "which call? (-s NAME)");
	set.sequence.view = &set.view;
	set.sequence.begin = begin;
	set.sequence.row = put;
	int status = sequence_print(&set.sequence, set.view.traces.v[0]);
	view_free(&set.view);
	return status < 0;
}
