/* SPDX-License-Identifier: MIT */
/* arena.h - memory that is freed all at once.  After a reset the arena has room for as much as was
 * taken before, so a loop that resets it in each iteration soon allocates nothing. */
#ifndef UTIL_ARENA_H
#define UTIL_ARENA_H

#include <stddef.h>

/* A zeroed struct is valid and empty. */
struct arena {
	char *block;
	size_t used, cap;
	struct {
		char **v;
		size_t n, cap;
	} extra; /* allocations that did not fit into block */
	size_t extra_size;
};

/* Returns n uninitialized bytes, valid until arena_reset(). */
char *arena_take(struct arena *a, size_t n);
/* Returns a copy of the n bytes at p, followed by a NUL. */
char *arena_copy(struct arena *a, const char *p, size_t n);
/* Invalidates everything that was taken but keeps the memory. */
void arena_reset(struct arena *a);
/* Frees everything; the arena is empty and usable again. */
void arena_free(struct arena *a);

#endif
