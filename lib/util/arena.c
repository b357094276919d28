/* SPDX-License-Identifier: MIT */
#include "util/arena.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

char *arena_take(struct arena *s, size_t n)
{
	if (n <= s->cap - s->used) {
		s->used += n;
		return s->block + s->used - n;
	}
	vec_push(&s->extra, xmalloc(n));
	s->extra_size += n;
	return s->extra.v[s->extra.n - 1];
}

char *arena_copy(struct arena *s, const char *p, size_t n)
{
	char *copy = arena_take(s, n + 1);

	memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

void arena_reset(struct arena *s)
{
	if (s->extra.n) {
		for (size_t i = 0; i < s->extra.n; i++)
			free(s->extra.v[i]);
		s->extra.n = 0;
		s->cap = 2 * (s->cap + s->extra_size);
		s->block = xreallocarray(s->block, s->cap, 1);
		s->extra_size = 0;
	}
	s->used = 0;
}

void arena_free(struct arena *s)
{
	arena_reset(s);
	free(s->block);
	vec_free(&s->extra);
	*s = (struct arena){ 0 };
}
