/* SPDX-License-Identifier: MIT */
#include "merged.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "util/hash.h"

enum { ITSELF = USER_OUTSIDE - 1 };

/* ---- names ---- */

const char *resource_name(enum resource resource)
{
	static const char *const names[] = { [RESOURCE_CPU] = "cpu",
					     [RESOURCE_LOCK] = "lock",
					     [RESOURCE_SERVER] = "server",
					     [RESOURCE_DISK] = "disk" };

	return names[resource];
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

uint64_t merged_whole(uint64_t key)
{
	return key & EXPLAIN_UNKNOWN ? key
				     : explain_key((struct site){ (uint16_t)key, (uint16_t)key }) |
					   (key & EXPLAIN_EDGE);
}

/* Outside of calls and marks a cause is "sink user", unlike a site. */
char *cause_name(const struct graph *g, uint64_t key)
{
	const struct site site = explain_site(key);

	if (key & EXPLAIN_UNKNOWN)
		return xstrdup("unknown");
	bool plain = site.user == site.call;
	const struct graph_state *state = &g->states.v[site.call];
	char *place = plain ? place_name(g->words.v[state->word]) : NULL;
	char *where =
	    plain ? xasprintf("%s %s", program_name(g, state->program), place) : site_name(g, site);
	char *name = xasprintf("%s%s", where, key & EXPLAIN_EDGE ? ": wake-up" : "");
	free(place);
	free(where);
	return name;
}

char *wait_name(const struct merged *m, const struct characterization *c)
{
	const struct graph *g = m->graph;
	uint32_t word = g->states.v[c->state].word;
	char *waiter = site_name(g, c->waits_at);
	char *waker = c->known ? site_name(g, c->woken_at) : xstrdup("an unknown thread");
	char *name = xasprintf("%s waits (%s) for %s%s", waiter, g->words.v[word],
			       word == m->disk ? "a request by " : "", waker);

	free(waiter);
	free(waker);
	return name;
}

/* Returns the name of a user of a resource: the key of a site, ITSELF, or what stands in place of a
 * thread; the caller frees. */
static char *user_name(const struct merged *m, uint32_t user)
{
	switch (user) {
	case ITSELF: return xstrdup("(itself)");
	case USER_IDLE: return xstrdup("(nobody)");
	case USER_OUTSIDE: return xstrdup("(not in the trace)");
	case USER_UNKNOWN: return xstrdup("(unknown)");
	default:
		return site_name(m->graph, (struct site){ (uint16_t)(user >> 16), (uint16_t)user });
	}
}

static char *server_name(const struct merged *m, const struct graph_thread *server)
{
	char *process = load_thread(m->load, server->pid);
	char *name = xasprintf("%s %s", program_name(m->graph, server->program), process);

	free(process);
	return name;
}

/* ---- keys ---- */

/* Returns the place of the number of the row for that, plus 1; 0 there: it is new. */
static uint64_t *row_at(struct map *rows, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
	const uint32_t key[] = { kind, a, b, c };

	return map_at(rows, hash_bytes((const char *)key, sizeof(key)));
}

static uint32_t key_of(struct site site)
{
	return (uint32_t)site.user << 16 | site.call;
}

/* Maps each state to the first one with the same name: several calls on one source line are one
 * place. */
static void find_same(struct merged *m)
{
	struct names names = { 0 };
	VEC(uint16_t) first = { 0 };

	m->same = xcalloc(m->graph->states.n + 1, sizeof(*m->same));
	for (size_t s = 0; s < m->graph->states.n; s++) {
		char *name = cause_name(m->graph, merged_whole(s));
		size_t number = names_add(&names, name);

		if (number == first.n)
			vec_push(&first, (uint16_t)s);
		m->same[s] = first.v[number];
		free(name);
	}
	names_free(&names);
	vec_free(&first);
}

static struct site same_site(const struct merged *m, struct site site)
{
	return (struct site){ m->same[site.user], m->same[site.call] };
}

/* ---- waits ---- */

/* Adds the time to the cause with that key, of the characterization of that number, or of all waits
 * (SIZE_MAX). */
static void add_cause(struct merged *m, size_t number, uint64_t key, int64_t ns)
{
	struct causes *causes = number == SIZE_MAX ? &m->causes : &m->waits.v[number].causes;
	uint64_t *at =
	    row_at(&m->by_key[2], (uint32_t)number, (uint32_t)key, (uint32_t)(key >> 32), 0);

	if (!*at) {
		vec_push(causes, (struct cause){ .key = key });
		*at = causes->n;
	}
	struct cause *cause = &causes->v[*at - 1];
	cause->ns += ns;
	cause->count += cause->last != m->count;
	cause->last = m->count;
}

static struct characterization *characterization_at(struct merged *m, const struct explanation *e)
{
	const struct characterization new = { .waits_at = same_site(m, e->waits_at),
					      .woken_at = same_site(m, e->woken_at),
					      .state = e->state,
					      .known = e->waker != GRAPH_NOBODY };
	uint64_t *at = row_at(&m->by_key[0], key_of(new.waits_at),
			      new.known ? key_of(new.woken_at) : 0, e->state, new.known);

	if (!*at) {
		vec_push(&m->waits, new);
		*at = m->waits.n;
	}
	return &m->waits.v[*at - 1];
}

/* ---- interference ---- */

/* Returns the row for that, with a NULL waiter if it is new: then the caller must set its names. */
static struct interference *lost_at(struct merged *m, enum resource resource, uint32_t waiter,
				    uint32_t user, uint32_t other)
{
	uint64_t *at = row_at(&m->by_key[1], resource, waiter, user, other);

	if (!*at) {
		vec_push(&m->lost, (struct interference){ .resource = resource });
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
		struct interference *x =
		    lost_at(m, RESOURCE_LOCK, key_of(waits_at), known ? key_of(site) : 0, known);

		if (!x->waiter) {
			x->waiter = site_name(m->graph, waits_at);
			x->user = known ? site_name(m->graph, site) : user_name(m, USER_UNKNOWN);
		}
		x->ns += h->ns;
		x->count++;
	}
}

/* The time of a disk is one cause, whether a thread or the reply to its request is what waits. */
static uint64_t cause_key(const struct merged *m, uint64_t key)
{
	bool disk = m->graph->states.v[(uint16_t)key].word == m->disk;

	if (key & EXPLAIN_UNKNOWN)
		return EXPLAIN_UNKNOWN;
	return explain_key(same_site(m, explain_site(key))) | (disk ? 0 : key & EXPLAIN_EDGE);
}

static void take_wait(void *arg, const struct explanation *e)
{
	struct merged *m = arg;
	struct characterization *c = characterization_at(m, e);
	int64_t ns = e->until - e->from;

	m->count++;
	for (size_t i = 0; i < e->n; i++) {
		uint64_t key = cause_key(m, e->items[i].key);

		add_cause(m, (size_t)(c - m->waits.v), key, e->items[i].ns);
		add_cause(m, SIZE_MAX, merged_whole(key), e->items[i].ns);
		m->residual -= e->items[i].ns;
	}
	m->residual += ns;
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
	const struct graph *g = m->graph;
	uint32_t waiter = key_of(same_site(m, c->waiter.at));
	const struct graph_thread *server =
	    c->resource == RESOURCE_SERVER ? &g->threads.v[c->server] : NULL;

	m->cpu += c->resource == RESOURCE_CPU ? c->until - c->from : 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct charge *charge = &c->charges[i];
		uint32_t thread = charge->user.thread;
		uint32_t user = thread == c->waiter.thread ? ITSELF
				: thread >= USER_OUTSIDE   ? thread
							   : key_of(same_site(m, charge->user.at));
		struct interference *x =
		    lost_at(m, c->resource, waiter, user, server ? server->pid : 0);

		if (!x->waiter) {
			x->program = g->threads.v[c->waiter.thread].program;
			x->waiter = user_name(m, waiter);
			x->user = user_name(m, user);
			x->server = server ? server_name(m, server) : NULL;
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

	return x->resource != y->resource
		   ? (x->resource > y->resource) - (x->resource < y->resource)
		   : (x->ns < y->ns) - (x->ns > y->ns);
}

static void merge(struct merged *m, struct graph *g)
{
	m->graph = g;
	m->lock = names_find(&g->words, "lock");
	m->disk = names_find(&g->words, "disk");
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

void merged_read(struct merged *m, struct load *l)
{
	load_read(l);
	places_begin(l->path);
	m->load = l;
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
	vec_free(&m->causes);
	vec_free(&m->lost);
	places_free();
	free(m->same);
	map_free(&m->by_key[0]);
	map_free(&m->by_key[1]);
	map_free(&m->by_key[2]);
}

void merged_end(struct merged *m, struct load *l)
{
	if (places_missing())
		warnx("%s", places_missing());
	free_all(m);
	load_end(l);
}
