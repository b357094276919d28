/* SPDX-License-Identifier: MIT */
#include "graph/forward.h"

struct store {
	size_t size;	     /* of an element */
	VEC(char) kept;	     /* elements */
	VEC(uint32_t) free;  /* their indices */
	struct map by_piece; /* index, and above bit 32 the uses still to come, which saturate */
};

static void *element(struct store *s, uint64_t index)
{
	return s->kept.v + (uint32_t)index * s->size;
}

static void *keep(struct store *s, uint64_t number, uint32_t uses)
{
	if (!s->free.n) {
		vec_push(&s->free, (uint32_t)(s->kept.n / s->size));
		vec_reserve(&s->kept, s->size);
		s->kept.n += s->size;
	}
	uint32_t index = s->free.v[--s->free.n];
	*map_at(&s->by_piece, number) = (uint64_t)uses << 32 | index;
	return element(s, index);
}

/* Uses the cause once; the element stays valid until the next keep(). */
static void use(struct store *s, uint64_t cause, struct visit *v)
{
	uint64_t *at = map_find(&s->by_piece, cause - 1);

	if (!at)
		return;
	v->cause = element(s, *at);
	v->last = *at >> 32 == 1;
	if (v->last) {
		vec_push(&s->free, (uint32_t)*at);
		map_remove(&s->by_piece, cause - 1);
	} else if (*at >> 32 < UINT32_MAX) {
		*at -= (uint64_t)1 << 32;
	}
}

void forward(struct graph *g, size_t size, forward_take *take, void *arg)
{
	struct store s = { .size = size };

	for (uint64_t number = 0; number < g->tape.n; number++) {
		const struct piece *p = tape_read(&g->tape, number);
		struct visit v = { .piece = p,
				   .number = number,
				   .ends = g->threads.v[p->thread].last == number + 1 };

		if (p->uses)
			v.keep = keep(&s, number, p->uses);
		if (p->cause && p->cause <= number)
			use(&s, p->cause, &v);
		take(arg, &v);
	}
	vec_free(&s.kept);
	vec_free(&s.free);
	map_free(&s.by_piece);
}
