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
		char *name = cause_name(m->graph, (uint32_t)s);
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
static uint32_t cause_key(const struct merged *m, uint32_t key)
{
	uint16_t state = (uint16_t)key;

	if (key & EXPLAIN_UNKNOWN)
		return EXPLAIN_UNKNOWN;
	return (m->graph->states.v[state].word == m->disk ? 0 : key & EXPLAIN_EDGE) |
	       m->same[state];
}

static void take_wait(void *arg, const struct explanation *e)
{
	struct merged *m = arg;
	struct characterization *c = characterization_at(m, e);
	int64_t ns = e->until - e->from;

	m->count++;
	for (size_t i = 0; i < e->n; i++) {
		struct cause *cause = cause_at(c, cause_key(m, e->items[i].key));

		cause->ns += e->items[i].ns;
		cause->count += cause->last != m->count;
		cause->last = m->count;
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
	bool served = c->resource == RESOURCE_SERVER;
	uint32_t waiter = key_of(same_site(m, c->waiter.at));
	uint32_t server = served ? g->threads.v[c->server].program : 0;

	m->cpu += c->resource == RESOURCE_CPU ? c->until - c->from : 0;
	for (size_t i = 0; i < c->n; i++) {
		const struct charge *charge = &c->charges[i];
		uint32_t thread = charge->user.thread;
		uint32_t user = thread == c->waiter.thread ? ITSELF
				: thread >= USER_OUTSIDE   ? thread
							   : key_of(same_site(m, charge->user.at));
		struct interference *x = lost_at(m, c->resource, waiter, user, server);

		if (!x->waiter) {
			x->program = g->threads.v[c->waiter.thread].program;
			x->waiter = user_name(m, waiter);
			x->user = user_name(m, user);
			x->server = served ? xstrdup(program_name(g, server)) : NULL;
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

void merged_read(struct merged *m, struct load *l)
{
	struct graph *g = &l->graph;

	load_read(l);
	places_begin(l->path);
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
	map_free(&m->by_key[0]);
	map_free(&m->by_key[1]);
}

void merged_end(struct merged *m, struct load *l)
{
	if (places_missing())
		warnx("%s", places_missing());
	free_all(m);
	load_end(l);
}
