/* SPDX-License-Identifier: MIT */
#include "network/topology.h"

#include <stdio.h>
#include <stdlib.h>

#include "util/vec.h"

const char *const routing_names[ROUTINGS] = { "source", "destination", "random" };

size_t topology_connect(struct topology *t, uint32_t a, uint32_t b, enum link_class class)
{
	struct link link = { t->speed[class].rate, t->speed[class].latency, 1, a, b };
	struct link back = { t->speed[class].rate, t->speed[class].latency, 1, b, a };

	vec_push(&t->links, link);
	vec_push(&t->links, back);
	return t->links.n - 2;
}

int topology_build(struct topology *t, struct error *e)
{
	if (t->kind->build(t, e))
		return -1;
	if (t->hosts < 2)
		return error_set(e, "a network needs two hosts");
	if (t->longest > TOPOLOGY_PATH)
		return error_set(e, "a path of %zu links is longer than %d", t->longest,
				 TOPOLOGY_PATH);
	return 0;
}

size_t topology_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
		      uint32_t *out)
{
	return src == dst ? 0 : t->kind->route(t, src, dst, salt, out);
}

/* The finalizer of splitmix64 (Stafford's variant 13). */
static uint64_t mix(uint64_t z)
{
	z += 0x9e3779b97f4a7c15;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

uint32_t topology_choose(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			 unsigned level, uint32_t n)
{
	if (t->routing == ROUTE_DESTINATION) {
		for (; level; level--)
			dst /= n;
		return dst % n;
	}
	uint64_t who = t->routing == ROUTE_SOURCE ? src : salt;
	return (uint32_t)(mix(mix(t->seed + level) ^ who) % n);
}

const char *topology_link_name(const struct topology *t, size_t link, char out[2 * TOPOLOGY_NAME])
{
	char from[TOPOLOGY_NAME], to[TOPOLOGY_NAME];

	t->kind->vertex(t, t->links.v[link].from, from);
	t->kind->vertex(t, t->links.v[link].to, to);
	snprintf(out, 2 * TOPOLOGY_NAME, "%.59s -> %.59s", from, to);
	return out;
}

void topology_free(struct topology *t)
{
	free(t->links.v);
	names_free(&t->names);
	topology_graph_free(t->graph);
}
