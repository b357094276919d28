/* SPDX-License-Identifier: MIT */
/* The regular topologies.  The numbers of their links can be computed, so paths need no memory. */
#include <stdio.h>

#include "network/topology.h"

static int too_large(struct error *e)
{
	return error_set(e, "more than %d links", TOPOLOGY_LINKS);
}

/* Cable i of every regular topology connects host i to its switch. */
static int connect_hosts(struct topology *t, uint64_t hosts, uint64_t per_switch, uint64_t switches,
			 uint64_t cables, struct error *e)
{
	if (hosts + switches > TOPOLOGY_LINKS || 2 * cables > TOPOLOGY_LINKS)
		return too_large(e);
	t->hosts = (uint32_t)hosts;
	t->vertices = (uint32_t)(hosts + switches);
	t->shortest = 2;
	for (uint32_t h = 0; h < t->hosts; h++)
		topology_connect(t, h, t->hosts + h / (uint32_t)per_switch, LINK_HOST);
	return 0;
}

static uint32_t up(uint32_t host)
{
	return 2 * host;
}

static uint32_t down(uint32_t host)
{
	return 2 * host + 1;
}

/* crossbar: all hosts are connected to one switch that never blocks. */

static int crossbar_build(struct topology *t, struct error *e)
{
	t->longest = 2;
	return connect_hosts(t, t->sizes[0], t->sizes[0], 1, t->sizes[0], e);
}

static size_t crossbar_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			     uint32_t *out)
{
	(void)t;
	(void)salt;
	out[0] = up(src);
	out[1] = down(dst);
	return 2;
}

static void crossbar_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	snprintf(out, TOPOLOGY_NAME, v < t->hosts ? "host %u" : "switch", v);
}

/* clos: leaf switches with hosts; every leaf is connected to every spine switch. */

enum { CLOS_LEAVES, CLOS_HOSTS, CLOS_SPINES };

static int clos_build(struct topology *t, struct error *e)
{
	uint32_t leaves = t->sizes[CLOS_LEAVES], spines = t->sizes[CLOS_SPINES];
	uint64_t hosts = (uint64_t)leaves * t->sizes[CLOS_HOSTS];

	if (connect_hosts(t, hosts, t->sizes[CLOS_HOSTS], (uint64_t)leaves + spines,
			  hosts + (uint64_t)leaves * spines, e))
		return -1;
	for (uint32_t l = 0; l < leaves; l++)
		for (uint32_t s = 0; s < spines; s++)
			topology_connect(t, t->hosts + l, t->hosts + leaves + s, LINK_SWITCH);
	t->longest = 4;
	return 0;
}

static size_t clos_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			 uint32_t *out)
{
	uint32_t spines = t->sizes[CLOS_SPINES], per_leaf = t->sizes[CLOS_HOSTS];
	uint32_t from = src / per_leaf, to = dst / per_leaf;
	size_t n = 0;

	out[n++] = up(src);
	if (from != to) {
		uint32_t spine = topology_choose(t, src, dst, salt, 0, spines);

		out[n++] = 2 * (t->hosts + from * spines + spine);
		out[n++] = 2 * (t->hosts + to * spines + spine) + 1;
	}
	out[n++] = down(dst);
	return n;
}

static void clos_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	uint32_t s = v - t->hosts, leaves = t->sizes[CLOS_LEAVES];

	if (v < t->hosts)
		snprintf(out, TOPOLOGY_NAME, "host %u", v);
	else
		snprintf(out, TOPOLOGY_NAME, s < leaves ? "leaf %u" : "spine %u",
			 s < leaves ? s : s - leaves);
}

/*
 * fattree: k pods of k/2 edge and k/2 aggregation switches, k*k/4 core switches, k^3/4 hosts (M.
 * Al-Fares, A. Loukissas, A. Vahdat, 2008).  Core switch c is connected to aggregation switch c /
 * (k/2) of every pod.
 */

static int fattree_build(struct topology *t, struct error *e)
{
	uint32_t k = t->sizes[0], half = k / 2;

	if (k < 2 || k % 2 || k > 256)
		return error_set(e, "fattree needs an even number of ports from 2 to 256");
	uint32_t edges = k * half, cores = half * half, hosts = edges * half;
	if (connect_hosts(t, hosts, half, 2 * edges + cores, hosts + 2 * edges * half, e))
		return -1;
	for (uint32_t i = 0; i < edges; i++)
		for (uint32_t a = 0; a < half; a++)
			topology_connect(t, hosts + i, hosts + edges + i / half * half + a,
					 LINK_SWITCH);
	for (uint32_t i = 0; i < edges; i++)
		for (uint32_t c = 0; c < half; c++)
			topology_connect(t, hosts + edges + i,
					 hosts + 2 * edges + i % half * half + c, LINK_SWITCH);
	t->longest = 6;
	return 0;
}

static size_t fattree_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			    uint32_t *out)
{
	uint32_t half = t->sizes[0] / 2, edges = t->sizes[0] * half;
	uint32_t from = src / half, to = dst / half, low = t->hosts, high = low + edges * half;
	size_t n = 0;

	out[n++] = up(src);
	if (from != to) {
		uint32_t a = topology_choose(t, src, dst, salt, 0, half);

		out[n++] = 2 * (low + from * half + a);
		if (from / half != to / half) {
			uint32_t c = topology_choose(t, src, dst, salt, 1, half);

			out[n++] = 2 * (high + (from / half * half + a) * half + c);
			out[n++] = 2 * (high + (to / half * half + a) * half + c) + 1;
		}
		out[n++] = 2 * (low + to * half + a) + 1;
	}
	out[n++] = down(dst);
	return n;
}

static void fattree_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	static const char *const words[] = { "edge", "aggregation", "core" };
	uint32_t edges = t->sizes[0] * (t->sizes[0] / 2), s = v - t->hosts;
	uint32_t layer = s < edges ? 0 : s < 2 * edges ? 1 : 2;

	if (v < t->hosts)
		snprintf(out, TOPOLOGY_NAME, "host %u", v);
	else
		snprintf(out, TOPOLOGY_NAME, "%s %u", words[layer], s - layer * edges);
}

/* torus: one router per host, with neighbours in up to four dimensions that wrap around.  Routing
 * is dimension-ordered, the shorter way in each dimension. */

static int torus_build(struct topology *t, struct error *e)
{
	uint64_t hosts = 1, longest = 2;

	for (uint32_t d = 0; d < t->nsizes; d++) {
		hosts *= t->sizes[d];
		longest += t->sizes[d] / 2;
		if (hosts > TOPOLOGY_LINKS)
			return too_large(e);
	}
	if (connect_hosts(t, hosts, 1, hosts, hosts * (1 + t->nsizes), e))
		return -1;
	t->shortest = 3;
	t->longest = longest;
	for (uint32_t h = 0; h < hosts; h++) {
		uint32_t stride = 1;

		for (uint32_t d = 0; d < t->nsizes; d++) {
			uint32_t size = t->sizes[d], at = h / stride % size;
			uint32_t next = h + (at + 1 == size ? stride * (1 - size) : stride);

			topology_connect(t, t->hosts + h, t->hosts + next, LINK_SWITCH);
			stride *= size;
		}
	}
	return 0;
}

static size_t torus_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			  uint32_t *out)
{
	uint32_t stride = 1, here = src;
	size_t n = 0;

	(void)salt;
	out[n++] = up(src);
	for (uint32_t d = 0; d < t->nsizes; d++) {
		uint32_t size = t->sizes[d], at = here / stride % size, to = dst / stride % size;
		uint32_t ahead = (to + size - at) % size;
		bool forward = ahead <= size - ahead;

		while (at != to) {
			uint32_t next = forward ? (at + 1) % size : (at + size - 1) % size;
			uint32_t there = here - at * stride + next * stride;
			/* A cable in dimension d is numbered by the router that it leads forward
			 * from. */
			uint32_t owner = forward ? here : there;

			out[n++] = 2 * (t->hosts + owner * t->nsizes + d) + !forward;
			here = there;
			at = next;
		}
		stride *= size;
	}
	out[n++] = down(dst);
	return n;
}

static void torus_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	snprintf(out, TOPOLOGY_NAME, v < t->hosts ? "host %u" : "router %u",
		 v < t->hosts ? v : v - t->hosts);
}

/*
 * dragonfly: groups of fully connected routers, and one cable between any two groups (J. Kim, W.
 * Dally, S. Scott, D. Abts, 2008).  With random routing a message takes a detour through a random
 * third group (Valiant), otherwise the direct path.
 */

enum { FLY_GROUPS, FLY_ROUTERS, FLY_HOSTS };

static int dragonfly_build(struct topology *t, struct error *e)
{
	uint64_t g = t->sizes[FLY_GROUPS], a = t->sizes[FLY_ROUTERS], hosts = g * a;
	uint64_t locals = g * (a * (a - 1) / 2), globals = g * (g - 1) / 2;

	if (hosts > TOPOLOGY_LINKS || locals > TOPOLOGY_LINKS || globals > TOPOLOGY_LINKS)
		return too_large(e);
	hosts *= t->sizes[FLY_HOSTS];
	if (connect_hosts(t, hosts, t->sizes[FLY_HOSTS], g * a, hosts + locals + globals, e))
		return -1;
	uint32_t base = t->hosts;
	for (uint32_t i = 0; i < g; i++)
		for (uint32_t x = 0; x < a; x++)
			for (uint32_t y = x + 1; y < a; y++)
				topology_connect(t, base + i * (uint32_t)a + x,
						 base + i * (uint32_t)a + y, LINK_SWITCH);
	for (uint32_t i = 0; i < g; i++)
		for (uint32_t j = i + 1; j < g; j++)
			topology_connect(t, base + i * (uint32_t)a + (j - i - 1) % (uint32_t)a,
					 base + j * (uint32_t)a +
					     (uint32_t)((i + g - j - 1) % g % a),
					 LINK_GLOBAL);
	t->longest = 8;
	return 0;
}

/* Returns the number of the pair x < y among the pairs of n, counted row by row. */
static uint32_t pair_index(uint32_t n, uint32_t x, uint32_t y)
{
	return x * (2 * n - x - 1) / 2 + y - x - 1;
}

/* Writes the link between two routers of a group; none if they are the same. */
static size_t fly_local(const struct topology *t, uint32_t group, uint32_t x, uint32_t y,
			uint32_t *out)
{
	uint32_t a = t->sizes[FLY_ROUTERS];

	if (x == y)
		return 0;
	*out = 2 * (t->hosts + group * (a * (a - 1) / 2) +
		    pair_index(a, x < y ? x : y, x < y ? y : x)) +
	       (x > y);
	return 1;
}

/* Writes the path from router *x of group i to group j; *x becomes the router where it arrives. */
static size_t fly_global(const struct topology *t, uint32_t i, uint32_t j, uint32_t *x,
			 uint32_t *out)
{
	uint32_t g = t->sizes[FLY_GROUPS], a = t->sizes[FLY_ROUTERS];
	size_t n = fly_local(t, i, *x, (j + g - i - 1) % g % a, out);

	out[n++] =
	    2 * (t->hosts + g * (a * (a - 1) / 2) + pair_index(g, i < j ? i : j, i < j ? j : i)) +
	    (i > j);
	*x = (i + g - j - 1) % g % a;
	return n;
}

static size_t dragonfly_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			      uint32_t *out)
{
	uint32_t g = t->sizes[FLY_GROUPS], a = t->sizes[FLY_ROUTERS], p = t->sizes[FLY_HOSTS];
	uint32_t from = src / p / a, to = dst / p / a, x = src / p % a;
	size_t n = 0;

	out[n++] = up(src);
	if (from != to && t->routing == ROUTE_RANDOM && g > 2) {
		uint32_t via = topology_choose(t, src, dst, salt, 0, g);

		if (via != from && via != to) {
			n += fly_global(t, from, via, &x, out + n);
			from = via;
		}
	}
	if (from != to)
		n += fly_global(t, from, to, &x, out + n);
	n += fly_local(t, to, x, dst / p % a, out + n);
	out[n++] = down(dst);
	return n;
}

static void dragonfly_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME])
{
	uint32_t a = t->sizes[FLY_ROUTERS], s = v - t->hosts;

	if (v < t->hosts)
		snprintf(out, TOPOLOGY_NAME, "host %u", v);
	else
		snprintf(out, TOPOLOGY_NAME, "router %u.%u", s / a, s % a);
}

enum { UP = 1 << LINK_SWITCH, FAR = 1 << LINK_GLOBAL };

const struct topology_kind topology_kinds[] = {
	{ "crossbar", "HOSTS", 1, 1, 0, crossbar_build, crossbar_route, crossbar_vertex },
	{ "clos", "LEAVES HOSTS-PER-LEAF SPINES", 3, 3, UP | TOPOLOGY_CHOICE, clos_build,
	  clos_route, clos_vertex },
	{ "fattree", "PORTS", 1, 1, UP | TOPOLOGY_CHOICE, fattree_build, fattree_route,
	  fattree_vertex },
	{ "torus", "X [Y [Z [U]]]", 1, 4, UP, torus_build, torus_route, torus_vertex },
	{ "dragonfly", "GROUPS ROUTERS HOSTS", 3, 3, UP | FAR | TOPOLOGY_CHOICE, dragonfly_build,
	  dragonfly_route, dragonfly_vertex },
	{ "graph", "", 0, 0, TOPOLOGY_CHOICE, topology_graph_build, topology_graph_route,
	  topology_graph_vertex },
	{ 0 },
};
