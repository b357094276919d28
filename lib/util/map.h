/* SPDX-License-Identifier: MIT */
/* map.h - hash maps: from 64-bit numbers to 64-bit values, and from strings to dense numbers. */
#ifndef UTIL_MAP_H
#define UTIL_MAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct map_slot;

/* A zeroed struct is valid and empty.  Pointers are stored as (uintptr_t). */
struct map {
	struct map_slot *slots;
	size_t n, used, cap; /* live entries; live and deleted entries; slots */
};

/* Returns a pointer to the key's value, which is inserted as 0 if absent; valid until the next
 * map_at(). */
uint64_t *map_at(struct map *m, uint64_t key);
/* Returns a pointer to the key's value, or NULL. */
uint64_t *map_find(const struct map *m, uint64_t key);
/* Removes a key.  Returns false if it was not there. */
bool map_remove(struct map *m, uint64_t key);
/* Iterates over all entries in unspecified order: start with *at = 0.  Returns false at the end. */
bool map_next(const struct map *m, size_t *at, uint64_t *key, uint64_t *value);
/* For maps whose values are pointers: returns the value of key, or NULL. */
void *map_pointer(const struct map *m, uint64_t key);
/* The same for iteration, as map_next(): returns the next value, or NULL at the end. */
void *map_next_pointer(const struct map *m, size_t *at);
/* Frees the memory; the map is empty and usable again. */
void map_free(struct map *m);

/* Maps strings to the numbers 0, 1, 2, ... in the order in which they are added.  A zeroed struct
 * is valid and empty. */
struct names {
	char **v;
	size_t n, cap;
	uint32_t *slots;
	size_t nslots;
};

/* Returns the number of s, adding a copy of s if it is new. */
size_t names_add(struct names *t, const char *s);
/* Returns the number of s, or SIZE_MAX. */
size_t names_find(const struct names *t, const char *s);
/* Returns the string with the smallest edit distance from s, two at most, for "did you mean"; or
 * NULL. */
const char *names_nearest(const struct names *t, const char *s);
/* Returns all strings in order, joined by the separator; the caller frees. */
char *names_join(const struct names *t, const char *separator);
/* Frees the memory; the table is empty and usable again. */
void names_free(struct names *t);

#endif
