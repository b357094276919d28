/* SPDX-License-Identifier: MIT */
#include "merged.h"

#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"
#include "util/hash.h"

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

/* id: of the process, or "". */
static char *name_in(const struct graph *g, struct site site, const char *id)
{
	const struct graph_state *user = &g->states.v[site.user], *call = &g->states.v[site.call];
	const char *program = program_name(g, user->program), *marked = g->words.v[user->word];
	bool calls = site.user != site.call, marks = strcmp(marked, "user") != 0;
	char *place = marks ? place_name(marked) : xstrdup("");
	char *name = xasprintf("%s%s%s%s%s%s%s%s", program, *id ? " " : "", id, marks ? " " : "",
			       place, calls && marks ? ":" : "", calls ? " " : "",
			       calls ? g->words.v[call->word] : "");

	free(place);
	return name;
}

char *site_name(const struct graph *g, struct site site)
{
	return name_in(g, site, "");
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
	char *waiter = site_name(g, c->waits_at);
	char *waker = c->known ? site_name(g, c->woken_at) : xstrdup("an unknown thread");
	char *name = xasprintf("%s waits (%s) for %s%s", waiter, c->word,
			       strcmp(c->word, "disk") ? "" : "a request by ", waker);

	free(waiter);
	free(waker);
	return name;
}

/* ---- keys ---- */

/* Returns the place of the number of the row for that, plus 1; 0 there: it is new. */
static uint64_t *row_at(struct map *rows, uint32_t kind, uint32_t a, uint32_t b, uint32_t c)
{
	const uint64_t odd = 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio */

	return map_at(rows, (((kind * odd ^ a) * odd ^ b) * odd ^ c) * odd);
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
static void add_cause(struct merged *m, size_t number, uint64_t key, int64_t ns, int64_t indirect)
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
	cause->indirect += indirect;
	cause->count += cause->last != m->count;
	cause->last = m->count;
}

static bool is_at(const struct graph *g, struct site site, const char *function)
{
	return !strncmp(g->words.v[g->states.v[site.user].word], function, strlen(function));
}

/* Returns what the wait was for.  The value of a futex does not always tell a lock from a
 * condition; the functions that wait and wake do, where they are marked.  Who waited for a
 * condition waits for its mutex then, which nobody signals. */
static const char *word_of(const struct merged *m, const struct explanation *e)
{
	static const char *const functions[][3] = {
		{ "lock /", "", "lock" },
		{ "rdlock /", "", "lock" },
		{ "wrlock /", "", "lock" },
		{ "barrier /", "", "condition" },
		{ "join /", "", "condition" },
		{ "sem_wait /", "", "condition" },
		{ "wait /", "signal /", "condition" },
		{ "wait /", "broadcast /", "condition" },
	};
	const struct graph *g = m->graph;
	const char *word = g->words.v[g->states.v[e->state].word];

	if (strcmp(word, "lock") != 0 && strcmp(word, "condition") != 0)
		return word;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (is_at(g, e->waits_at, functions[i][0]) &&
		    is_at(g, e->woken_at, functions[i][1]))
			return functions[i][2];
	return word;
}

static struct characterization *characterization_at(struct merged *m, const struct explanation *e)
{
	const struct characterization new = { .waits_at = same_site(m, e->waits_at),
					      .woken_at = same_site(m, e->woken_at),
					      .word = word_of(m, e),
					      .known = e->waker != GRAPH_NOBODY };
	uint32_t word = (uint32_t)hash_bytes(new.word, strlen(new.word));
	uint64_t *at = row_at(&m->by_key[0], key_of(new.waits_at),
			      new.known ? key_of(new.woken_at) : 0, word, new.known);

	if (!*at) {
		vec_push(&m->waits, new);
		*at = m->waits.n;
	}
	return &m->waits.v[*at - 1];
}

/* ---- interference ---- */

/* Returns the class of a thread's requests, or, for NULL, that of its process as a server. */
static uint32_t class_at(struct merged *m, uint32_t thread, const struct site *site)
{
	const struct graph_thread *t = &m->graph->threads.v[thread];
	bool process = !site || m->by_process;
	uint64_t *at =
	    row_at(&m->by_key[3], !site, site ? key_of(*site) : 0, process ? t->pid : 0, 0);

	if (!*at) {
		char *id = process ? load_thread(m->load, t->pid) : xstrdup("");

		vec_push(&m->classes,
			 (struct class){
			     site ? name_in(m->graph, *site, id)
				  : xasprintf("%s %s", program_name(m->graph, t->program), id),
			     t->program });
		*at = m->classes.n;
		free(id);
	}
	return (uint32_t)*at - 1;
}

/* Returns the class of a link, which is none of requests. */
static uint32_t link_at(struct merged *m, const struct contention *c)
{
	const struct processes *p = &m->load->derive.processes;
	uint32_t a = m->graph->threads.v[c->waiter.thread].tid,
		 b = m->graph->threads.v[c->server].tid;
	uint64_t *at = c->link == GRAPH_NOBODY
			   ? row_at(&m->by_key[3], 2, a >> HOST_SHIFT, b >> HOST_SHIFT, 0)
			   : row_at(&m->by_key[3], 3, c->link, 0, 0);

	if (!*at) {
		const char *from = processes_host_of(p, a), *to = processes_host_of(p, b);
		const char *word = c->link == GRAPH_NOBODY ? NULL : m->graph->words.v[c->link];
		struct class link = { word
					  ? xstrdup(strchr(word, ' ') + 1)
					  : xasprintf("%s -> %s", from ? from : "?", to ? to : "?"),
				      0 };

		vec_push(&m->classes, link);
		*at = m->classes.n;
	}
	return (uint32_t)*at - 1;
}

static uint32_t class_of(struct merged *m, uint32_t thread, struct site site)
{
	site = same_site(m, site);
	return class_at(m, thread, &site);
}

/* `user` had the resource for ns of the request. */
static void lose(struct merged *m, struct request *r, uint32_t server, uint32_t user, int64_t ns)
{
	uint64_t *at = row_at(&m->by_key[1], r->resource, r->waiter, user, server);

	if (!*at) {
		vec_push(&m->lost, (struct interference){ .resource = r->resource,
							  .server = server,
							  .waiter = r->waiter,
							  .user = user });
		*at = m->lost.n;
	}
	m->lost.v[*at - 1].ns += ns;
	m->lost.v[*at - 1].count++;
	r->lost[user < CLASS_OTHERS ? user : CLASS_OTHERS] += ns;
}

static struct request *request_at(struct merged *m, enum resource resource, uint32_t waiter,
				  int64_t ns)
{
	uint64_t *at = row_at(&m->by_key[4], resource, waiter, 0, 0);

	if (!*at) {
		vec_push(&m->requests, (struct request){ .resource = resource, .waiter = waiter });
		*at = m->requests.n;
	}
	struct request *r = &m->requests.v[*at - 1];
	r->count++;
	r->ns += ns;
	return r;
}

static void add_holders(struct merged *m, const struct explanation *e)
{
	uint32_t waiter = class_of(m, e->waiter, e->waits_at);
	struct request *r = request_at(m, RESOURCE_LOCK, waiter, e->until - e->from);

	for (size_t i = 0; i < e->nholders; i++) {
		const struct holder *h = &e->holders[i];
		bool known = h->thread != GRAPH_NOBODY;

		lose(m, r, 0, known ? class_of(m, h->thread, h->site) : CLASS_UNKNOWN, h->ns);
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

		add_cause(m, (size_t)(c - m->waits.v), key, e->items[i].ns, e->indirect[i]);
		add_cause(m, SIZE_MAX, merged_whole(key), e->items[i].ns, e->indirect[i]);
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
	if (!strcmp(c->word, "lock"))
		add_holders(m, e);
}

static uint32_t user_of(struct merged *m, uint32_t waiter, const struct party *user)
{
	switch (user->thread) {
	case USER_IDLE: return CLASS_NOBODY;
	case USER_OUTSIDE: return CLASS_OUTSIDE;
	case USER_UNKNOWN: return CLASS_UNKNOWN;
	default: return user->thread == waiter ? CLASS_ITSELF : class_of(m, user->thread, user->at);
	}
}

static void take_charges(void *arg, const struct contention *c)
{
	struct merged *m = arg;
	uint32_t waiter = class_of(m, c->waiter.thread, c->waiter.at), server = 0;
	struct request *r = request_at(m, c->resource, waiter, c->until - c->from);

	if (c->resource == RESOURCE_SERVER)
		server = class_at(m, c->server, NULL);
	if (c->resource == RESOURCE_LINK)
		server = link_at(m, c);
	m->cpu += c->resource == RESOURCE_CPU ? c->until - c->from : 0;
	for (size_t i = 0; i < c->n; i++)
		lose(m, r, server, user_of(m, c->waiter.thread, &c->charges[i].user),
		     c->charges[i].ns);
}

/* ---- all of it ---- */

/* Of structs that begin with their time. */
static int longer(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x < y) - (x > y);
}

#define SORT(a) ((a).n ? qsort((a).v, (a).n, sizeof(*(a).v), longer) : (void)0)

static void merge(struct merged *m, struct graph *g, merged_charge *charge)
{
	static const char *const places[CLASS_OTHERS] = { [CLASS_ITSELF] = "(itself)",
							  [CLASS_NOBODY] = "(nobody)",
							  [CLASS_OUTSIDE] = "(not in the trace)",
							  [CLASS_UNKNOWN] = "(unknown)" };

	m->graph = g;
	m->disk = names_find(&g->words, "disk");
	for (size_t i = 0; i < CLASS_OTHERS; i++)
		vec_push(&m->classes, (struct class){ xstrdup(places[i]), 0 });
	find_same(m);
	explain(g, take_wait, m);
	if (charge)
		charge(g, take_charges, m);
	for (size_t i = 0; i < m->waits.n; i++)
		SORT(m->waits.v[i].causes);
	SORT(m->waits);
	SORT(m->lost);
	SORT(m->requests);
}

void merged_by(struct merged *m, const char *by, const struct opt_usage *usage)
{
	m->by_process = by && !strcmp(by, "process");
	if (by && !m->by_process && strcmp(by, "program") != 0)
		opt_bad_usage(usage, "--by %s: not program or process", by);
}

void merged_read(struct merged *m, struct load *l, merged_charge *charge)
{
	load_read(l);
	places_begin(l->path);
	m->load = l;
	merge(m, &l->graph, charge);
}

static void free_all(struct merged *m)
{
	for (size_t i = 0; i < m->waits.n; i++)
		vec_free(&m->waits.v[i].causes);
	for (size_t i = 0; i < m->classes.n; i++)
		free(m->classes.v[i].name);
	vec_free(&m->waits);
	vec_free(&m->causes);
	vec_free(&m->classes);
	vec_free(&m->lost);
	vec_free(&m->requests);
	places_free();
	free(m->same);
	for (size_t i = 0; i < sizeof(m->by_key) / sizeof(*m->by_key); i++)
		map_free(&m->by_key[i]);
}

void merged_end(struct merged *m, struct load *l)
{
	if (places_missing())
		warnx("%s", places_missing());
	free_all(m);
	load_end(l);
}
