/* SPDX-License-Identifier: MIT */
/* cea report: the page of conf/cea.html. */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "graph/categories.h"
#include "findings.h"
#include "places.h"
#include "json/json.h"
#include "util/file.h"
#include "../common/html.h"

static struct {
	struct load load;
	const char *output, *by;
	uint64_t top;
} set = { .load = LOAD_DEFAULT, .top = 200 };

static const struct opt options[] = {
	{ 'o', "output", OPT_STRING, &set.output, "FILE", 0, 0, "the page to write" },
	{ 0, "top", OPT_COUNT, &set.top, "N", 1, 1e6,
	  "places of waits and classes of requests to include (default 200)" },
	FINDINGS_BY(set.by),
	LOAD_TRACE_OPTIONS(set.load),
	{ 0 }
};

static const struct opt_usage usage = {
	.program = "cea report",
	.operands = "-o FILE TRACE",
	.summary =
	    "Writes an HTML page that shows how each part of the program spent its time, and "
	    "what made the waits in it long.",
	.example = "cea report -o cea.html app.ktr",
};

static json_t *take_text(char *text)
{
	json_t *o = text ? json_text(text) : json_null();

	free(text);
	return o;
}

static json_t *times_of(const int64_t *ns, int n)
{
	json_t *a = json_array();

	for (int c = 0; c < n; c++)
		json_array_append_new(a, json_double((double)ns[c] * 1e-9));
	return a;
}

/* Returns the time in each category by state, in the order of states. */
static json_t *scopes_of(const struct findings *f)
{
	struct graph *g = f->graph;
	int64_t(*ns)[CATEGORIES] = xcalloc(g->threads.n + 1, sizeof(*ns));
	int64_t(*scopes)[CATEGORIES] = xcalloc(g->states.n + 1, sizeof(*scopes));
	json_t *all = json_array();

	categories(g, set.load.completeness.call_cost, ns, scopes);
	for (size_t s = 0; s < g->states.n; s++)
		for (int c = 0; c < CATEGORIES && f->same[s] != s; c++) {
			scopes[f->same[s]][c] += scopes[s][c];
			scopes[s][c] = 0;
		}
	for (size_t s = 0; s < g->states.n; s++) {
		const struct graph_state *state = &g->states.v[s];
		int64_t sum = 0;

		for (int c = 0; c < CATEGORIES; c++)
			sum += scopes[s][c];
		if (sum)
			json_array_append_new(
			    all, json_pack("{s:i, s:o, s:o, s:o, s:o}", "id", (int)s, "program",
					   json_text(g->programs.v[state->program]), "name",
					   take_text(place_name(g->words.v[state->word])),
					   "seconds", times_of(scopes[s], CATEGORIES), "source",
					   take_text(place_source(g->words.v[state->word]))));
	}
	free(ns);
	free(scopes);
	return all;
}

static json_t *waits_of(const struct findings *f)
{
	const struct graph *g = f->graph;
	json_t *all = json_array();

	for (size_t i = 0; i < f->waits.n && i < set.top; i++) {
		const struct characterization *c = &f->waits.v[i];
		json_t *causes = json_array();

		for (size_t k = 0; k < c->causes.n; k++)
			json_array_append_new(
			    causes,
			    json_pack("{s:o, s:o, s:o, s:I}", "name",
				      take_text(cause_name(g, c->causes.v[k].key)), "seconds",
				      json_double((double)c->causes.v[k].ns * 1e-9), "indirect",
				      json_double((double)c->causes.v[k].indirect * 1e-9), "count",
				      (json_int_t)c->causes.v[k].count));
		json_array_append_new(
		    all,
		    json_pack("{s:i, s:o, s:o, s:o, s:b, s:I, s:o, s:o, s:o, s:o}", "scope",
			      (int)c->waits_at.user, "waiter", take_text(site_name(g, c->waits_at)),
			      "for", json_text(c->word), "waker",
			      c->known ? take_text(site_name(g, c->woken_at)) : json_null(),
			      "guess", c->guessed > 0, "count", (json_int_t)c->count, "seconds",
			      json_double((double)c->ns * 1e-9), "direct",
			      json_double((double)c->direct * 1e-9), "longest",
			      json_double((double)c->longest * 1e-9), "causes", causes));
	}
	return all;
}

/* Returns the requests of each class, and by whose use of what they took so long. */
static json_t *requests_of(const struct findings *f)
{
	json_t *all = json_array();

	for (size_t i = 0; i < f->lost.waits.n && i < set.top; i++) {
		const struct class_waits *w = &f->lost.waits.v[i];
		json_t *lost = json_array();

		for (size_t k = 0; k < f->lost.n; k++) {
			const struct interference *x = &f->lost.v[k];

			if (x->resource != w->resource || x->waiter != w->waiter)
				continue;
			json_array_append_new(
			    lost,
			    json_pack("{s:o, s:o, s:I, s:o}", "server",
				      x->server ? json_text(f->classes[x->server]) : json_null(),
				      "user", json_text(f->classes[x->user]), "count",
				      (json_int_t)x->count, "seconds",
				      json_double((double)x->ns * 1e-9)));
		}
		json_array_append_new(all, json_pack("{s:s, s:o, s:I, s:o, s:o, s:o}", "resource",
						     resource_name(w->resource), "waiter",
						     json_text(f->classes[w->waiter]), "count",
						     (json_int_t)w->count, "seconds",
						     json_double((double)w->ns * 1e-9), "parts",
						     times_of(w->lost, CLASSES), "lost", lost));
	}
	return all;
}

static json_t *numbers_of(const struct findings *f)
{
	const struct graph *g = f->graph;
	json_t *names = json_array();

	for (int c = 0; c < CATEGORIES; c++)
		json_array_append_new(names, json_text(category_name((enum category)c)));
	return json_pack(
	    "{s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "trace", json_text(set.load.path),
	    "elapsed", json_double((double)(g->end - g->begin) * 1e-9), "threads",
	    (json_int_t)g->threads.n, "residual", (json_int_t)f->waits.residual, "waiting",
	    json_double((double)f->waits.ns * 1e-9), "lost",
	    json_double((double)graph_missing(g, g->begin, g->end) * 1e-9), "categories", names,
	    "scopes", scopes_of(f), "waits", waits_of(f), "requests", requests_of(f));
}

int command_report(int argc, char **argv)
{
	struct findings f = { 0 };
	struct error e;

	load_parse(&set.load, argc, argv, &usage, options);
	if (!set.output)
		opt_bad_usage(&usage, "no page to write: give -o FILE");
	if (file_is_same(set.output, set.load.path))
		opt_bad_usage(&usage, "-o %s: that is the trace", set.output);
	findings_by(&f, set.by, &usage);
	findings_read(&f, &set.load, contention);
	json_t *numbers = numbers_of(&f);
	if (html_write("cea.html", numbers, set.output, &e) < 0)
		errx(1, "%s", e.text);
	json_decref(numbers);
	findings_end(&f, &set.load);
	return 0;
}
