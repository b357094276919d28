/* SPDX-License-Identifier: MIT */
#include "merged.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

/* A key holds several numbers of PLACE_BITS bits each; larger numbers are counted as the last
 * one. */
enum { PLACE_BITS = 20, PLACES = (1 << PLACE_BITS) - 6, ITSELF = PLACES + 4 };

/* ---- names ---- */

const char *interference_name(enum interference_kind kind)
{
	static const char *const names[] = {
		[OF_CPU] = "cpu", [OF_LOCK] = "lock", [OF_SERVER] = "server", [OF_DISK] = "disk"
	};

	return names[kind];
}

static const char *program_name(const struct graph *g, uint32_t program)
{
	return *g->programs.v[program] ? g->programs.v[program] : "?";
}

char *site_name(const struct graph *g, struct site site)
{
	const struct graph_state *user = &g->states.v[site.user], *call = &g->states.v[site.call];
	const char *program = program_name(g, user->program), *marked = g->words.v[user->word];
	bool calls = site.user != site.call, marks = strcmp(marked, "user") != 0;
	char *place = place_name(marked), *name;

	if (calls && marks)
		name = xasprintf("%s %s: %s", program, place, g->words.v[call->word]);
	else if (calls || marks)
		name = xasprintf("%s %s", program, calls ? g->words.v[call->word] : place);
	else
		name = xstrdup(program);
	free(place);
	return name;
}

char *cause_name(const struct graph *g, uint32_t key)
{
	if (key & EXPLAIN_UNKNOWN)
		return xstrdup("unknown");
	const struct graph_state *state = &g->states.v[(uint16_t)key];
	char *place = place_name(g->words.v[state->word]);
	char *name = xasprintf("%s %s%s", program_name(g, state->program), place,
			       key & EXPLAIN_EDGE ? ": wake-up" : "");
	free(place);
	return name;
}

static char *user_name(const struct graph *g, uint32_t thread)
{
	switch (thread) {
	case USER_IDLE: return xstrdup("(nobody)");
	case USER_OUTSIDE: return xstrdup("(not in the trace)");
	case USER_UNKNOWN: return xstrdup("(unknown)");
	default: return xstrdup(program_name(g, g->threads.v[thread].program));
	}
}

/* ---- keys ---- */

static uint64_t place_of(struct merged *m, struct site site)
{
	uint64_t *at = map_at(&m->places, (uint64_t)site.user << 16 | site.call);

	if (!*at)
		*at = m->places.n;
	return *at < PLACES ? *at : PLACES;
}

/* Returns the number of a thread's program, or of what stands in place of a thread. */
static uint64_t program_of(const struct merged *m, uint32_t thread)
{
	uint32_t special = USER_UNKNOWN - thread;

	if (special <= USER_UNKNOWN - USER_OUTSIDE)
		return PLACES + 1 + special;
	return m->graph->threads.v[thread].program < PLACES ? m->graph->threads.v[thread].program
							    : PLACES;
}

static uint64_t key_of(uint64_t a, uint64_t b, uint64_t c, uint64_t kind)
{
	return ((kind << PLACE_BITS | a) << PLACE_BITS | b) << PLACE_BITS | c;
}

/* Maps each state to the first one with the same name: several calls on one source line are one
 * place. */
static void find_same(struct merged *m)
{
	struct names names = { 0 };
	struct map first = { 0 };

	m->same = xcalloc(m->graph->states.n + 1, sizeof(*m->same));
	for (size_t s = 0; s < m->graph->states.n; s++) {
		char *name = cause_name(m->graph, (uint32_t)s);
		uint64_t *at = map_at(&first, names_add(&names, name));

		*at = *at ? *at : s + 1;
		m->same[s] = (uint16_t)(*at - 1);
		free(name);
	}
	names_free(&names);
	map_free(&first);
}

static struct site same_site(const struct merged *m, struct site site)
{
	return (struct site){ m->same[site.user], m->same[site.call] };
}

/* ---- waits ---- */

static struct cause *cause_at(struct characterization *c, uint32_t key)
{
	for (size_t i = 0; i < c->causes.n; i++)
		if (c->causes.v[i].key == key)
			return &c->causes.v[i];
	vec_push(&c->causes, (struct cause){ .key = key });
	return &c->causes.v[c->causes.n - 1];
}

static struct characterization *characterization_at(struct merged *m, const struct explanation *e)
{
	bool known = e->waker != GRAPH_NOBODY;
	uint64_t woken_at = known ? place_of(m, e->woken_at) : 0;
	uint64_t *at =
	    map_at(&m->by_key[0], key_of(place_of(m, e->waits_at), woken_at, e->state, known));

	if (!*at) {
		vec_push(&m->waits, (struct characterization){ .waits_at = e->waits_at,
							       .woken_at = e->woken_at,
							       .state = e->state,
							       .known = known });
		*at = m->waits.n;
	}
	return &m->waits.v[*at - 1];
}

/* ---- interference ---- */

/* Returns the row with that key.  The caller must set its names if its waiter is NULL. */
static struct interference *lost_at(struct merged *m, enum interference_kind kind, uint64_t key)
{
	uint64_t *at = map_at(&m->by_key[1], key);

	if (!*at) {
		vec_push(&m->lost, (struct interference){ .kind = kind });
		*at = m->lost.n;
	}
	return &m->lost.v[*at - 1];
}

static void add_holders(struct merged *m, const struct explanation *e)
{
	struct site waits_at = same_site(m, e->waits_at);

	for (size_t i = 0; i < e->nholders; i++) {
		const struct holder *h = &e->holders[i];
		bool known = h->thread != GRAPH_NOBODY;
		struct site site = same_site(m, h->site);
		uint64_t user = known ? place_of(m, site) : 0;
		struct interference *x =
		    lost_at(m, OF_LOCK, key_of(place_of(m, waits_at), user, known, OF_LOCK));

		if (!x->waiter) {
			x->waiter = site_name(m->graph, waits_at);
			x->user =
			    known ? site_name(m->graph, site) : user_name(m->graph, USER_UNKNOWN);
		}
		x->ns += h->ns;
		x->count++;
	}
}

static void take_wait(void *arg, const struct explanation *e)
{
	struct merged *m = arg;
	struct characterization *c = characterization_at(m, e);
	int64_t ns = e->until - e->from;

	for (size_t i = 0; i < e->n; i++) {
		uint32_t key = e->items[i].key;
		struct cause *cause = cause_at(
		    c, key & EXPLAIN_UNKNOWN ? EXPLAIN_UNKNOWN
					     : (key & EXPLAIN_EDGE) | m->same[(uint16_t)key]);

		cause->ns += e->items[i].ns;
		cause->count++;
		m->residual -= e->items[i].ns;
	}
	m->residual += ns;
	m->count++;
	m->ns += ns;
	m->unknown += c->known ? 0 : ns;
	c->count++;
	c->ns += ns;
	c->longest = ns > c->longest ? ns : c->longest;
	c->direct += c->known && e->nholders ? e->holders[0].ns : 0;
	c->guessed += e->guess ? ns : 0;
	if (m->graph->states.v[e->state].word == m->lock)
		add_holders(m, e);
}

static void take_charges(void *arg, const struct contention *c)
{
	struct merged *m = arg;
	struct graph *g = m->graph;
	static const enum interference_kind kinds[] = {
		[RESOURCE_CPU] = OF_CPU, [RESOURCE_SERVER] = OF_SERVER, [RESOURCE_DISK] = OF_DISK
	};
	enum interference_kind kind = kinds[c->resource];
	bool served = kind == OF_SERVER;

	m->cpu += kind == OF_CPU ? c->until - c->from : 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct charge *charge = &c->charges[i];
		bool itself = charge->user == c->waiter;
		struct interference *x = lost_at(
		    m, kind,
		    key_of(program_of(m, c->waiter), itself ? ITSELF : program_of(m, charge->user),
			   served ? program_of(m, c->server) : 0, kind));

		if (!x->waiter) {
			x->waiter = user_name(g, c->waiter);
			x->user = itself ? xstrdup("(itself)") : user_name(g, charge->user);
			x->server = served ? user_name(g, c->server) : NULL;
		}
		x->ns += charge->ns;
		x->count++;
	}
}

/* ---- all of it ---- */

static int longer_wait(const void *a, const void *b)
{
	const struct characterization *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static int longer_cause(const void *a, const void *b)
{
	const struct cause *x = a, *y = b;

	return (x->ns < y->ns) - (x->ns > y->ns);
}

static int more_lost(const void *a, const void *b)
{
	const struct interference *x = a, *y = b;

	return x->kind != y->kind ? (x->kind > y->kind) - (x->kind < y->kind)
				  : (x->ns < y->ns) - (x->ns > y->ns);
}

static void merge(struct merged *m, struct graph *g)
{
	m->graph = g;
	m->lock = names_find(&g->words, "lock");
	find_same(m);
	explain(g, take_wait, m);
	contention(g, take_charges, m);
	for (size_t i = 0; i < m->waits.n; i++)
		qsort(m->waits.v[i].causes.v, m->waits.v[i].causes.n, sizeof(struct cause),
		      longer_cause);
	if (m->waits.n)
		qsort(m->waits.v, m->waits.n, sizeof(*m->waits.v), longer_wait);
	if (m->lost.n)
		qsort(m->lost.v, m->lost.n, sizeof(*m->lost.v), more_lost);
}

void merged_load(struct merged *m, struct load *l, int argc, char **argv,
		 const struct opt_usage *usage, const struct opt *options)
{
	load_trace(l, argc, argv, usage, options);
	places_begin(l->path);
	merge(m, &l->graph);
}

static void free_all(struct merged *m)
{
	for (size_t i = 0; i < m->waits.n; i++)
		vec_free(&m->waits.v[i].causes);
	for (size_t i = 0; i < m->lost.n; i++) {
		free(m->lost.v[i].server);
		free(m->lost.v[i].waiter);
		free(m->lost.v[i].user);
	}
	vec_free(&m->waits);
	vec_free(&m->lost);
	places_free();
	free(m->same);
	map_free(&m->places);
	map_free(&m->by_key[0]);
	map_free(&m->by_key[1]);
}

void merged_end(struct merged *m, struct load *l)
{
	load_warn(l);
	if (places_missing())
		warnx("%s", places_missing());
	free_all(m);
	load_free(l);
}
