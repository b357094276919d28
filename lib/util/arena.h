/* SPDX-License-Identifier: MIT */
/*
 * arena.h - memory for what lives until the next reset.  After a reset there is room for as much as
 * before it, so that a loop that resets it in each round soon allocates nothing.
 */
#ifndef ARENA_H
#define ARENA_H

#include <stddef.h>

/* Zeroed is valid and empty. */
struct arena {
	char *block;
	size_t used, cap;
	struct {
		char **v;
		size_t n, cap;
	} extra; /* what did not fit into block */
	size_t extra_size;
};

/* n uninitialized bytes, which do not move before arena_reset. */
char *arena_take(struct arena *a, size_t n);
/* A copy of the n bytes at p, followed by a NUL. */
char *arena_copy(struct arena *a, const char *p, size_t n);
/* Forgets all that was taken, but keeps the memory. */
void arena_reset(struct arena *a);
/* Frees all that was taken; the arena is empty and usable again. */
void arena_free(struct arena *a);

#endif
