/* SPDX-License-Identifier: MIT */
#include "view/spool.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

/* Records lie behind each other, each after its length, padded to a multiple of 8. */
struct extent {
	off_t offset;
	size_t length;
};

struct group {
	VEC(unsigned char) pending; /* not yet in the file */
	VEC(struct extent) extents; /* in the file */
};

struct spool {
	size_t memory, held;
	FILE *file;
	off_t end;
	VEC(struct group) groups;
};

struct spool *spool_new(size_t memory)
{
	struct spool *s = xcalloc(1, sizeof(*s));

	s->memory = memory;
	return s;
}

static int fail(struct error *e)
{
	return error_set(e, "temporary file: %s", strerror(errno));
}

/* Moves all that is pending into the file. */
static int flush(struct spool *s, struct error *e)
{
	if (!s->file && !(s->file = tmpfile()))
		return fail(e);
	for (size_t i = 0; i < s->groups.n; i++) {
		struct group *g = &s->groups.v[i];

		if (!g->pending.n)
			continue;
		if (fwrite(g->pending.v, 1, g->pending.n, s->file) != g->pending.n)
			return fail(e);
		vec_push(&g->extents, (struct extent){ s->end, g->pending.n });
		s->end += (off_t)g->pending.n;
		vec_free(&g->pending);
	}
	s->held = 0;
	return 0;
}

int spool_add(struct spool *s, size_t group, const void *record, size_t n, struct error *e)
{
	size_t padded = (n + 7) / 8 * 8;
	uint64_t length = padded;

	while (s->groups.n <= group)
		vec_push(&s->groups, (struct group){ { 0 }, { 0 } });
	struct group *g = &s->groups.v[group];
	vec_reserve(&g->pending, sizeof(length) + padded);
	unsigned char *at = g->pending.v + g->pending.n;
	memcpy(at, &length, sizeof(length));
	memcpy(at + sizeof(length), record, n);
	memset(at + sizeof(length) + n, 0, padded - n);
	g->pending.n += sizeof(length) + padded;
	s->held += sizeof(length) + padded;
	return s->held > s->memory ? flush(s, e) : 0;
}

size_t spool_groups(const struct spool *s)
{
	return s->groups.n;
}

static void each(const unsigned char *data, size_t n, void (*take)(void *arg, const void *record),
		 void *arg)
{
	for (size_t at = 0; at < n;) {
		uint64_t length;

		memcpy(&length, data + at, sizeof(length));
		take(arg, data + at + sizeof(length));
		at += sizeof(length) + length;
	}
}

static int read_extent(struct spool *s, const struct extent *x, unsigned char *data,
		       struct error *e)
{
	if (fseeko(s->file, x->offset, SEEK_SET) || fread(data, 1, x->length, s->file) != x->length)
		return fail(e);
	return 0;
}

int spool_each(struct spool *s, size_t group, void (*take)(void *arg, const void *record),
	       void *arg, struct error *e)
{
	const struct group *g = &s->groups.v[group];
	int status = 0;

	for (size_t i = 0; i < g->extents.n && status == 0; i++) {
		const struct extent *x = &g->extents.v[i];
		unsigned char *data = xmalloc(x->length);

		status = read_extent(s, x, data, e);
		if (status == 0)
			each(data, x->length, take, arg);
		free(data);
	}
	if (status == 0)
		each(g->pending.v, g->pending.n, take, arg);
	return status;
}

void spool_free(struct spool *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->groups.n; i++) {
		vec_free(&s->groups.v[i].pending);
		vec_free(&s->groups.v[i].extents);
	}
	vec_free(&s->groups);
	if (s->file)
		fclose(s->file);
	free(s);
}
