/* SPDX-License-Identifier: MIT */
/* Arbitrary graphs: shortest paths are found by breadth-first search from each destination when it
 * is first needed.  The routing chooses among neighbours at equal distance. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "network/topology.h"
#include "util/vec.h"

struct graph_routes {
	uint32_t *first;      /* by vertex: its first link in out[]; one more entry at the end */
	uint32_t *out;	      /* links sorted by the vertex that they leave */
	uint16_t **distances; /* [host][vertex]: links; UINT16_MAX: unreachable; or NULL */
	uint32_t hosts;
	struct map fixed;    /* by source and destination: where its path begins, plus 1 */
	VEC(uint32_t) paths; /* of each the number of links, and these */
};

enum { GRAPH_VERTICES = 65535 };

static uint16_t *search(const struct topology *t, const struct graph_routes *g, uint32_t root)
{
	uint16_t *distance = xmalloc(t->vertices * sizeof(*distance));
	uint32_t *queue = xmalloc(t->vertices * sizeof(*queue)), head = 0, tail = 0;

	memset(distance, 0xff, t->vertices * sizeof(*distance));
	distance[root] = 0;
	queue[tail++] = root;
	while (head < tail) {
		uint32_t v = queue[head++];

		/* Hosts do not forward. */
		if (v < t->hosts && v != root)
			continue;
		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++) {
			uint32_t to = t->links.v[g->out[i]].to;

			if (distance[to] == UINT16_MAX) {
				distance[to] = (uint16_t)(distance[v] + 1);
				queue[tail++] = to;
			}
		}
	}
	free(queue);
	return distance;
}

int topology_graph_build(struct topology *t, struct error *e)
{
	struct graph_routes *g = t->graph = xcalloc(1, sizeof(*g));

	if (t->vertices > GRAPH_VERTICES)
		return error_set(e, "a graph of more than %d vertices", GRAPH_VERTICES);
	g->first = xcalloc((size_t)t->vertices + 2, sizeof(*g->first));
	g->out = xcalloc(t->links.n + 1, sizeof(*g->out));
	g->distances = xcalloc((size_t)t->hosts + 1, sizeof(*g->distances));
	g->hosts = t->hosts;
	for (size_t i = 0; i < t->links.n; i++)
		g->first[t->links.v[i].from + 2]++;
	for (uint32_t v = 0; v < t->vertices; v++)
		g->first[v + 2] += g->first[v + 1];
	for (size_t i = 0; i < t->links.n; i++)
		g->out[g->first[t->links.v[i].from + 1]++] = (uint32_t)i;
	t->shortest = SIZE_MAX;
	for (uint32_t h = 0; h < t->hosts; h++) {
		/* Not kept, because a program may use only a few destinations. */
		uint16_t *distance = search(t, g, h);

		for (uint32_t other = 0; other < t->hosts; other++) {
			if (distance[other] == UINT16_MAX) {
				free(distance);
				return error_set(
				    e, "there is no path from %.60s to %.60s; hosts do not forward",
				    t->names.v[h], t->names.v[other]);
			}
			if (other != h && distance[other] < t->shortest)
				t->shortest = distance[other];
			if (distance[other] > t->longest)
				t->longest = distance[other];
		}
		free(distance);
	}
	return 0;
}

int topology_graph_fix(struct topology *t, const uint32_t *v, size_t n, struct error *e)
{
	struct graph_routes *g = t->graph;

	*map_at(&g->fixed, (uint64_t)v[0] << 32 | v[n - 1]) = g->paths.n + 1;
	vec_push(&g->paths, (uint32_t)n - 1);
	for (size_t i = 0; i + 1 < n; i++) {
		uint32_t k = g->first[v[i]], end = g->first[v[i] + 1];

		while (k < end && t->links.v[g->out[k]].to != v[i + 1])
			k++;
		if (k == end)
			return error_set(e, "route: no cable from %.60s to %.60s", t->names.v[v[i]],
					 t->names.v[v[i + 1]]);
		vec_push(&g->paths, g->out[k]);
	}
	if (n - 1 > t->longest)
		t->longest = n - 1;
	return 0;
}

/* Whether a link is on a shortest path to dst; `distance` holds the distances to dst. */
static bool leads(const struct topology *t, uint32_t link, uint32_t dst, const uint16_t *distance)
{
	uint32_t to = t->links.v[link].to;

	return (to == dst || to >= t->hosts) && distance[to] < distance[t->links.v[link].from];
}

size_t topology_graph_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			    uint32_t *out)
{
	struct graph_routes *g = t->graph;
	const uint64_t *fixed = map_find(&g->fixed, (uint64_t)src << 32 | dst);
	size_t n = 0;

	if (fixed) {
		const uint32_t *path = g->paths.v + *fixed - 1;

		memcpy(out, path + 1, *path * sizeof(*out));
		return *path;
	}
	if (!g->distances[dst])
		g->distances[dst] = search(t, g, dst);
	const uint16_t *distance = g->distances[dst];
	for (uint32_t v = src; v != dst; v = t->links.v[out[n - 1]].to) {
		uint32_t near = 0, choice;

		for (uint32_t i = g->first[v]; i < g->first[v + 1]; i++)
			near += leads(t, g->out[i], dst, distance);
		choice = near > 1 ? topology_choose(t, src, dst, salt, (unsigned)n, near) : 0;
		for (uint32_t i = g->first[v];; i++)
			if (leads(t, g->out[i], dst, distance) && !choice--) {
				out[n++] = g->out[i];
				break;
			}
	}
	return n;
}

void topology_graph_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	snprintf(out, TOPOLOGY_NAME, "%.60s", t->names.v[v]);
}

void topology_graph_free(struct graph_routes *g)
{
	if (!g)
		return;
	free(g->first);
	free(g->out);
	for (uint32_t h = 0; h < g->hosts; h++)
		free(g->distances[h]);
	free(g->distances);
	map_free(&g->fixed);
	free(g->paths.v);
	free(g);
}
