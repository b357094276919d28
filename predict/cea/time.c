/* SPDX-License-Identifier: MIT */
/* cea time: shows how each program or thread spent its time. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/load.h"
#include "commands.h"

static struct {
	struct load load;
	const char *by;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .by = "program", .top = 30 };

static const struct opt options[] = { { 0, "by", OPT_STRING, &set.by, "WORD", 0, 0,
					"print a row for each program (default) or thread" },
				      { 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6,
					"rows to print (default 30)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "cea time",
	.operands = "TRACE",
	.summary =
	    "Prints how each program or thread spent its time; each moment of a thread is in "
	    "one category.",
	.example = "cea time --by thread app.ktr",
};

void time_columns(struct table_column *columns, int n)
{
	static char keys[CYCLES][32];
	static const char *const titles[CYCLES] = {
		[COMPUTATION] = "COMPUTE",
		[COMMUNICATION] = "COMM",
		[SYSTEM] = "SYSTEM",
		[SYNCHRONIZATION] = "SYNC",
		[CONTENTION] = "CONTEND",
		[IDLE] = "IDLE",
		[TRACING] = "TRACING",
		[UNKNOWN] = "UNKNOWN",
		[TOO_FEW_THREADS] = "PARALLEL",
	};

	for (int c = 0; c < n; c++) {
		snprintf(keys[c], sizeof(keys[c]), "%s_seconds", cycles_name(c));
		columns[c] = (struct table_column){ titles[c], keys[c], TABLE_RIGHT };
	}
}

struct row {
	uint32_t program, tid; /* tid 0: all threads of the program */
	int64_t ns[CATEGORIES];
	int64_t whole, left; /* left: in no category */
};

static int longer(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->whole < y->whole) - (x->whole > y->whole);
}

/* Fills a row for each thread or program and sorts the rows.  Returns their number. */
static size_t merge_rows(const struct graph *g, int64_t (*ns)[CATEGORIES], bool by_thread,
			 struct row *rows)
{
	size_t n = by_thread ? g->threads.n : g->programs.n;

	for (size_t t = 0; t < g->threads.n; t++) {
		const struct graph_thread *thread = &g->threads.v[t];
		struct row *r = &rows[by_thread ? t : thread->program];

		r->program = thread->program;
		r->tid = by_thread ? thread->tid : 0;
		r->whole += thread->at - thread->begin;
		r->left += thread->at - thread->begin;
		for (int c = 0; c < CATEGORIES; c++) {
			r->ns[c] += ns[t][c];
			r->left -= ns[t][c];
		}
	}
	qsort(rows, n, sizeof(*rows), longer);
	return n;
}

static void print_rows(const struct graph *g, const struct row *rows, size_t n)
{
	int64_t left = 0;
	struct table_column columns[CATEGORIES + 4] = { { "PROGRAM", "program", TABLE_NAME },
							{ "THREAD", "thread", TABLE_RIGHT },
							{ "TIME", "seconds", TABLE_RIGHT } };

	time_columns(columns + 3, CATEGORIES);
	columns[CATEGORIES + 3] =
	    (struct table_column){ "residual", "residual_seconds", TABLE_DATA };
	struct table *t = table_new(columns, CATEGORIES + 4);
	for (size_t i = 0; i < n && i < set.top && rows[i].whole > 0; i++) {
		char *thread = rows[i].tid ? load_thread(&set.load, rows[i].tid) : NULL;

		table_text(t, g->programs.v[rows[i].program]);
		table_text(t, thread);
		free(thread);
		table_seconds(t, (double)rows[i].whole * 1e-9);
		for (int c = 0; c < CATEGORIES; c++)
			table_seconds(t, (double)rows[i].ns[c] * 1e-9);
		table_seconds(t, (double)rows[i].left * 1e-9);
	}
	table_end(t, stdout, load_format(&set.load));
	for (size_t i = 0; i < n; i++)
		left += rows[i].left;
	if (load_format(&set.load) == TABLE_TEXT)
		printf("not in a category: %" PRId64 " ns\n", left);
}

int command_time(int argc, char **argv)
{
	struct graph *g = &set.load.graph;

	load_parse(&set.load, argc, argv, &usage, options);
	bool by_thread = !strcmp(set.by, "thread");
	if (!by_thread && strcmp(set.by, "program") != 0)
		opt_bad_usage(&usage, "--by %s: not program or thread", set.by);
	load_read(&set.load);
	int64_t(*ns)[CATEGORIES] = xcalloc(g->threads.n + 1, sizeof(*ns));
	struct row *rows = xcalloc(g->threads.n + g->programs.n + 1, sizeof(*rows));
	categories(g, set.load.completeness.call_cost, ns, NULL);
	print_rows(g, rows, merge_rows(g, ns, by_thread, rows));
	free(ns);
	free(rows);
	load_end(&set.load);
	return 0;
}
