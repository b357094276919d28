/* SPDX-License-Identifier: MIT */
#include "util/arena.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

char *arena_take(struct arena *a, size_t n)
{
	if (n <= a->cap - a->used) {
		a->used += n;
		return a->block + a->used - n;
	}
	vec_push(&a->extra, xmalloc(n));
	a->extra_size += n;
	return a->extra.v[a->extra.n - 1];
}

char *arena_copy(struct arena *a, const char *p, size_t n)
{
	char *copy = arena_take(a, n + 1);

	memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

void arena_reset(struct arena *a)
{
	if (a->extra.n) {
		for (size_t i = 0; i < a->extra.n; i++)
			free(a->extra.v[i]);
		a->extra.n = 0;
		a->cap = 2 * (a->cap + a->extra_size);
		a->block = xreallocarray(a->block, a->cap, 1);
		a->extra_size = 0;
	}
	a->used = 0;
}

void arena_free(struct arena *a)
{
	arena_reset(a);
	free(a->block);
	vec_free(&a->extra);
	*a = (struct arena){ 0 };
}
