/* SPDX-License-Identifier: MIT */
/* critpath path: prints what the critical path spends its time on. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "graph/path.h"
#include "../common/load.h"
#include "limits.h"
#include "perfetto.h"
#include "picture.h"
#include "shares.h"
#include "json/json.h"
#include "util/number.h"
#include "util/text.h"
#include "view/waiting.h"

static struct {
	struct load load;
	const char *thread, *end, *by;
	uint64_t top;
	double from, to;
	bool folded, perfetto, dot, svg;
} set = { .load = LOAD_DEFAULT, .from = -INFINITY, .to = INFINITY };

static const struct opt options[] = {
	{ 't', "thread", OPT_STRING, &set.thread, "[HOST:]TID", 0, 0,
	  "anchored path: explain the time of this thread instead of the run" },
	{ 0, "end", OPT_STRING, &set.end, "[HOST:]TID", 0, 0,
	  "global path to the last event of this thread (default: of all)" },
	{ 0, "from", OPT_DURATION, &set.from, "TIME", 0, 1e9, "begin at this time of the trace" },
	{ 0, "to", OPT_DURATION, &set.to, "TIME", 0, 1e9,
	  "with -t: end at this time of the trace" },
	{ 0, "by", OPT_STRING, &set.by, "WORD", 0, 0,
	  "sum up by state (default), word, program, process, thread or resource" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6, "rows to print (default 12)" },
	{ 0, "folded", OPT_FLAG, &set.folded,
	  .help = "print folded stacks for flame graphs: program;thread;state ns" },
	{ 0, "perfetto", OPT_FLAG, &set.perfetto,
	  .help = "print JSON for ui.perfetto.dev, with the path as a track" },
	{ 0, "dot", OPT_FLAG, &set.dot,
	  .help = "print state machines with the path in bold, for dot(1)" },
	{ 0, "svg", OPT_FLAG, &set.svg, .help = "print these as a picture in SVG" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "critpath path",
	.operands = "TRACE",
	.summary = "Prints what the critical path consists of, and what removing the first "
		   "bottleneck would give.",
	.example = "critpath path --by program app.ktr",
};

static const char *duration(char *out, int64_t ns)
{
	return number_format_duration(out, (double)ns * 1e-9);
}

/* 0: several. */
static void put_number(struct table *t, uint32_t id)
{
	char *shown = id ? load_thread(&set.load, id) : NULL;

	table_text(t, shown);
	free(shown);
}

static void print_rows(const struct shares *s, int64_t elapsed)
{
	const struct table_column columns[] = {
		{ "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },
		{ "STEPS", "steps", TABLE_RIGHT },
		{ "PROGRAM", "program",
		  s->by & (BY_PROGRAM | BY_PROCESS) ? TABLE_NAME : TABLE_DATA },
		{ "THREAD", "thread", s->by & BY_THREAD ? TABLE_RIGHT : TABLE_DATA },
		{ "STATE", "state", s->by & BY_WORD ? TABLE_LEFT : TABLE_DATA },
		{ "PROCESS", "process", s->by & BY_PROCESS ? TABLE_RIGHT : TABLE_DATA },
		{ "RESOURCE", "resource", s->by & BY_RESOURCE ? TABLE_LEFT : TABLE_DATA },
	};
	struct table *t = table_of(columns);

	for (size_t i = 0; i < s->n && i < set.top; i++) {
		const struct share *row = &s->v[i];

		table_percent(t, (double)row->ns / (double)(elapsed ? elapsed : 1), "%.1f%%");
		table_seconds(t, (double)row->ns * 1e-9);
		table_count(t, row->steps);
		table_text(t, row->program);
		put_number(t, row->tid);
		table_text(t, row->state);
		put_number(t, row->pid);
		table_text(t, row->resource);
	}
	table_end(t, stdout, load_format(&set.load));
}

/* Returns the thread with that name or number; of several, the one that began last. */
static uint32_t thread_of(const char *words, const char *option)
{
	const struct graph *g = &set.load.graph;
	uint32_t best = GRAPH_NOBODY;
	uint64_t number;

	if (!number_parse_u64(words, &number))
		number = UINT64_MAX;
	for (uint32_t i = 0; i < g->threads.n; i++) {
		char *name = load_thread(&set.load, g->threads.v[i].tid);

		if (g->threads.v[i].last && (g->threads.v[i].tid == number || !strcmp(name, words)))
			best = i;
		free(name);
	}
	if (best == GRAPH_NOBODY)
		errx(1, "%s %s: the trace has no such thread (ktranal idle lists them)", option,
		     words);
	return best;
}

/* Where the path begins and ends. */
struct extent {
	uint32_t thread; /* GRAPH_NOBODY: a global path */
	uint64_t last;
	int64_t from, until;
};

static struct extent find_extent(void)
{
	struct graph *g = &set.load.graph;
	struct extent x = { GRAPH_NOBODY, g->last, g->begin, g->end };

	if (set.thread) {
		x.thread = thread_of(set.thread, "-t");
		x.from = g->threads.v[x.thread].begin;
		x.until = g->threads.v[x.thread].at;
		x.until = set.to * 1e9 < (double)x.until ? (int64_t)(set.to * 1e9) : x.until;
	} else if (set.end) {
		x.last = g->threads.v[thread_of(set.end, "--end")].last;
		x.until = tape_read(&g->tape, x.last - 1)->end;
	}
	x.from = set.from * 1e9 > (double)x.from ? (int64_t)(set.from * 1e9) : x.from;
	if (x.from >= x.until)
		errx(1, "%s: nothing happened in that time", set.load.path);
	return x;
}

static void print_head(const struct extent *x, const struct shares *s, int64_t sum)
{
	const struct graph *g = &set.load.graph;
	char a[NUMBER_MAX], b[NUMBER_MAX];
	int64_t elapsed = x->until - x->from;
	uint32_t thread = x->thread;

	if (thread == GRAPH_NOBODY)
		thread = tape_read(&set.load.graph.tape, x->last - 1)->thread;
	const struct graph_thread *t = &g->threads.v[thread];
	char *number = load_thread(&set.load, t->tid);
	const char *program = g->programs.v[t->program];
	char *name = text_make_printable(xasprintf("%s %s", *program ? program : "?", number));
	free(number);
	printf("%s: %zu thread%s, elapsed %s\n", set.load.path, g->threads.n,
	       g->threads.n == 1 ? "" : "s", duration(a, g->end - g->begin));
	printf(x->thread == GRAPH_NOBODY ? "global critical path to the end of %s: "
					 : "critical path anchored to %s: ",
	       name);
	free(name);
	printf("%s in %" PRIu64 " step%s", duration(a, sum), s->steps, s->steps == 1 ? "" : "s");
	printf(sum == elapsed ? ", all of the time\n"
			      : ", which is not the %s of the time: a bug\n",
	       duration(b, elapsed));
	printf("unexplained %.1f %%, in gaps of the trace %.1f %%, guessed %.1f %%",
	       100 * (double)s->unknown / (double)elapsed,
	       100 * (double)graph_missing(g, x->from, x->until) / (double)elapsed,
	       100 * (double)s->guessed / (double)elapsed);
	printf(" and %" PRIu64 " of %" PRIu64 " change%s of thread\n\n", s->guessed_changes,
	       s->changes, s->changes == 1 ? "" : "s");
}

/* Prints a part of a stack without the characters that end parts and lines. */
static void put_part(const char *name, char end)
{
	for (; *name; name++)
		putchar((unsigned char)*name < ' ' || *name == ';' ? '?' : *name);
	putchar(end);
}

static void print_folded(const struct shares *s)
{
	for (size_t i = 0; i < s->n; i++) {
		char *thread = load_thread(&set.load, s->v[i].tid);

		put_part(s->v[i].program, ';');
		put_part(thread, ';');
		put_part(s->v[i].state ? s->v[i].state : "unknown", ' ');
		printf("%" PRId64 "\n", s->v[i].ns);
		free(thread);
	}
}

/* Prints a member of a JSON object. */
static void put_seconds(const char *name, int64_t ns)
{
	printf(", \"%s_seconds\": %.9f", name, (double)ns * 1e-9);
}

static void put_member(const char *name, json_t *value)
{
	printf(", \"%s\": ", name);
	json_dumpf(value, stdout, JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
	json_decref(value);
}

static void print_json(const struct extent *x, const struct shares *s, int64_t sum,
		       const struct limits *limits)
{
	printf("{\"kind\": \"%s\"", x->thread == GRAPH_NOBODY ? "global" : "anchored");
	put_seconds("elapsed", x->until - x->from);
	put_seconds("sum", sum);
	put_seconds("unknown", s->unknown);
	put_seconds("guessed", s->guessed);
	printf(", \"changes\": %" PRIu64 ", \"guessed_changes\": %" PRIu64, s->changes,
	       s->guessed_changes);
	put_seconds("lost", graph_missing(&set.load.graph, x->from, x->until));
	printf(",\n\"rows\": ");
	print_rows(s, x->until - x->from);
	if (limits) {
		put_member("bottleneck", limits_bottleneck(limits));
		put_member("loops", limits_loops(limits));
	}
	put_member("completeness", completeness_json(&set.load.completeness));
	printf("}\n");
}

/* Text and JSON also say what limits the run, if the path is that of all of it. */
static void print_all(const struct extent *x, const struct shares *s, int64_t sum)
{
	bool whole = x->thread == GRAPH_NOBODY && !set.end && set.from < 0;
	enum table_format format = load_format(&set.load);
	struct limits limits;

	if (format == TABLE_CSV) {
		print_rows(s, x->until - x->from);
		return;
	}
	if (whole)
		limits = limits_find(&set.load.graph);
	if (format == TABLE_JSON) {
		print_json(x, s, sum, whole ? &limits : NULL);
		return;
	}
	print_head(x, s, sum);
	print_rows(s, x->until - x->from);
	if (whole)
		limits_print(&limits);
}

static int64_t walk(const struct extent *x, path_take *take, void *arg)
{
	struct graph *g = &set.load.graph;

	return x->thread == GRAPH_NOBODY
		   ? path_global(g, x->last, x->from, take, arg)
		   : path_anchored(g, x->thread, x->from, x->until, take, arg);
}

static void print_table_of(const struct extent *x, struct shares *shares)
{
	int64_t sum = walk(x, shares_take, shares);

	shares_sort(shares);
	if (set.folded)
		print_folded(shares);
	else
		print_all(x, shares, sum);
	shares_free(shares);
}

int command_path(int argc, char **argv)
{
	struct picture picture = { .graph = &set.load.graph };
	struct shares shares = { .graph = &set.load.graph };

	load_parse(&set.load, argc, argv, &usage, options);
	int pictures = set.folded + set.perfetto + set.dot + set.svg;
	if (pictures + (load_format(&set.load) != TABLE_TEXT) > 1)
		opt_bad_usage(&usage,
			      "--folded, --perfetto, --dot, --svg, --json and --csv exclude each "
			      "other");
	if (set.to < INFINITY && !set.thread)
		opt_bad_usage(&usage,
			      "--to needs -t: a global path ends where a thread ends (--end)");
	if (set.thread && set.end)
		opt_bad_usage(&usage, "-t and --end exclude each other");
	if (pictures && (set.by || set.top))
		opt_bad_usage(&usage, "--by and --top are of the table, which is not printed");
	set.by = set.folded ? "all" : set.by ? set.by : "state";
	set.top = set.top ? set.top : 12;
	if (!shares_by(&shares, set.by))
		opt_bad_usage(&usage,
			      "--by %s: not one of state, word, program, process, thread, resource",
			      set.by);
	load_read(&set.load);
	struct extent x = find_extent();
	if (set.perfetto) {
		perfetto_begin(&set.load.graph);
		walk(&x, perfetto_take, &set.load.graph);
		perfetto_end();
	} else if (set.dot || set.svg) {
		walk(&x, picture_take, &picture);
		(set.svg ? picture_svg : picture_dot)(&picture);
	} else {
		print_table_of(&x, &shares);
	}
	load_end(&set.load);
	return 0;
}
