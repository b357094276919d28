/* SPDX-License-Identifier: MIT */
/* arena.h - memory for what lives until the next reset: no allocation once it is warm. */
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

/* n bytes that stay where they are until arena_reset. */
char *arena_take(struct arena *s, size_t n);
/* A copy of the n bytes at p, with a NUL behind it. */
char *arena_copy(struct arena *s, const char *p, size_t n);
/* Forgets everything taken; keeps room for as much again. */
void arena_reset(struct arena *s);
/* Returns the memory; all that was taken is gone. */
void arena_free(struct arena *s);

#endif
