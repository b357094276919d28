/* SPDX-License-Identifier: MIT */
#include "graph/forest.h"

#include <string.h>

enum { SWEEP_LEAST = 4096 /* nodes */ };

/* What a chain did since the node before this one. */
struct forest_node {
	uint32_t before; /* FOREST_NONE: the chain begins here */
	uint32_t uses;	 /* nodes after it plus holds of it; 0: unused */
	uint64_t number; /* grows along each chain */
	int64_t begin;	 /* ns: when the chain began; valid in its first node */
	struct forest_items items;
};

static struct forest_node *at(struct forest *f, uint32_t node)
{
	return &f->nodes.v[node - 1];
}

void forest_items_add(struct forest_items *items, uint64_t key, int64_t ns)
{
	size_t at;

	vec_search(at, items->n, items->v[at].key >= key);
	if (at < items->n && items->v[at].key == key)
		items->v[at].ns += ns;
	else
		vec_insert(items, at, (struct forest_item){ key, ns });
}

static void add_all(struct forest_items *to, const struct forest_items *from, int sign)
{
	for (size_t i = 0; i < from->n; i++)
		forest_items_add(to, from->v[i].key, sign * from->v[i].ns);
}

static uint32_t make(struct forest *f, uint32_t before, int64_t begin)
{
	if (!f->unused.n) {
		vec_push(&f->nodes, (struct forest_node){ 0 });
		vec_push(&f->unused, (uint32_t)f->nodes.n);
	}
	uint32_t node = f->unused.v[--f->unused.n];
	struct forest_node *n = at(f, node);
	/* The allocated items array of the former node is reused. */
	n->before = before;
	n->uses = 1;
	n->number = ++f->made;
	n->begin = begin;
	n->items.n = 0;
	return node;
}

/* Merges the nodes before this one that only it uses into it. */
static void join(struct forest *f, uint32_t node)
{
	struct forest_node *n = at(f, node);

	while (n->before && at(f, n->before)->uses == 1) {
		struct forest_node *before = at(f, n->before);
		uint32_t gone = n->before;

		if (before->items.n > n->items.n) {
			struct forest_items items = n->items;

			n->items = before->items;
			before->items = items;
		}
		add_all(&n->items, &before->items, 1);
		n->before = before->before;
		n->begin = before->begin;
		before->uses = 0;
		vec_push(&f->unused, gone);
	}
}

size_t forest_size(const struct forest *f)
{
	return f->nodes.n - f->unused.n;
}

/* Joins nodes deep in chains, which became single-use when other chains were dropped. */
static void sweep(struct forest *f)
{
	for (uint32_t node = 1; node <= f->nodes.n; node++)
		if (at(f, node)->uses)
			join(f, node);
	f->sweep_at = 2 * forest_size(f) + SWEEP_LEAST;
}

uint32_t forest_begin(struct forest *f, int64_t time)
{
	return make(f, FOREST_NONE, time);
}

uint32_t forest_hold(struct forest *f, uint32_t chain)
{
	at(f, chain)->uses++;
	return chain;
}

uint32_t forest_add(struct forest *f, uint32_t chain, uint64_t key, int64_t ns)
{
	if (!ns)
		return chain;
	join(f, chain);
	if (at(f, chain)->uses > 1) {
		chain = make(f, chain, 0);
		if (forest_size(f) > f->sweep_at)
			sweep(f);
	}
	forest_items_add(&at(f, chain)->items, key, ns);
	return chain;
}

void forest_drop(struct forest *f, uint32_t chain)
{
	while (chain && --at(f, chain)->uses == 0) {
		vec_push(&f->unused, chain);
		chain = at(f, chain)->before;
	}
}

void forest_difference(struct forest *f, uint32_t a, uint32_t b, struct forest_items *out,
		       int64_t *begun)
{
	int64_t begin[2] = { 0, 0 };
	size_t kept = 0;

	out->n = 0;
	while (a != b) {
		bool back_a = a && (!b || at(f, a)->number > at(f, b)->number);
		uint32_t *side = back_a ? &a : &b;

		join(f, *side);
		add_all(out, &at(f, *side)->items, back_a ? 1 : -1);
		begin[!back_a] = at(f, *side)->begin;
		*side = at(f, *side)->before;
	}
	*begun = a ? 0 : begin[0] - begin[1];
	for (size_t i = 0; i < out->n; i++)
		if (out->v[i].ns)
			out->v[kept++] = out->v[i];
	out->n = kept;
}

void forest_free(struct forest *f)
{
	for (size_t i = 0; i < f->nodes.n; i++)
		vec_free(&f->nodes.v[i].items);
	vec_free(&f->nodes);
	vec_free(&f->unused);
	f->made = f->sweep_at = 0;
}
