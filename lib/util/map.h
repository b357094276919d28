/* SPDX-License-Identifier: MIT */
/* map.h - a hash map from 64-bit numbers or from strings to 64-bit values. */
#ifndef MAP_H
#define MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* A zeroed map is valid and empty.  Pointers go in as (uintptr_t). */
struct map {
	struct map_slot *slots;
	size_t n, used, cap; /* live entries, live and deleted ones, slots */
};

/* The place of key's value, made with value 0 when absent; valid until the next map_at. */
uint64_t *map_at(struct map *m, uint64_t key);
/* The place of key's value, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);
/* Forgets key; false when it was not there. */
bool map_remove(struct map *m, uint64_t key);
/* Walks all entries in no particular order: start with *at = 0; false at the end. */
bool map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t *value);
/* The same when the values are pointers: that of key, or the next one; NULL: there is none. */
void *map_pointer(const struct map *m, uint64_t key);
void *map_next_pointer(const struct map *m, size_t *at);
/* Returns the memory; the map is empty and usable again. */
void map_free(struct map *m);

/*
 * Strings to dense numbers 0, 1, 2, ... in order of first sight.  Zeroed is valid and empty.
 */
struct names {
	char **v;
	size_t n, cap;
	uint32_t *slots;
	size_t nslots;
};

/* The number of s, added when new.  The copy lives as long as the table. */
size_t names_add(struct names *t, const char *s);
/* The number of s, or SIZE_MAX. */
size_t names_find(const struct names *t, const char *s);
/* The one that differs from s in the fewest letters, two at most, for "did you mean"; or NULL. */
const char *names_nearest(const struct names *t, const char *s);
/* All of them in their order, the separator in between; "" for none.  The caller frees. */
char *names_join(const struct names *t, const char *separator);
/* Returns the memory; the table is empty and usable again. */
void names_free(struct names *t);

#endif
