/* SPDX-License-Identifier: MIT */
/* ktranal dump: every call of a trace in the order of time. */
#include "ktranal.h"

#include <math.h>
#include <stdlib.h>

#include "view/arguments.h"
#include "sequence.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"

static struct {
	struct view view;
	struct sequence sequence;
} set = { .sequence.window = SEQUENCE_WINDOW_DEFAULT };

static const struct opt options[] = { VIEW_CALLS(set.view),
				      VIEW_PROCESSES(set.view),
				      { 0, "by-process", OPT_FLAG, &set.sequence.by_process,
					.help = "one process after the other" },
				      SEQUENCE_WINDOW(set.sequence),
				      VIEW_FORMATS(set.view),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "ktranal dump",
	.operands = "TRACE",
	.summary = "Print the system calls of a trace in the order in which they began.",
	.example = "ktranal dump -s openat,read app.ktr",
};

/* People read a call in one piece, programs want the pieces. */
static const struct table_column text_columns[] = {
	{ "PROCESS", NULL, true }, { "PID", NULL, false },   { "TID", NULL, false },
	{ "NUM", NULL, false },	   { "START", NULL, false }, { "TIME", NULL, false },
	{ "CALL", NULL, true },
};

static const struct table_column data_columns[] = {
	{ "process", NULL, true },   { "pid", NULL, false },	     { "tid", NULL, false },
	{ "num", NULL, false },	     { "name", NULL, true },	     { "kind", NULL, true },
	{ "start_ns", NULL, false }, { "duration_ns", NULL, false }, { "arguments", NULL, true },
	{ "result", NULL, false },   { "error", NULL, true },
};

static enum abi abi;

static struct table *begin(const struct source_info *info)
{
	abi = info->abi;
	if (view_format(&set.view) == TABLE_TEXT)
		return table_new(text_columns, sizeof(text_columns) / sizeof(*text_columns));
	return table_new(data_columns, sizeof(data_columns) / sizeof(*data_columns));
}

static double number(const struct callrow *r)
{
	int n = syscall_get(r->call)->number[abi];

	return n < 0 ? NAN : n;
}

static void put_process(const struct callrow *r, struct table *table)
{
	const char *program = callrow_program(r);

	table_text(table, *program ? program : NULL);
	table_count(table, r->pid);
	table_count(table, r->tid);
	table_number(table, number(r), "%.0f");
}

static void put_text(const struct callrow *r, struct table *table, enum table_format format)
{
	char result[RESULT_MAX];
	char *call = xasprintf("%s(%s) = %s", syscall_get(r->call)->name, callrow_arguments(r),
			       result_format(result, r->call, r->flags, r->result));

	put_process(r, table);
	callrow_put_start(r, table, format);
	callrow_put_duration(r, table, format);
	table_text(table, call);
	free(call);
}

static void put_data(const struct callrow *r, struct table *table, enum table_format format)
{
	put_process(r, table);
	table_text(table, syscall_get(r->call)->name);
	table_text(table, r->kind == FD_UNKNOWN ? NULL : fd_kind_name(r->kind));
	callrow_put_start(r, table, format);
	callrow_put_duration(r, table, format);
	table_text(table, callrow_arguments(r));
	callrow_put_result(r, table, format);
	callrow_put_error(r, table);
}

static void put(const struct callrow *r, struct table *table)
{
	enum table_format format = view_format(&set.view);

	(format == TABLE_TEXT ? put_text : put_data)(r, table, format);
}

int command_dump(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &usage, options, false);
	set.sequence.view = &set.view;
	set.sequence.arguments = true;
	set.sequence.begin = begin;
	set.sequence.row = put;
	int status = sequence_print(&set.sequence, set.view.traces.v[0]);
	view_free(&set.view);
	return status < 0;
}
