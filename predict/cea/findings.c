/* SPDX-License-Identifier: MIT */
#include "findings.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

/* ---- names ---- */

const char *resource_name(enum resource resource)
{
	static const char *const names[] = { [RESOURCE_CPU] = "cpu",
					     [RESOURCE_LOCK] = "lock",
					     [RESOURCE_SERVER] = "server",
					     [RESOURCE_DISK] = "disk",
					     [RESOURCE_LINK] = "link" };

	return names[resource];
}

static const char *program_name(const struct graph *g, uint32_t program)
{
	return *g->programs.v[program] ? g->programs.v[program] : "?";
}

/* Returns "read pipe in fetch app.c:42 < main app.c:7", or "read pipe"; the caller frees. */
static char *state_name(const struct graph *g, uint16_t state)
{
	const struct graph_state *s = &g->states.v[state];
	char *name = place_name(g->words.v[s->word]);
	char *stack = s->place ? place_stack(g->words.v[s->place - 1]) : NULL;

	if (stack)
		name = xappend(name, " in %s", stack);
	free(stack);
	return name;
}

/* id: of the process, or "". */
static char *name_in(const struct graph *g, struct site site, const char *id)
{
	const struct graph_state *user = &g->states.v[site.user];
	const char *program = program_name(g, user->program), *marked = g->words.v[user->word];
	bool calls = site.user != site.call, marks = strcmp(marked, "user") != 0;
	char *place = marks ? place_name(marked) : xstrdup("");
	char *call = calls ? state_name(g, site.call) : xstrdup("");
	char *name = xasprintf("%s%s%s%s%s%s%s%s", program, *id ? " " : "", id, marks ? " " : "",
			       place, calls && marks ? ":" : "", calls ? " " : "", call);

	free(place);
	free(call);
	return name;
}

char *site_name(const struct graph *g, struct site site)
{
	return name_in(g, site, "");
}

/* Outside of calls and marks a cause is "sink user", unlike a site. */
char *cause_name(const struct graph *g, uint64_t key)
{
	const struct site site = explain_site(key);

	if (key & EXPLAIN_UNKNOWN)
		return xstrdup("unknown");
	bool plain = site.user == site.call;
	const struct graph_state *state = &g->states.v[site.call];
	char *place = plain ? state_name(g, site.call) : NULL;
	char *where =
	    plain ? xasprintf("%s %s", program_name(g, state->program), place) : site_name(g, site);
	char *name = xasprintf("%s%s", where, key & EXPLAIN_EDGE ? ": wake-up" : "");
	free(place);
	free(where);
	return name;
}

char *wait_name(const struct graph *g, const struct characterization *c)
{
	char *waiter = site_name(g, c->waits_at);
	char *waker = c->known ? site_name(g, c->woken_at) : xstrdup("an unknown thread");
	char *name = xasprintf("%s waits (%s) for %s%s", waiter, c->word,
			       strcmp(c->word, "disk") ? "" : "a request by ", waker);

	free(waiter);
	free(waker);
	return name;
}

/* Returns "FROM -> TO"; the caller frees. */
static char *hosts_name(const struct processes *p, const struct class *class)
{
	const char *from = processes_host_of(p, class->from);
	const char *to = processes_host_of(p, class->to);

	return xasprintf("%s -> %s", from ? from : "?", to ? to : "?");
}

static char *class_name(const struct findings *f, uint32_t number)
{
	static const char *const others[CLASS_OTHERS] = { [CLASS_ITSELF] = "(itself)",
							  [CLASS_NOBODY] = "(nobody)",
							  [CLASS_OUTSIDE] = "(not in the trace)",
							  [CLASS_UNKNOWN] = "(unknown)" };
	const struct graph *g = f->graph;
	const struct class *class = &f->lost.classes.v[number];

	if (number < CLASS_OTHERS)
		return xstrdup(others[number]);
	if (class->kind == CLASS_LINK)
		return xstrdup(strchr(g->words.v[class->link], ' ') + 1);
	if (class->kind == CLASS_HOSTS)
		return hosts_name(&f->load->derive.processes, class);
	char *id = class->pid ? load_thread(f->load, class->pid) : xstrdup("");
	char *name = class->kind == CLASS_SERVER
			 ? xasprintf("%s %s", program_name(g, class->program), id)
			 : name_in(g, class->at, id);
	free(id);
	return name;
}

/* ---- all of it ---- */

/* Maps each state to the first one with the same name: several calls on one source line are one
 * place. */
static void find_same(struct findings *f)
{
	struct names names = { 0 };
	VEC(uint16_t) first = { 0 };

	f->same = xcalloc(f->graph->states.n + 1, sizeof(*f->same));
	for (size_t s = 0; s < f->graph->states.n; s++) {
		char *name = cause_name(f->graph, cause_whole(s));
		size_t number = names_add(&names, name);

		if (number == first.n)
			vec_push(&first, (uint16_t)s);
		f->same[s] = first.v[number];
		free(name);
	}
	names_free(&names);
	vec_free(&first);
}

static void take_wait(void *findings, const struct explanation *e)
{
	struct findings *f = findings;
	const struct characterization *c = characterizations_add(&f->waits, e);

	if (!strcmp(c->word, "lock"))
		interferences_add_lock(&f->lost, e);
}

/* Of structs that begin with their time. */
static int longer(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

static void merge(struct findings *f, struct graph *g, findings_charge *charge)
{
	f->graph = g;
	find_same(f);
	f->waits.graph = f->lost.graph = g;
	f->waits.same = f->lost.same = f->same;
	explain(g, take_wait, f);
	if (charge)
		charge(g, interferences_add, &f->lost);
	for (size_t i = 0; i < f->waits.n; i++)
		vec_sort(&f->waits.v[i].causes, longer);
	vec_sort(&f->waits, longer);
	vec_sort(&f->lost, longer);
	vec_sort(&f->lost.waits, longer);
	f->classes = xcalloc(f->lost.classes.n + 1, sizeof(*f->classes));
	for (uint32_t i = 0; i < f->lost.classes.n; i++)
		f->classes[i] = class_name(f, i);
}

void findings_by(struct findings *f, const char *by, const struct opt_usage *usage)
{
	f->lost.by_process = by && !strcmp(by, "process");
	if (by && !f->lost.by_process && strcmp(by, "program") != 0)
		opt_bad_usage(usage, "--by %s: not program or process", by);
}

void findings_read(struct findings *f, struct load *l, findings_charge *charge)
{
	l->derive.at_places = true;
	load_read(l);
	places_begin(l->path);
	f->load = l;
	merge(f, &l->graph, charge);
}

static void free_all(struct findings *f)
{
	for (size_t i = 0; i < f->lost.classes.n; i++)
		free(f->classes[i]);
	free(f->classes);
	free(f->same);
	characterizations_free(&f->waits);
	interferences_free(&f->lost);
	places_free();
}

void findings_end(struct findings *f, struct load *l)
{
	if (places_missing())
		warnx("%s", places_missing());
	free_all(f);
	load_end(l);
}
