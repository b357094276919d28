/* SPDX-License-Identifier: MIT */
#include "util/map.h"

#include <stdlib.h>
#include <string.h>

#include "util/hash.h"
#include "util/vec.h"

enum slot_state { FREE, LIVE, DELETED };

struct map_slot {
	uint64_t key, value;
	enum slot_state state;
};

/* The finalizer of MurmurHash3 (A. Appleby, public domain). */
static uint64_t mix(uint64_t x)
{
	x ^= x >> 33;
	x *= 0xff51afd7ed558ccdu;
	x ^= x >> 33;
	x *= 0xc4ceb9fe1a85ec53u;
	return x ^ x >> 33;
}

/* Returns the slot of key, or the first slot where it can be inserted. */
static struct map_slot *probe(const struct map *m, uint64_t key)
{
	struct map_slot *grave = NULL;

	for (size_t i = mix(key);; i++) {
		struct map_slot *s = &m->slots[i & (m->cap - 1)];

		if (s->state == LIVE && s->key == key)
			return s;
		if (s->state == DELETED && !grave)
			grave = s;
		if (s->state == FREE)
			return grave ? grave : s;
	}
}

static void grow(struct map *m)
{
	struct map old = *m;

	m->cap = old.n * 4 < 16 ? 16 : old.cap;
	while (m->cap < old.n * 4)
		m->cap *= 2;
	m->slots = xcalloc(m->cap, sizeof(*m->slots));
	m->used = m->n;
	for (size_t i = 0; i < old.cap; i++)
		if (old.slots[i].state == LIVE)
			*probe(m, old.slots[i].key) = old.slots[i];
	free(old.slots);
}

uint64_t *map_at(struct map *m, uint64_t key)
{
	if ((m->used + 1) * 4 > m->cap * 3)
		grow(m);
	struct map_slot *s = probe(m, key);
	if (s->state != LIVE) {
		m->used += s->state == FREE;
		m->n++;
		*s = (struct map_slot){ .key = key, .state = LIVE };
	}
	return &s->value;
}

uint64_t *map_find(const struct map *m, uint64_t key)
{
	if (!m->cap)
		return NULL;
	struct map_slot *s = probe(m, key);
	return s->state == LIVE ? &s->value : NULL;
}

bool map_remove(struct map *m, uint64_t key)
{
	if (!m->cap)
		return false;
	struct map_slot *s = probe(m, key);
	if (s->state != LIVE)
		return false;
	s->state = DELETED;
	m->n--;
	return true;
}

bool map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t *value)
{
	while (*at < m->cap) {
		const struct map_slot *s = &m->slots[(*at)++];

		if (s->state == LIVE) {
			*key = s->key;
			*value = s->value;
			return true;
		}
	}
	return false;
}

void *map_pointer(const struct map *m, uint64_t key)
{
	const uint64_t *at = map_find(m, key);

	return at ? (void *)(uintptr_t)*at : NULL;
}

void *map_next_pointer(const struct map *m, size_t *at)
{
	uint64_t key, value;

	return map_next(m, at, &key, &value) ? (void *)(uintptr_t)value : NULL;
}

void map_free(struct map *m)
{
	free(m->slots);
	*m = (struct map){ 0 };
}

/* Returns the slot that holds the number of s plus one, or the empty slot where it belongs. */
static uint32_t *names_slot(const struct names *t, const char *s)
{
	for (size_t i = mix(hash_bytes(s, strlen(s)));; i++) {
		uint32_t *slot = &t->slots[i & (t->nslots - 1)];

		if (!*slot || !strcmp(t->v[*slot - 1], s))
			return slot;
	}
}

size_t names_add(struct names *t, const char *s)
{
	if ((t->n + 1) * 2 > t->nslots) {
		free(t->slots);
		t->nslots = t->nslots ? 2 * t->nslots : 64;
		t->slots = xcalloc(t->nslots, sizeof(*t->slots));
		for (size_t i = 0; i < t->n; i++)
			*names_slot(t, t->v[i]) = (uint32_t)i + 1;
	}
	uint32_t *slot = names_slot(t, s);
	if (!*slot) {
		vec_push(t, xstrdup(s));
		*slot = (uint32_t)t->n;
	}
	return *slot - 1;
}

size_t names_find(const struct names *t, const char *s)
{
	uint32_t *slot = t->nslots ? names_slot(t, s) : NULL;

	return slot && *slot ? *slot - 1 : SIZE_MAX;
}

/* Levenshtein distance of strings of up to 32 bytes. */
static size_t distance(const char *a, const char *b)
{
	size_t row[33], na = strlen(a), nb = strlen(b);

	if (na > 32 || nb > 32)
		return SIZE_MAX;
	for (size_t j = 0; j <= nb; j++)
		row[j] = j;
	for (size_t i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (size_t j = 1; j <= nb; j++) {
			size_t best = diagonal + (a[i - 1] != b[j - 1]);

			diagonal = row[j];
			if (row[j] + 1 < best)
				best = row[j] + 1;
			if (row[j - 1] + 1 < best)
				best = row[j - 1] + 1;
			row[j] = best;
		}
	}
	return row[nb];
}

const char *names_nearest(const struct names *t, const char *s)
{
	const char *nearest = NULL;
	size_t best = 3;

	for (size_t i = 0; i < t->n; i++) {
		size_t d = distance(s, t->v[i]);

		if (d < best) {
			best = d;
			nearest = t->v[i];
		}
	}
	return nearest;
}

char *names_join(const struct names *t, const char *separator)
{
	size_t gap = strlen(separator), n = 1;

	for (size_t i = 0; i < t->n; i++)
		n += strlen(t->v[i]) + gap;
	char *out = xmalloc(n), *end = out;
	*out = '\0';
	for (size_t i = 0; i < t->n; i++)
		end = stpcpy(stpcpy(end, i ? separator : ""), t->v[i]);
	return out;
}

void names_free(struct names *t)
{
	for (size_t i = 0; i < t->n; i++)
		free(t->v[i]);
	free(t->v);
	free(t->slots);
	*t = (struct names){ 0 };
}
