/* SPDX-License-Identifier: MIT */
/*
 * topology.h - hosts, switches, the links between them, and the way from host to host.
 *
 * A cable is two links, one for each direction: 2i and 2i + 1.  Vertices are the hosts, from 0, and
 * then the switches.
 */
#ifndef TOPOLOGY_H
#define TOPOLOGY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/map.h"

struct link {
	double rate;	/* bytes per second */
	double latency; /* seconds */
	double speedup; /* 1; what if it were that much faster */
	uint32_t from, to;
};

/* What a cable connects; each class has its speed. */
enum link_class {
	LINK_HOST,   /* a host and a switch */
	LINK_SWITCH, /* two switches */
	LINK_GLOBAL, /* two groups of a dragonfly */
	LINK_CLASSES
};

/* Who chooses where there are several ways. */
enum routing {
	ROUTE_SOURCE, /* always the same for a source, drawn from the seed: as in the article */
	ROUTE_DESTINATION, /* always the same for a destination, all used alike (D-mod-k) */
	ROUTE_RANDOM,	   /* drawn for each message */
	ROUTINGS
};
extern const char *const routing_names[ROUTINGS];

enum {
	TOPOLOGY_SIZES = 4,	  /* numbers that describe a topology, at most */
	TOPOLOGY_SIZE = 1 << 20,  /* of one of them, at most */
	TOPOLOGY_LINKS = 1 << 24, /* at most */
	TOPOLOGY_PATH = 250,	  /* links from host to host, at most */
	TOPOLOGY_NAME = 64,	  /* bytes of a vertex's name */
};

struct topology {
	const struct topology_kind *kind;
	uint32_t sizes[TOPOLOGY_SIZES];
	uint32_t nsizes;
	uint32_t hosts, vertices;
	size_t longest;	 /* links of the longest way */
	size_t shortest; /* links of the shortest way between two hosts */
	struct link_speed {
		double rate, latency;
	} speed[LINK_CLASSES];
	enum routing routing;
	uint64_t seed;
	struct {
		struct link *v;
		size_t n, cap;
	} links;
	struct names names; /* of the vertices of a graph */
	struct graph_routes *graph;
};

/* One way to connect hosts. */
struct topology_kind {
	const char *name, *sizes; /* "leaves hosts-per-leaf spines" */
	unsigned least, most;	  /* how many sizes it takes */
	/* Sets hosts, vertices and longest and adds the links.  -1 and *e: that size cannot be. */
	int (*build)(struct topology *t, struct error *e);
	/* Writes the links from src to dst != src; returns their number. */
	size_t (*route)(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			uint32_t *out);
	/* Writes the name of a vertex. */
	void (*vertex)(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME]);
};

extern const struct topology_kind topology_kinds[]; /* name NULL ends it */

/* Builds the links from kind, sizes and speeds.  0, or -1 and *e. */
int topology_build(struct topology *t, struct error *e);
/* Adds the links a -> b and b -> a; returns the first. */
size_t topology_connect(struct topology *t, uint32_t a, uint32_t b, enum link_class class);
/* The links from host src to dst into out[t->longest]; 0 when they are the same.  salt: differs
 * from message to message. */
size_t topology_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
		      uint32_t *out);
/* Which of n > 0 ways to take at the level-th choice on the way. */
uint32_t topology_choose(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
			 unsigned level, uint32_t n);
/* "host 3 -> leaf 0", in a buffer of two names; returns out. */
const char *topology_link_name(const struct topology *t, size_t link, char out[2 * TOPOLOGY_NAME]);
/* The shortest ways of an arbitrary graph: part of its kind in topology_graph.c. */
int graph_build(struct topology *t, struct error *e);
size_t graph_route(const struct topology *t, uint32_t src, uint32_t dst, uint64_t salt,
		   uint32_t *out);
void graph_vertex(const struct topology *t, uint32_t v, char out[TOPOLOGY_NAME]);
void graph_free(struct graph_routes *g);
/* Returns the memory of what t holds. */
void topology_free(struct topology *t);

#endif
