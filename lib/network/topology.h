/* SPDX-License-Identifier: MIT */
/*
 * topology.h - hosts, switches, links, and the paths between hosts.
 *
 * A cable consists of two links, one for each direction: 2i and 2i + 1.  Vertices are numbered from
 * 0: first the hosts, then the switches.
 */
#ifndef NETWORK_TOPOLOGY_H
#define NETWORK_TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/map.h"

struct link {
	double rate;	/* bytes per second */
	double latency; /* seconds */
	double speedup; /* factor of the rate for what-if questions; normally 1 */
	uint32_t from, to;
};

/* What a cable connects; each class has its own speed. */
enum link_class {
	LINK_HOST,   /* a host and a switch */
	LINK_SWITCH, /* two switches */
	LINK_GLOBAL, /* two groups of a dragonfly */
	LINK_CLASSES
};

/* How one of several paths is chosen. */
enum routing {
	ROUTE_SOURCE,	   /* fixed for each source, drawn from the seed, as in the article */
	ROUTE_DESTINATION, /* fixed for each destination, all paths used equally (D-mod-k) */
	ROUTE_RANDOM,	   /* drawn for each message */
	ROUTINGS
};
extern const char *const routing_names[ROUTINGS];

enum {
	TOPOLOGY_SIZES = 4,		     /* numbers that describe a topology, at most */
	TOPOLOGY_SIZE = 1 << 20,	     /* largest value of one of them */
	TOPOLOGY_LINKS = 1 << 24,	     /* at most */
	TOPOLOGY_PATH = 250,		     /* links between two hosts, at most */
	TOPOLOGY_NAME = 64,		     /* bytes of a vertex's name */
	TOPOLOGY_CHOICE = 1 << LINK_CLASSES, /* routing chooses among several paths */
};

struct topology {
	const struct topology_kind *kind;
	uint32_t sizes[TOPOLOGY_SIZES];
	uint32_t nsizes;
	uint32_t hosts, vertices;
	size_t longest;	 /* links of the longest path */
	size_t shortest; /* links of the shortest path between two hosts */
	struct link_speed {
		double rate, latency;
	} speed[LINK_CLASSES];
	enum routing routing;
	uint64_t seed;
	struct {
		struct link *v;
		size_t n, cap;
	} links;
	struct names names; /* of the vertices of a "graph" */
	struct graph_routes *graph;
};

/* A way to connect hosts. */
struct topology_kind {
	const char *name, *sizes; /* sizes: such as "LEAVES HOSTS-PER-LEAF SPINES" */
	unsigned least, most;	  /* how many sizes it has */
	unsigned has;		  /* bits 1 << enum link_class, TOPOLOGY_CHOICE */
	/* Sets hosts, vertices, longest and shortest and adds the links.  Returns 0, or -1 and sets
	 * *e if the sizes are not possible. */
	int (*build)(struct topology *t, struct error *e);
	/* Writes the links of the path from src to dst, which differ, and returns their number. */
	size_t (*route)(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			uint32_t *out);
	/* Writes the name of a vertex. */
	void (*vertex)(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME]);
};

extern const struct topology_kind topology_kinds[]; /* ends with name NULL */

/* Builds the links from kind, sizes and speeds.  Returns 0, or -1 and sets *e. */
int topology_build(struct topology *t, struct error *e);
/* Adds the links a -> b and b -> a.  Returns the number of the first. */
size_t topology_connect(struct topology *t, uint32_t a, uint32_t b, enum link_class class);
/* Writes the links of the path from host src to dst to out[t->longest].  Returns their number, 0 if
 * the hosts are the same. salt differs from message to message. */
size_t topology_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
		      uint32_t *out);
/* Returns which of n > 0 alternatives to take at the level-th choice on the path. */
uint32_t topology_choose(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			 unsigned level, uint32_t n);
/* Writes a name such as "host 3 -> leaf 0" to out and returns it. */
const char *topology_link_name(const struct topology *t, size_t link, char out[2 * TOPOLOGY_NAME]);

/* The members of the kind "graph", shortest paths of an arbitrary graph (topology_graph.c). */

/* Finds longest and shortest of t, whose links are added.  Returns 0, or -1 and sets *e if there is
 * no path to a host. */
int topology_graph_build(struct topology *t, struct error *e);
/* Makes v[n], vertices each connected to the next, the path from v[0] to v[n - 1].  Returns 0, or
 * -1 and sets *e if a cable is missing. */
int topology_graph_fix(struct topology *t, const uint32_t *v, size_t n, struct error *e);
/* The path that was fixed; otherwise chooses among the neighbours that are nearer to dst, at each
 * step. */
size_t topology_graph_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			    uint32_t *out);
/* Its name is that of the file. */
void topology_graph_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME]);
/* Frees what topology_graph_build() found; NULL is allowed. */
void topology_graph_free(struct graph_routes *g);

/* Frees what t holds. */
void topology_free(struct topology *t);

#endif
