/* SPDX-License-Identifier: MIT */
/* hash.h - a hash function for text. */
#ifndef HASH_H
#define HASH_H

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

#endif
