/* SPDX-License-Identifier: MIT */
#include "graph/cycleratio.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

static const uint32_t none = UINT32_MAX;

struct search {
	const struct cycle_edge *edges;
	size_t n;
	uint32_t nodes;
	double *far;   /* by node: weight of the heaviest path to it that was found so far */
	uint32_t *via; /* by node: last edge of that path */
	uint32_t *seen;
};

/* One round of Bellman-Ford for longest paths with the weights delay - ratio * tokens.  Returns
 * false if no path became heavier by more than `least`. */
static bool relax(struct search *s, double ratio, double least)
{
	bool moved = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct cycle_edge *e = &s->edges[i];
		double far = s->far[e->from] + e->delay - ratio * e->tokens;

		if (far <= s->far[e->to] + least)
			continue;
		s->far[e->to] = far;
		s->via[e->to] = (uint32_t)i;
		moved = true;
	}
	return moved;
}

/* Returns a node on a cycle of via[] edges, which has positive weight, or none. */
static uint32_t closed(struct search *s)
{
	/* seen[node]: plus 1, the start of the walk that reached it first. */
	memset(s->seen, 0, s->nodes * sizeof(*s->seen));
	for (uint32_t start = 0; start < s->nodes; start++) {
		uint32_t node = start;

		while (!s->seen[node] && s->via[node] != none) {
			s->seen[node] = start + 1;
			node = s->edges[s->via[node]].from;
		}
		if (s->seen[node] == start + 1)
			return node;
	}
	return none;
}

/* Searches for a cycle of positive weight.  Returns its length in edges, or 0. */
static size_t find(struct search *s, double ratio, uint32_t *cycle)
{
	double largest = 0;
	uint32_t first = none;
	size_t length = 0;

	for (size_t i = 0; i < s->n; i++)
		largest = fmax(largest, s->edges[i].delay + ratio * fabs(s->edges[i].tokens));
	for (uint32_t i = 0; i < s->nodes; i++) {
		s->far[i] = 0;
		s->via[i] = none;
	}
	/* Without a positive cycle, nothing changes any more after as many rounds as there are
	 * nodes. */
	for (uint32_t i = 0; first == none && i <= s->nodes; i++) {
		if (!relax(s, ratio, 1e-11 * largest))
			return 0;
		/* Looking for the cycle takes as long as a round, so it is done after rounds 1, 2,
		 * 4, 8 ... */
		if (!(i & (i - 1)) || i == s->nodes)
			first = closed(s);
	}
	if (first == none)
		return 0;
	uint32_t node = first;
	do {
		cycle[length++] = s->via[node];
		node = s->edges[s->via[node]].from;
	} while (node != first);
	for (size_t i = 0; i < length / 2; i++) {
		uint32_t last = cycle[length - 1 - i];

		cycle[length - 1 - i] = cycle[i];
		cycle[i] = last;
	}
	return length;
}

/* A cycle that has positive weight at the present ratio has a larger ratio; its ratio is tried
 * next, until no such cycle is left. */
double cycle_ratio(uint32_t nodes, const struct cycle_edge *edges, size_t n, uint32_t *cycle,
		   size_t *length)
{
	struct search s = { .edges = edges, .n = n, .nodes = nodes };
	uint32_t *found = xcalloc(n + 1, sizeof(*found));
	double ratio = 0;
	size_t found_length;

	*length = 0;
	s.far = xcalloc(nodes + 1, sizeof(*s.far));
	s.via = xcalloc(nodes + 1, sizeof(*s.via));
	s.seen = xcalloc(nodes + 1, sizeof(*s.seen));
	while (isfinite(ratio) && (found_length = find(&s, ratio, found))) {
		double delay = 0, tokens = 0;

		for (size_t i = 0; i < found_length; i++) {
			delay += edges[found[i]].delay;
			tokens += edges[found[i]].tokens;
		}
		if (tokens > 0 && delay <= ratio * tokens)
			break;
		ratio = tokens > 0 ? delay / tokens : INFINITY;
		*length = found_length;
		for (size_t i = 0; i < found_length; i++)
			cycle[i] = found[i];
	}
	free(found);
	free(s.far);
	free(s.via);
	free(s.seen);
	return ratio;
}
