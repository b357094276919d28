/* SPDX-License-Identifier: MIT */
/* critpath requests: explains the time of requests, with percentiles. */
#include "graph/requests.h"

#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "../common/load.h"
#include "stats/histogram.h"

static struct {
	struct load load;
	uint64_t top;
	const char *program, *start, *stop;
} set = { .load = LOAD_DEFAULT, .top = 8 };

static const struct opt options[] = {
	{ 0, "program", OPT_STRING, &set.program, "NAME", 0, 0,
	  "only requests answered by this program" },
	{ 0, "start", OPT_STRING, &set.start, "STATE", 0, 0,
	  "requests begin when a thread enters this state, as a mark says" },
	{ 0, "stop", OPT_STRING, &set.stop, "STATE", 0, 0,
	  "and end with this state (default: the next one)" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6,
	  "states of each program to print (default 8)" },
	LOAD_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "critpath requests",
	.operands = "TRACE",
	.summary = "Prints what the time of requests consists of, from the first read of a request "
		   "on a connection to the first write of its answer.",
	.example = "critpath requests --program redis-server app.ktr",
};

/* The ns that one request spent in a state; UNKNOWN: not explained by the trace. */
struct part {
	uint32_t state;
	int64_t ns;
};

enum { UNKNOWN = UINT32_MAX };

struct one {
	VEC(struct part) parts;
};

/* The requests answered by one program. */
struct group {
	uint32_t program;
	struct histogram all;
	int64_t ns, others;
	VEC(struct state_sum {
		uint32_t state;
		int64_t ns;
		uint64_t times;
		struct histogram each;
	})
	states;
};

static VEC(struct group) groups;

static struct group *group_of(uint32_t program)
{
	for (size_t i = 0; i < groups.n; i++)
		if (groups.v[i].program == program)
			return &groups.v[i];
	vec_push(&groups, (struct group){ .program = program });
	return &groups.v[groups.n - 1];
}

static void *begin(void *arg, const struct request *r)
{
	(void)arg;
	(void)r;
	return xcalloc(1, sizeof(struct one));
}

static void take(void *arg, const struct path_step *s)
{
	struct one *one = arg;
	uint32_t state = s->kind == STEP_UNKNOWN ? UNKNOWN : s->state;

	for (size_t i = 0; i < one->parts.n; i++)
		if (one->parts.v[i].state == state) {
			one->parts.v[i].ns += s->to - s->from;
			return;
		}
	vec_push(&one->parts, (struct part){ state, s->to - s->from });
}

static void add_part(struct group *g, const struct part *p)
{
	size_t i = 0;

	while (i < g->states.n && g->states.v[i].state != p->state)
		i++;
	if (i == g->states.n)
		vec_push(&g->states, (struct state_sum){ .state = p->state });
	g->states.v[i].ns += p->ns;
	g->states.v[i].times++;
	histogram_add(&g->states.v[i].each, (uint64_t)p->ns, 1);
}

static void end(void *arg, void *request, const struct request *r)
{
	struct one *one = request;
	struct group *g = group_of(set.load.graph.threads.v[r->thread].program);

	(void)arg;
	histogram_add(&g->all, (uint64_t)(r->until - r->from), 1);
	g->ns += r->until - r->from;
	g->others += r->others;
	for (size_t i = 0; i < one->parts.n; i++)
		add_part(g, &one->parts.v[i]);
	vec_free(&one->parts);
	free(one);
}

/* ---- the table ---- */

static const struct table_column columns[] = {
	{ "PROGRAM", "program", TABLE_NAME },	     { "REQUESTS", "requests", TABLE_RIGHT },
	{ "STATE OF", "state_program", TABLE_NAME }, { "STATE", "state", TABLE_LEFT },
	{ "SHARE", "share", TABLE_RIGHT },	     { "MEAN", "mean_seconds", TABLE_RIGHT },
	{ "P50", "p50_seconds", TABLE_RIGHT },	     { "P90", "p90_seconds", TABLE_RIGHT },
	{ "P99", "p99_seconds", TABLE_RIGHT },
};

/* h: the histogram of the requests, out of n, that spent time in the state; the others count as
 * 0. */
static void put_row(struct table *t, const struct group *g, const char *program, const char *state,
		    int64_t ns, struct histogram *h, uint64_t n)
{
	static const double quantiles[] = { 0.5, 0.9, 0.99 };

	table_text(t, set.load.graph.programs.v[g->program]);
	table_count(t, g->all.n);
	table_text(t, program);
	table_text(t, state);
	table_percent(t, g->ns ? (double)ns / (double)g->ns : 0, "%.1f%%");
	table_seconds(t, (double)ns * 1e-9 / (double)g->all.n);
	if (h && h->n < n)
		histogram_add(h, 0, n - h->n);
	for (size_t i = 0; i < sizeof(quantiles) / sizeof(*quantiles); i++)
		table_seconds(t, h ? histogram_quantile(h, quantiles[i]) * 1e-9 : NAN);
}

static int longer(const void *a, const void *b)
{
	const struct state_sum *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static void put_group(struct table *t, struct group *g)
{
	const struct graph *graph = &set.load.graph;

	put_row(t, g, NULL, "all", g->ns, &g->all, g->all.n);
	if (g->others)
		put_row(t, g, NULL, "other connections", g->others, NULL, g->all.n);
	vec_sort(&g->states, longer);
	for (size_t i = 0; i < g->states.n && i < set.top; i++) {
		struct state_sum *s = &g->states.v[i];
		const struct graph_state *state =
		    s->state == UNKNOWN ? NULL : &graph->states.v[s->state];

		put_row(t, g, state ? graph->programs.v[state->program] : NULL,
			state ? graph->words.v[state->word] : "unknown", s->ns, &s->each, g->all.n);
	}
}

static bool is_wanted(const struct group *g)
{
	return !set.program || !strcmp(set.program, set.load.graph.programs.v[g->program]);
}

static size_t print_table(void)
{
	struct table *t = table_of(columns);
	size_t n = 0;

	for (size_t i = 0; i < groups.n; i++)
		if (is_wanted(&groups.v[i])) {
			put_group(t, &groups.v[i]);
			n++;
		}
	if (n)
		table_print(t, stdout, load_format(&set.load));
	table_free(t);
	return n;
}

static void free_all(void)
{
	for (size_t i = 0; i < groups.n; i++) {
		histogram_free(&groups.v[i].all);
		for (size_t s = 0; s < groups.v[i].states.n; s++)
			histogram_free(&groups.v[i].states.v[s].each);
		vec_free(&groups.v[i].states);
	}
	vec_free(&groups);
}

int command_requests(int argc, char **argv)
{
	const struct request_taker taker = { begin, take, end, NULL };

	load_parse(&set.load, argc, argv, &usage, options);
	if (set.stop && !set.start)
		opt_bad_usage(&usage, "--stop needs --start");
	set.load.derive.request_from = set.start;
	set.load.derive.request_until = set.stop;
	load_read(&set.load);
	uint64_t left_out = requests(&set.load.graph, set.load.derive.request_queue, &taker);
	size_t printed = print_table();
	if (!printed && set.start)
		warnx("%s: no requests from a mark of state %s to one of %s", set.load.path,
		      set.start, set.stop ? set.stop : "another");
	else if (!printed)
		warnx("%s: no requests%s%s: a request is read and answered on the same connection",
		      set.load.path, set.program ? " answered by " : "",
		      set.program ? set.program : "");
	if (left_out)
		warnx("%" PRIu64 " requests are left out: more than 4096 were open at a time",
		      left_out);
	free_all();
	load_end(&set.load);
	return !printed;
}
