/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace_scratch.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

char *scratch_take(struct scratch *s, size_t n)
{
	if (n <= s->cap - s->used) {
		s->used += n;
		return s->block + s->used - n;
	}
	vec_push(&s->extra, xmalloc(n));
	s->extra_size += n;
	return s->extra.v[s->extra.n - 1];
}

char *scratch_copy(struct scratch *s, const char *p, size_t n)
{
	char *copy = scratch_take(s, n + 1);

	memcpy(copy, p, n);
	copy[n] = '\0';
	return copy;
}

void scratch_reset(struct scratch *s)
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

void scratch_free(struct scratch *s)
{
	scratch_reset(s);
	free(s->block);
	vec_free(&s->extra);
	*s = (struct scratch){ 0 };
}
