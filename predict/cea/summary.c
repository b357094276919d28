/* SPDX-License-Identifier: MIT */
/* cea summary: shows on one screen how time was spent and what waits were for. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../common/hypotheses.h"
#include "commands.h"
#include "graph/categories.h"
#include "findings.h"
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
	.summary = "Prints how time was spent, and the largest causes of waits with what the run "
		   "would gain without them.",
	.example = "cea summary app.ktr",
};

/* A cause of waits, summed over all waits for threads and for a CPU. */
struct row {
	uint64_t count;
	int64_t ns, indirect;
	double gain; /* ns that its removal would save; < 0: unknown */
	uint64_t key;
	const struct characterization *most; /* the waits in which it took most; or NULL */
	struct site most_at;		     /* where it did so */
	int64_t most_ns;
	const struct cause *largest;	/* of the cause's places in the waits looked at last, */
	int64_t sum;			/* and the sum of all of these */
	size_t in;			/* number of those waits, plus 1 */
	const struct interference *cpu; /* who had the CPU most; or NULL */
};

static VEC(struct row) rows;

static int larger(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

/* ---- the causes ---- */

static struct row *row_of(struct map *by_key, uint64_t key)
{
	uint64_t *at = map_at(by_key, key);

	if (!*at) {
		vec_push(&rows, (struct row){ .key = key });
		*at = rows.n;
	}
	return &rows.v[*at - 1];
}

/* Notes in which waits, and at which place, causes took most.  In the same waits a cause may be
 * longer at one place, and shorter at another one. */
static void note_most(struct map *by_key, const struct characterizations *waits, size_t number)
{
	const struct characterization *c = &waits->v[number];

	for (size_t i = 0; i < c->causes.n; i++) {
		const struct cause *cause = &c->causes.v[i];
		struct row *r = row_of(by_key, cause_whole(cause->key));
		bool again = r->in == number + 1;

		r->sum = (again ? r->sum : 0) + cause->ns;
		r->largest = again && r->largest->ns >= cause->ns ? r->largest : cause;
		r->in = number + 1;
	}
	for (size_t i = 0; i < c->causes.n; i++) {
		struct row *r = row_of(by_key, cause_whole(c->causes.v[i].key));

		if (r->most && r->sum <= r->most_ns)
			continue;
		r->most = c;
		r->most_at = explain_site(r->largest->key);
		r->most_ns = r->sum;
	}
}

/* Returns the row of the state "runnable" of that class's program; NULL: it has none, or waited for
 * another resource. */
static struct row *row_of_cpu(const struct findings *f, struct map *by_key, enum resource resource,
			      uint32_t waiter)
{
	uint32_t program = f->lost.classes.v[waiter].program, state = 0;

	if (resource == RESOURCE_CPU)
		state = graph_find_state(f->graph, program, "runnable", RUNNABLE);
	return state ? row_of(by_key, cause_whole(f->same[state - 1])) : NULL;
}

/* Adds waits for a CPU as time lost in that state, each once, however many had the CPU meanwhile.
 */
static void add_cpu(const struct findings *f, struct map *by_key)
{
	for (size_t i = 0; i < f->lost.waits.n; i++) {
		const struct class_waits *w = &f->lost.waits.v[i];
		struct row *r = row_of_cpu(f, by_key, w->resource, w->waiter);

		if (!r)
			continue;
		r->ns += w->ns;
		r->count += w->count;
	}
	for (size_t i = 0; i < f->lost.n; i++) {
		const struct interference *x = &f->lost.v[i];
		struct row *r = row_of_cpu(f, by_key, x->resource, x->waiter);

		if (r && (!r->cpu || x->ns > r->cpu->ns))
			r->cpu = x;
	}
}

static void find_causes(const struct findings *f)
{
	struct map by_key = { 0 };

	for (size_t i = 0; i < f->waits.causes.n; i++) {
		struct row *r = row_of(&by_key, f->waits.causes.v[i].key);

		r->ns = f->waits.causes.v[i].ns;
		r->indirect = f->waits.causes.v[i].indirect;
		r->count = f->waits.causes.v[i].count;
	}
	for (size_t i = 0; i < f->waits.n; i++)
		note_most(&by_key, &f->waits, i);
	add_cpu(f, &by_key);
	map_free(&by_key);
	vec_sort(&rows, larger);
}

/* Returns how many rows may be printed; a cause that makes waits shorter is left out. */
static size_t candidates(void)
{
	size_t n = 0;

	while (n < rows.n && n < REPLAY_LANES && rows.v[n].ns > 0)
		n++;
	return n;
}

static size_t shown_rows(void)
{
	return candidates() < set.top ? candidates() : set.top;
}

/* The order of the gain puts threads that wait because they have nothing to do last. */
static int gains_more(const void *a, const void *b)
{
	const struct row *x = a, *y = b;

	return x->gain != y->gain ? (x->gain < y->gain) - (x->gain > y->gain) : larger(a, b);
}

/* Adds the hypothesis that the cause takes no time: a state, or the wake-ups of those who wait in
 * it. */
static void add_hypothesis(struct hypotheses *h, const struct findings *f, uint64_t key)
{
	const struct graph *g = f->graph;
	size_t number = hypotheses_add(h, g);

	for (size_t s = 0; s < g->states.n && !(key & EXPLAIN_UNKNOWN); s++)
		if (f->same[s] == (uint16_t)key)
			(key & EXPLAIN_EDGE ? hypotheses_remove_way
					    : hypotheses_remove)(h, g, number, (uint16_t)s);
}

/* Computes by how much shorter the run would be without each cause, one at a time, in the frozen
 * order. */
static void find_gains(const struct findings *f)
{
	struct graph *g = f->graph;
	struct hypotheses h = { 0 };
	double ns[REPLAY_LANES], whole = (double)(g->end - g->begin);

	for (size_t i = 0; i < candidates(); i++)
		add_hypothesis(&h, f, rows.v[i].key);
	replay(g, h.v, h.n, ns);
	for (size_t i = 0; i < h.n; i++)
		rows.v[i].gain = rows.v[i].key & EXPLAIN_UNKNOWN ? -1 : whole - ns[i];
	if (h.n)
		qsort(rows.v, h.n, sizeof(*rows.v), gains_more);
	hypotheses_free(&h);
}

/* ---- printing ---- */

static void print_categories(const struct graph *g, const int64_t *ns, int64_t sum)
{
	static const struct table_column columns[] = {
		{ "CATEGORY", "category", TABLE_LEFT },
		{ "TIME", "seconds", TABLE_RIGHT },
		{ "SHARE", "share", TABLE_RIGHT },
		{ "THREADS", "threads", TABLE_RIGHT },
	};
	struct table *t = table_of(columns);

	for (int c = 0; c < CATEGORIES; c++)
		if (ns[c] || load_format(&set.load) != TABLE_TEXT) {
			table_text(t, category_name((enum category)c));
			table_seconds(t, (double)ns[c] * 1e-9);
			table_percent(t, (double)ns[c] / (double)sum, "%.1f%%");
			table_number(t, (double)ns[c] / (double)(g->end - g->begin), "%.2f");
		}
	table_end(t, stdout, load_format(&set.load));
}

/* Returns where the cause took most, if that is marked and not the cause itself, or NULL; the
 * caller frees.  Of a cause of no waits but for a CPU both places are 0. */
static char *place_of(const struct graph *g, const struct row *r)
{
	const struct site at = { r->most_at.user, r->most_at.user };
	const char *word = g->words.v[g->states.v[at.user].word];
	bool marked = at.user != r->most_at.call && strcmp(word, "user") != 0;

	return marked ? site_name(g, at) : NULL;
}

/* In text one cell describes the row in words; in other formats each name has a column. */
static void put_names(struct table *t, const struct findings *f, const struct row *r)
{
	const struct graph *g = f->graph;
	const struct characterization *most = r->most;
	char *cause = cause_name(g, r->key);
	char *waiter = most ? site_name(g, most->waits_at) : NULL;
	char *waker = most && most->known ? site_name(g, most->woken_at) : NULL;
	const char *user = r->cpu ? f->classes[r->cpu->user] : NULL;
	char *place = place_of(g, r);

	table_text(t, cause);
	table_text(t, waiter);
	table_text(t, most ? most->word : NULL);
	table_text(t, waker);
	table_text(t, user);
	table_text(t, place);
	table_seconds(t, (double)r->indirect * 1e-9);
	if (load_format(&set.load) == TABLE_TEXT) {
		char *wait = most ? wait_name(f->graph, most) : NULL;
		char *in = place ? xasprintf("in %s, ", place) : xstrdup("");
		char *text =
		    xasprintf("%s%s%s%s%s%s%s%s", cause, user ? ", while " : "", user ? user : "",
			      user ? " had the CPU" : "", wait ? "; most " : "", wait ? in : "",
			      wait ? "where " : "", wait ? wait : "");

		table_text(t, text);
		free(text);
		free(in);
		free(wait);
	}
	free(cause);
	free(waiter);
	free(waker);
	free(place);
}

static void print_causes(const struct findings *f)
{
	static const struct table_column columns[] = {
		{ "SHARE", "share", TABLE_RIGHT },
		{ "TIME", "seconds", TABLE_RIGHT },
		{ "WAITS", "waits", TABLE_RIGHT },
		{ "GAIN", "gain_seconds", TABLE_RIGHT },
		{ "cause", NULL, TABLE_DATA },
		{ "waiter", NULL, TABLE_DATA },
		{ "for", NULL, TABLE_DATA },
		{ "waker", NULL, TABLE_DATA },
		{ "cpu_user", NULL, TABLE_DATA },
		{ "place", NULL, TABLE_DATA },
		{ "INDIRECT", "indirect_seconds", TABLE_RIGHT },
		{ "BECAUSE OF", NULL, TABLE_LIST },
	};
	size_t n = sizeof(columns) / sizeof(*columns);
	struct table *t = table_new(columns, load_format(&set.load) == TABLE_TEXT ? n : n - 1);

	for (size_t i = 0; i < shown_rows(); i++) {
		const struct row *r = &rows.v[i];

		table_percent(t, (double)r->ns / (double)(f->waits.ns + f->lost.ns[RESOURCE_CPU]),
			      "%.1f%%");
		table_seconds(t, (double)r->ns * 1e-9);
		table_count(t, r->count);
		table_seconds(t, r->gain < 0 ? NAN : r->gain * 1e-9);
		put_names(t, f, r);
	}
	table_end(t, stdout, load_format(&set.load));
}

/* Sums the categories of all threads into total[] and *sum.  Returns the time of the threads minus
 * *sum, which is 0 unless there is an error. */
static int64_t sum_up(struct graph *g, int64_t *total, int64_t *sum)
{
	int64_t(*ns)[CATEGORIES] = xcalloc(g->threads.n + 1, sizeof(*ns)), whole = 0;

	categories(g, set.load.completeness.call_cost, ns, NULL);
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

static void print_text(const struct findings *f, const int64_t *ns, int64_t sum, int64_t left)
{
	const struct graph *g = f->graph;
	char a[NUMBER_MAX], b[NUMBER_MAX];
	int64_t direct = 0, guessed = 0;

	for (size_t i = 0; i < f->waits.n; i++) {
		direct += f->waits.v[i].direct;
		guessed += f->waits.v[i].guessed;
	}
	printf("%s: %zu thread%s, elapsed %s, sum over threads %s; not in a category: %" PRId64
	       " ns\n\n",
	       set.load.path, g->threads.n, g->threads.n == 1 ? "" : "s",
	       number_format_duration(a, (double)(g->end - g->begin) * 1e-9),
	       number_format_duration(b, (double)sum * 1e-9), left);
	print_categories(g, ns, sum);
	printf("\nwaits for a CPU: %s; %" PRIu64
	       " waits for other threads or disks: %s, not in a cause: %" PRId64 " ns\n",
	       number_format_duration(a, (double)f->lost.ns[RESOURCE_CPU] * 1e-9), f->waits.count,
	       number_format_duration(b, (double)f->waits.ns * 1e-9), f->waits.residual);
	if (f->waits.ns)
		printf("wakers worked during %.1f %% of that time and waited themselves during the "
		       "rest\nwaker unknown: %.1f %%, guessed: %.1f %%; ",
		       percent(direct, f->waits.ns), percent(f->waits.unknown, f->waits.ns),
		       percent(guessed, f->waits.ns));
	printf("events were lost during %.1f %% of the run\n\n",
	       percent(graph_missing(g, g->begin, g->end), g->end - g->begin));
	if (rows.n)
		print_causes(f);
}

int command_summary(int argc, char **argv)
{
	struct graph *g = &set.load.graph;
	struct findings f = { 0 };
	int64_t ns[CATEGORIES] = { 0 }, sum, left;

	load_parse(&set.load, argc, argv, &usage, options);
	findings_read(&f, &set.load, contention_cpu);
	left = sum_up(g, ns, &sum);
	find_causes(&f);
	find_gains(&f);
	switch (load_format(&set.load)) {
	case TABLE_TEXT: print_text(&f, ns, sum, left); break;
	case TABLE_JSON:
		printf("{\"elapsed_ns\": %" PRId64 ", \"threads_ns\": %" PRId64
		       ", \"threads_residual_ns\": %" PRId64 ", \"wait_count\": %" PRIu64
		       ", \"waits_ns\": %" PRId64 ", \"waits_residual_ns\": %" PRId64
		       ", \"waits_unknown_ns\": %" PRId64 ", \"cpu_waits_ns\": %" PRId64
		       ", \"lost_ns\": %" PRId64 ",\n\"categories\": ",
		       g->end - g->begin, sum, left, f.waits.count, f.waits.ns, f.waits.residual,
		       f.waits.unknown, f.lost.ns[RESOURCE_CPU],
		       graph_missing(g, g->begin, g->end));
		print_categories(g, ns, sum);
		printf(", \"causes\": ");
		print_causes(&f);
		printf("}\n");
		break;
	default: print_causes(&f);
	}
	vec_free(&rows);
	findings_end(&f, &set.load);
	return 0;
}
