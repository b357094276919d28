/* SPDX-License-Identifier: MIT */
/* ktranal dump and ktranal calls: a row for each call of a trace, in the order in which they began.
 */
#include "ktranal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "trace/reorder.h"
#include "trace/syscalls.h"
#include "util/xalloc.h"
#include "view.h"
#include "view/callrow.h"

enum {
	PART_ROWS = 512,	   /* are printed at a time */
	WINDOW_DEFAULT = 16 << 20, /* about 100,000 calls */
};

static struct {
	struct view view;
	bool by_process, arguments;
	uint64_t window; /* bytes of calls that wait for an earlier one to end */
} set = { .window = WINDOW_DEFAULT };

/* clang-format off */
#define OPTION_WINDOW \
	{ 0, "window", OPT_SIZE, &set.window, "BYTES", 4096, 1e15, \
	  "memory to wait for calls that last long (default 16m)" }
/* clang-format on */

static const struct opt dump_options[] = { SELECTION_CALLS(set.view.selection),
					   SELECTION_PROCESSES(set.view.selection),
					   { 0, "by-process", OPT_FLAG, &set.by_process,
					     .help = "one process after the other" },
					   OPTION_WINDOW,
					   VIEW_NET(set.view),
					   VIEW_FORMATS(set.view),
					   { 0 } };

static const struct opt calls_options[] = { SELECTION_CALLS(set.view.selection),
					    SELECTION_PROCESSES(set.view.selection),
					    { 0, "arguments", OPT_FLAG, &set.arguments,
					      .help = "print the arguments too" },
					    OPTION_WINDOW,
					    VIEW_NET(set.view),
					    VIEW_FORMATS(set.view),
					    { 0 } };

static const struct opt_usage dump_usage = {
	.program = "ktranal dump",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Print the system calls of a trace in the order in which they began.",
	.example = "ktranal dump -e openat,read app.ktr",
};

static const struct opt_usage calls_usage = {
	.program = "ktranal calls",
	.operands = "{TRACE | -- COMMAND [ARGUMENT...]}",
	.summary = "Print the time of each call of the names given by -e.",
	.example = "ktranal calls --arguments -e fdatasync app.ktr",
};

/* ---- columns ---- */

struct call_column {
	struct table_column head;
	enum cell {
		PROGRAM,
		PID,
		TID,
		NUMBER,
		NAME,
		KIND,
		START,
		DURATION,
		ARGUMENTS,
		ARGUMENT, /* the first, and so on */
		DESCRIPTOR = ARGUMENT + 6,
		OBJECT,
		PATH,
		RESULT,
		ERROR,
		CALL, /* name, arguments and result */
	} cell;
};

/* People read a call in one piece, programs want the pieces. */
static const struct call_column dump_text[] = {
	{ { "PROCESS", NULL, TABLE_LEFT }, PROGRAM }, { { "PID", NULL, TABLE_RIGHT }, PID },
	{ { "TID", NULL, TABLE_RIGHT }, TID },	      { { "NUM", NULL, TABLE_RIGHT }, NUMBER },
	{ { "START", NULL, TABLE_RIGHT }, START },    { { "TIME", NULL, TABLE_RIGHT }, DURATION },
	{ { "CALL", NULL, TABLE_LEFT }, CALL },
};

static const struct call_column dump_data[] = {
	{ { "process", NULL, TABLE_LEFT }, PROGRAM },
	{ { "pid", NULL, TABLE_RIGHT }, PID },
	{ { "tid", NULL, TABLE_RIGHT }, TID },
	{ { "num", NULL, TABLE_RIGHT }, NUMBER },
	{ { "name", NULL, TABLE_LEFT }, NAME },
	{ { "kind", NULL, TABLE_LEFT }, KIND },
	{ { "start_ns", NULL, TABLE_RIGHT }, START },
	{ { "duration_ns", NULL, TABLE_RIGHT }, DURATION },
	{ { "arguments", NULL, TABLE_LEFT }, ARGUMENTS },
	{ { "arg0", NULL, TABLE_RIGHT }, ARGUMENT },
	{ { "arg1", NULL, TABLE_RIGHT }, ARGUMENT + 1 },
	{ { "arg2", NULL, TABLE_RIGHT }, ARGUMENT + 2 },
	{ { "arg3", NULL, TABLE_RIGHT }, ARGUMENT + 3 },
	{ { "arg4", NULL, TABLE_RIGHT }, ARGUMENT + 4 },
	{ { "arg5", NULL, TABLE_RIGHT }, ARGUMENT + 5 },
	{ { "fd", NULL, TABLE_RIGHT }, DESCRIPTOR },
	{ { "object", NULL, TABLE_LEFT }, OBJECT },
	{ { "path", NULL, TABLE_LEFT }, PATH },
	{ { "result", NULL, TABLE_RIGHT }, RESULT },
	{ { "error", NULL, TABLE_LEFT }, ERROR },
};

/* The last one only with --arguments. */
static const struct call_column calls_columns[] = {
	{ { "NAME", "name", TABLE_LEFT }, NAME },
	{ { "PID", "pid", TABLE_RIGHT }, PID },
	{ { "TID", "tid", TABLE_RIGHT }, TID },
	{ { "START", "start_ns", TABLE_RIGHT }, START },
	{ { "TIME", "duration_ns", TABLE_RIGHT }, DURATION },
	{ { "RESULT", "result", TABLE_RIGHT }, RESULT },
	{ { "ARGUMENTS", "arguments", TABLE_LEFT }, ARGUMENTS },
};

enum {
	DUMP_TEXT = sizeof(dump_text) / sizeof(*dump_text),
	DUMP_DATA = sizeof(dump_data) / sizeof(*dump_data),
	CALLS = sizeof(calls_columns) / sizeof(*calls_columns),
};

static const char *text_of_arguments(const struct callrow *r)
{
	const char *text = callrow_text(r, CALLROW_ARGUMENTS);

	return text ? text : "";
}

static void put_call(const struct callrow *r, struct table *t)
{
	char result[RESULT_MAX];
	static struct text call;

	call.n = 0;
	text_put(&call, syscall_get(r->call)->name);
	text_put_n(&call, "(", 1);
	text_put(&call, text_of_arguments(r));
	text_put_n(&call, ") = ", 4);
	text_put(&call, result_format(result, r->call, r->flags, r->result));
	table_text(t, call.v);
}

static void put_cell(const struct callrow *r, const struct syscall *call, struct table *t,
		     enum cell cell, enum abi abi, enum table_format format)
{
	switch (cell) {
	case PROGRAM: table_text(t, callrow_text(r, CALLROW_PROGRAM)); break;
	case PID: view_put_id(&set.view, t, r->process, r->pid); break;
	case TID: view_put_id(&set.view, t, r->process, r->tid); break;
	case NUMBER:
		if (call->number[abi] < 0)
			table_text(t, NULL);
		else
			table_integer(t, call->number[abi]);
		break;
	case NAME: table_text(t, call->name); break;
	case KIND: table_text(t, r->kind == FD_UNKNOWN ? NULL : fd_kind_name(r->kind)); break;
	case START: callrow_put_start(r, t); break;
	case DURATION: callrow_put_duration(r, t); break;
	case ARGUMENTS: table_text(t, text_of_arguments(r)); break;
	case DESCRIPTOR: callrow_put_descriptor(r, t); break;
	case OBJECT: table_text(t, callrow_text(r, CALLROW_OBJECT)); break;
	case PATH: table_text(t, callrow_text(r, CALLROW_PATH)); break;
	case RESULT: callrow_put_result(r, t, format); break;
	case ERROR: callrow_put_error(r, t); break;
	case CALL: put_call(r, t); break;
	default: callrow_put_argument(r, t, cell - ARGUMENT); break;
	}
}

/* ---- reading and printing ---- */

/* A trace that is being printed. */
struct printing {
	const struct call_column *columns;
	size_t ncolumns;
	struct table_column heads[DUMP_DATA];
	enum abi abi;	     /* of the trace: what NUM means */
	struct table *table; /* NULL: the trace could not be opened */
	unsigned rows;
	struct reorder by_time;
	struct reorder by_process; /* with --by-process: all rows, by process */
	struct callrow_pool pool;
	struct object_names objects;
	struct text text;   /* of the call at hand */
	struct map numbers; /* of processes in order of appearance, plus one, by pid */
	uint64_t calls;
};

static void begin(void *arg, const struct source_info *info)
{
	struct printing *p = arg;

	p->abi = info->abi;
	for (size_t i = 0; i < p->ncolumns; i++)
		p->heads[i] = p->columns[i].head;
	p->table = view_table(&set.view, p->heads, p->ncolumns);
	view_print_begin(&set.view, "calls");
	if (view_format(&set.view) != TABLE_TEXT)
		table_stream(p->table, stdout, view_format(&set.view));
}

/* Takes the row over. */
static void print_row(struct printing *p, struct callrow *row)
{
	enum table_format format = view_format(&set.view);
	const struct syscall *call = syscall_get(row->call);

	for (size_t i = 0; i < p->ncolumns; i++)
		put_cell(row, call, p->table, p->columns[i].cell, p->abi, format);
	if (format == TABLE_TEXT && ++p->rows % PART_ROWS == 0)
		table_print_part(p->table, stdout, format);
	callrow_free(&p->pool, row);
}

static void group_row(struct printing *p, struct callrow *row)
{
	uint64_t *number = map_at(&p->numbers, row->pid);

	if (!*number)
		*number = p->numbers.n;
	reorder_push(&p->by_process, (int64_t)*number, p->rows++, row->size, row);
}

/* Rows that leave the window are printed, or wait for the turn of their process. */
static void release(struct printing *p, bool all_in)
{
	struct callrow *row;

	while ((row = reorder_pop(&p->by_time, all_in)))
		(set.by_process ? group_row : print_row)(p, row);
	while (all_in && (row = reorder_pop(&p->by_process, true)))
		print_row(p, row);
}

static void take(void *arg, const struct event *e)
{
	struct printing *p = arg;
	size_t process = processes_event(&set.view.processes, e);
	bool selected = view_selects(&set.view, process, e);

	object_names_event(&p->objects, e);
	if (e->type != EVENT_SYSCALL || !selection_has_call(&set.view.selection, e->call.id) ||
	    !selected)
		return;
	const char *program = processes_name(&set.view.processes, process);
	p->text.n = 0;
	text_put(&p->text, "");
	if (set.arguments)
		arguments_put(&p->text, &p->objects, p->abi, e);
	bool data = view_format(&set.view) != TABLE_TEXT;
	const char *const texts[CALLROW_TEXTS] = {
		[CALLROW_PROGRAM] = program,
		[CALLROW_ARGUMENTS] = p->text.v,
		[CALLROW_PATH] = data ? e->call.path : NULL,
		[CALLROW_OBJECT] = data ? object_names_find(&p->objects, e) : NULL,
	};
	struct callrow *row = callrow_new(&p->pool, e, texts);
	row->process = process;
	reorder_push(&p->by_time, row->time, p->calls++, row->size, row);
	release(p, false);
}

static void print_end(const struct printing *p)
{
	enum table_format format = view_format(&set.view);

	table_print(p->table, stdout, format);
	if (format == TABLE_TEXT)
		printf("\nSTART in seconds, TIME in microseconds");
	view_print_end(&set.view);
	if (p->by_time.late)
		fprintf(format == TABLE_TEXT ? stdout : stderr,
			"%" PRIu64 " call%s printed too late: give a larger --window\n",
			p->by_time.late, p->by_time.late == 1 ? " is" : "s are");
}

static int print_calls(const struct call_column *columns, size_t ncolumns)
{
	struct printing p = {
		.columns = columns,
		.ncolumns = ncolumns,
		.by_time.window = set.window,
		.by_process.window = SIZE_MAX,
	};
	const struct trace_taker taker = {
		.begin = begin, .take = take, .arg = &p, .each = true, .operations = true
	};
	int status = view_read(&set.view, set.view.traces.v[0], &taker, true);

	release(&p, true);
	if (p.table)
		print_end(&p);
	table_free(p.table);
	reorder_free(&p.by_time);
	reorder_free(&p.by_process);
	callrow_pool_free(&p.pool);
	object_names_free(&p.objects);
	text_free(&p.text);
	map_free(&p.numbers);
	return view_end(&set.view, status);
}

int command_dump(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &dump_usage, dump_options, false);
	if (set.by_process && set.window != WINDOW_DEFAULT)
		opt_bad_usage(&dump_usage, "--window: --by-process keeps all calls in memory");
	set.arguments = true;
	if (view_format(&set.view) == TABLE_TEXT)
		return print_calls(dump_text, DUMP_TEXT);
	return print_calls(dump_data, DUMP_DATA);
}

int command_calls(int argc, char **argv)
{
	view_parse(&set.view, argc, argv, &calls_usage, calls_options, false);
	if (!set.view.selection.names.n)
		opt_bad_usage(&calls_usage, "which call? (-e NAME)");
	return print_calls(calls_columns, set.arguments ? CALLS : CALLS - 1);
}
