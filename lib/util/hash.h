/* SPDX-License-Identifier: MIT */
/* hash.h - hash functions for text and for combinations of numbers. */
#ifndef UTIL_HASH_H
#define UTIL_HASH_H

#include <stddef.h>
#include <stdint.h>

/* Returns the 64-bit FNV-1a hash of n bytes (Fowler, Noll and Vo, draft-eastlake-fnv).  Its low
 * bits alone are good enough for a hash table. */
static inline uint64_t hash_bytes(const char *s, size_t n)
{
	uint64_t hash = 0xcbf29ce484222325u;

	while (n--)
		hash = (hash ^ (unsigned char)*s++) * 0x100000001b3u;
	return hash;
}

/* Returns a 64-bit hash of n numbers, which may stand for them as the key of a map: of a million
 * combinations two have the same one in a case of 30 million. */
static inline uint64_t hash_numbers(const uint64_t *v, size_t n)
{
	uint64_t hash = 0;

	while (n--) {
		hash = (hash ^ *v++) * 0x9e3779b97f4a7c15u; /* 2^64 / the golden ratio */
		hash ^= hash >> 32;
	}
	return hash;
}

#endif
