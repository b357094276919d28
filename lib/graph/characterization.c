/* SPDX-License-Identifier: MIT */
#include "graph/characterization.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"

uint64_t cause_whole(uint64_t key)
{
	return key & EXPLAIN_UNKNOWN ? key
				     : explain_key((struct site){ (uint16_t)key, (uint16_t)key }) |
					   (key & EXPLAIN_EDGE);
}

struct site site_same(const uint16_t *same, struct site site)
{
	return (struct site){ same[site.user], same[site.call] };
}

/* Adds the time to the cause with that key; `owner` is the number of the characterization that the
 * causes belong to, or SIZE_MAX. */
static void add_cause(struct characterizations *s, struct causes *causes, size_t owner,
		      uint64_t key, int64_t ns, int64_t indirect)
{
	uint64_t *at = map_at(&s->by_cause, hash_numbers((uint64_t[]){ owner, key }, 2));

	if (!*at) {
		vec_push(causes, (struct cause){ .key = key });
		*at = causes->n;
	}
	struct cause *cause = &causes->v[*at - 1];
	cause->ns += ns;
	cause->indirect += indirect;
	cause->count += cause->last != s->count;
	cause->last = s->count;
}

static bool is_at(const struct graph *g, struct site site, const char *function)
{
	return !strncmp(g->words.v[g->states.v[site.user].word], function, strlen(function));
}

/* Returns what the wait was for.  The value of a futex does not always tell a lock from a
 * condition; the functions that wait and wake do, where they are marked.  Who waited for a
 * condition waits for its mutex then, which nobody signals.  Who never ran again after a wait was
 * outside of calls, whatever is marked there. */
static const char *word_of(const struct graph *g, const struct explanation *e)
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
	const char *word = g->words.v[g->states.v[e->state].word];

	if (e->state == e->waits_at.user)
		return "user";
	if (strcmp(word, "lock") != 0 && strcmp(word, "condition") != 0)
		return word;
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++)
		if (is_at(g, e->waits_at, functions[i][0]) &&
		    is_at(g, e->woken_at, functions[i][1]))
			return functions[i][2];
	return word;
}

static struct characterization *characterization_at(struct characterizations *s,
						    const struct explanation *e)
{
	const struct characterization new = { .waits_at = site_same(s->same, e->waits_at),
					      .woken_at = site_same(s->same, e->woken_at),
					      .word = word_of(s->graph, e),
					      .known = e->waker != GRAPH_NOBODY };
	uint64_t key[] = { explain_key(new.waits_at), new.known ? explain_key(new.woken_at) : 0,
			   hash_bytes(new.word, strlen(new.word)), new.known };
	uint64_t *at = map_at(&s->by_place, hash_numbers(key, 4));

	if (!*at) {
		vec_push(s, new);
		*at = s->n;
	}
	return &s->v[*at - 1];
}

/* The time of a disk is one cause, whether a thread or the reply to its request is what waits. */
static uint64_t cause_key(const struct characterizations *s, uint64_t key)
{
	const struct graph *g = s->graph;

	if (key & EXPLAIN_UNKNOWN)
		return EXPLAIN_UNKNOWN;
	bool disk = g->states.v[(uint16_t)key].activity == WAITS_DISK;
	return explain_key(site_same(s->same, explain_site(key))) | (disk ? 0 : key & EXPLAIN_EDGE);
}

const struct characterization *characterizations_add(struct characterizations *s,
						     const struct explanation *e)
{
	struct characterization *c = characterization_at(s, e);
	int64_t ns = e->until - e->from;

	s->count++;
	for (size_t i = 0; i < e->n; i++) {
		uint64_t key = cause_key(s, e->items[i].key);

		add_cause(s, &c->causes, (size_t)(c - s->v), key, e->items[i].ns, e->indirect[i]);
		add_cause(s, &s->causes, SIZE_MAX, cause_whole(key), e->items[i].ns,
			  e->indirect[i]);
		s->residual -= e->items[i].ns;
	}
	s->residual += ns;
	s->ns += ns;
	s->unknown += c->known ? 0 : ns;
	c->count++;
	c->ns += ns;
	c->longest = ns > c->longest ? ns : c->longest;
	c->direct += e->worked;
	c->guessed += e->guess ? ns : 0;
	return c;
}

void characterizations_free(struct characterizations *s)
{
	for (size_t i = 0; i < s->n; i++)
		vec_free(&s->v[i].causes);
	vec_free(s);
	vec_free(&s->causes);
	map_free(&s->by_place);
	map_free(&s->by_cause);
}
