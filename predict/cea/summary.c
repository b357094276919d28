/* SPDX-License-Identifier: MIT */
/* cea summary: on one screen, what time went to and what waits were for. */
#include <err.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "../critpath/hypotheses.h"
#include "../critpath/load.h"
#include "commands.h"
#include "graph/categories.h"
#include "merged.h"
#include "places.h"
#include "util/number.h"

static struct {
	struct load load;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 5 };

static const struct opt options[] = { { 0, "top", OPT_COUNT, &set.top, "N", 1, REPLAY_LANES,
					"causes to print (default 5)" },
				      LOAD_OPTIONS(set.load),
				      { 0 } };

static const struct opt_usage usage = {
	.program = "cea summary",
	.operands = "TRACE",
	.summary = "Print what time went to, and the largest causes of waits with what the run "
		   "would gain without them.",
	.example = "cea summary app.ktr",
};

/* A cause of all waits together, or who had the CPU. */
struct row {
	uint64_t count;
	int64_t ns;
	uint16_t removed; /* the state to be without for the gain */
	bool removable;
	double gain; /* ns */
	uint32_t key;
	const struct characterization *most; /* where it took most; NULL: of a CPU */
	int64_t most_ns;
	const struct interference *cpu;
};

static VEC(struct row) rows;

static int larger(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* ---- the causes ---- */

static void add_cause(struct map *by_key, const struct characterization *c,
		      const struct cause *cause)
{
	uint64_t *at = map_at(by_key, cause->key);

	if (!*at) {
		vec_push(&rows, (struct row){ .key = cause->key,
					      .removed = (uint16_t)cause->key,
					      .removable = !(cause->key & EXPLAIN_UNKNOWN) });
		*at = rows.n;
	}
	struct row *r = &rows.v[*at - 1];
	r->ns += cause->ns;
	r->count += cause->count;
	if (!r->most || cause->ns > r->most_ns) {
		r->most = c;
		r->most_ns = cause->ns;
	}
}

/* Without the waits for a CPU of the waiter's program. */
static void add_cpu(struct graph *g, const struct interference *x)
{
	size_t program = names_find(&g->programs, x->waiter);
	size_t word = names_find(&g->words, "runnable");
	const uint64_t *state = program == SIZE_MAX || word == SIZE_MAX
				    ? NULL
				    : map_find(&g->by_state, (uint64_t)program << 32 | word);

	vec_push(&rows, (struct row){ .cpu = x,
				      .count = x->count,
				      .ns = x->ns,
				      .removed = state ? (uint16_t)(*state - 1) : 0,
				      .removable = state != NULL });
}

static void find_causes(struct merged *m)
{
	struct map by_key = { 0 };

	for (size_t i = 0; i < m->waits.n; i++)
		for (size_t c = 0; c < m->waits.v[i].causes.n; c++)
			add_cause(&by_key, &m->waits.v[i], &m->waits.v[i].causes.v[c]);
	map_free(&by_key);
	for (size_t i = 0; i < m->lost.n; i++)
		if (m->lost.v[i].kind == OF_CPU)
			add_cpu(m->graph, &m->lost.v[i]);
	if (rows.n)
		qsort(rows.v, rows.n, sizeof(*rows.v), larger);
}

/* How many are printed: what makes waits shorter is no cause. */
static size_t shown_rows(void)
{
	size_t n = 0;

	while (n < rows.n && n < set.top && rows.v[n].ns > 0)
		n++;
	return n;
}

/* What the run would take less if those states took no time, each by itself, in the frozen order.
 */
static void find_gains(struct graph *g)
{
	struct hypotheses h = { 0 };
	double ns[REPLAY_LANES], whole = (double)(g->end - g->begin);

	for (size_t i = 0; i < shown_rows(); i++) {
		hypotheses_add(&h, g);
		if (rows.v[i].removable)
			hypotheses_remove(&h, g, i, rows.v[i].removed);
	}
	hypotheses_replay(&h, g, ns);
	for (size_t i = 0; i < h.n; i++)
		rows.v[i].gain = rows.v[i].removable ? whole - ns[i] : NAN;
	hypotheses_free(&h);
}

/* ---- printing ---- */

static void put_share(struct table *t, double part, double whole)
{
	char shown[NUMBER_MAX];

	snprintf(shown, sizeof(shown), "%.1f%%", whole > 0 ? 100 * part / whole : 0);
	table_shown(t, whole > 0 ? part / whole : 0, shown);
}

static void print_categories(const struct graph *g, const int64_t *ns, int64_t sum)
{
	static const struct table_column columns[] = {
		{ "TIME OF THREADS", "category", TABLE_LEFT },
		{ "SECONDS", "seconds", TABLE_RIGHT },
		{ "SHARE", "share", TABLE_RIGHT },
		{ "CPUS", "parallel", TABLE_RIGHT },
	};
	struct table *t = table_new(columns, 4);

	for (int c = 0; c < CATEGORIES; c++)
		if (ns[c] || load_format(&set.load) != TABLE_TEXT) {
			table_text(t, category_name((enum category)c));
			table_seconds(t, (double)ns[c] * 1e-9);
			put_share(t, (double)ns[c], (double)sum);
			table_number(t, (double)ns[c] / (double)(g->end - g->begin), "%.2f");
		}
	table_print(t, stdout, load_format(&set.load));
	table_free(t);
}

/* In text one cell says it in words, for programs each name is a column. */
static void put_names(struct table *t, const struct graph *g, const struct row *r)
{
	char *names[4] = { NULL };
	const char *what = "runnable";

	if (r->cpu) {
		names[0] = xasprintf("%s had the CPU", r->cpu->user);
		names[1] = xstrdup(r->cpu->waiter);
	} else {
		names[0] = cause_name(g, r->key);
		names[1] = site_name(g, r->most->waits_at);
		names[2] = r->most->known ? site_name(g, r->most->woken_at) : NULL;
		what = g->words.v[g->states.v[r->most->state].word];
	}
	table_text(t, names[0]);
	table_text(t, names[1]);
	table_text(t, what);
	table_text(t, names[2]);
	if (load_format(&set.load) == TABLE_TEXT) {
		names[3] = xasprintf("%s; %s %s (%s)%s%s", names[0],
				     r->cpu ? "waited:" : "mostly in", names[1], what,
				     names[2] ? ", woken by " : "", names[2] ? names[2] : "");
		table_text(t, names[3]);
	}
	for (int i = 0; i < 4; i++)
		free(names[i]);
}

static void print_causes(const struct merged *m)
{
	static const struct table_column columns[] = {
		{ "SHARE", "share", TABLE_RIGHT },  { "TIME", "seconds", TABLE_RIGHT },
		{ "WAITS", "waits", TABLE_RIGHT },  { "GAIN", "gain_seconds", TABLE_RIGHT },
		{ "cause", NULL, TABLE_DATA },	    { "waiter", NULL, TABLE_DATA },
		{ "for", NULL, TABLE_DATA },	    { "waker", NULL, TABLE_DATA },
		{ "BECAUSE OF", NULL, TABLE_LIST },
	};
	size_t n = sizeof(columns) / sizeof(*columns);
	struct table *t = table_new(columns, load_format(&set.load) == TABLE_TEXT ? n : n - 1);

	for (size_t i = 0; i < shown_rows(); i++) {
		const struct row *r = &rows.v[i];

		put_share(t, (double)r->ns, (double)(m->ns + m->cpu));
		table_seconds(t, (double)r->ns * 1e-9);
		table_count(t, r->count);
		table_seconds(t, r->gain * 1e-9);
		put_names(t, m->graph, r);
	}
	table_print(t, stdout, load_format(&set.load));
	table_free(t);
}

/* Of all threads; their sum is in *sum, the time of the threads less that is the result. */
static int64_t sum_up(struct graph *g, int64_t *total, int64_t *sum)
{
	int64_t(*ns)[CATEGORIES] = xcalloc(g->threads.n + 1, sizeof(*ns)), whole = 0;

	categories(g, set.load.completeness.call_cost, ns);
	*sum = 0;
	for (size_t t = 0; t < g->threads.n; t++) {
		whole += g->threads.v[t].at - g->threads.v[t].begin;
		for (int c = 0; c < CATEGORIES; c++) {
			total[c] += ns[t][c];
			*sum += ns[t][c];
		}
	}
	free(ns);
	return whole - *sum;
}

static double percent(int64_t part, int64_t whole)
{
	return whole ? 100 * (double)part / (double)whole : 0;
}

static void print_text(const struct merged *m, const int64_t *ns, int64_t sum, int64_t left)
{
	const struct graph *g = m->graph;
	char a[NUMBER_MAX], b[NUMBER_MAX];
	int64_t direct = 0, guessed = 0;

	for (size_t i = 0; i < m->waits.n; i++) {
		direct += m->waits.v[i].direct;
		guessed += m->waits.v[i].guessed;
	}
	printf("%s: %zu threads, elapsed %s, %s of threads; not in a category: %" PRId64 " ns\n\n",
	       set.load.path, g->threads.n,
	       number_format_duration(a, (double)(g->end - g->begin) * 1e-9),
	       number_format_duration(b, (double)sum * 1e-9), left);
	print_categories(g, ns, sum);
	printf("\nwaits for a CPU: %s; %" PRIu64
	       " waits for other threads: %s, without a cause: %" PRId64 " ns\n",
	       number_format_duration(a, (double)m->cpu * 1e-9), m->count,
	       number_format_duration(b, (double)m->ns * 1e-9), m->residual);
	printf("who ended the wait worked in %.1f %% of that time, and waited in the rest\n",
	       percent(direct, m->ns));
	printf("unknown who it was: %.1f %%, guessed: %.1f %%; while events were lost: %.1f %%\n\n",
	       percent(m->unknown, m->ns), percent(guessed, m->ns),
	       percent(graph_missing(g, g->begin, g->end), g->end - g->begin));
	if (rows.n)
		print_causes(m);
}

int command_summary(int argc, char **argv)
{
	struct graph *g = &set.load.graph;
	struct merged m = { 0 };
	int64_t ns[CATEGORIES] = { 0 }, sum, left;

	load_trace(&set.load, argc, argv, &usage, options);
	left = sum_up(g, ns, &sum);
	places_begin(set.load.path);
	merge(&m, g);
	find_causes(&m);
	find_gains(g);
	switch (load_format(&set.load)) {
	case TABLE_TEXT: print_text(&m, ns, sum, left); break;
	case TABLE_JSON:
		printf("{\"elapsed_ns\": %" PRId64 ", \"threads_ns\": %" PRId64
		       ", \"threads_residual_ns\": %" PRId64 ", \"wait_count\": %" PRIu64
		       ", \"waits_ns\": %" PRId64 ", \"waits_residual_ns\": %" PRId64
		       ", \"waits_unknown_ns\": %" PRId64 ", \"cpu_waits_ns\": %" PRId64
		       ", \"lost_ns\": %" PRId64 ",\n\"categories\": ",
		       g->end - g->begin, sum, left, m.count, m.ns, m.residual, m.unknown, m.cpu,
		       graph_missing(g, g->begin, g->end));
		print_categories(g, ns, sum);
		printf(", \"causes\": ");
		print_causes(&m);
		printf("}\n");
		break;
	default: print_causes(&m);
	}
	load_warn(&set.load);
	if (places_missing())
		warnx("%s", places_missing());
	vec_free(&rows);
	merged_free(&m);
	load_free(&set.load);
	return 0;
}
