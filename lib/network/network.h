/* SPDX-License-Identifier: MIT */
/* network.h - a network as described by network(5): topology, packets, overheads of the end points,
 * quiet delay. */
#ifndef NETWORK_NETWORK_H
#define NETWORK_NETWORK_H

#include "network/quiet.h"
#include "network/topology.h"

struct network {
	char *name, *file;
	char *text; /* of the file, before changes */
	struct topology topology;
	struct quiet quiet; /* measured; without points, derived from the links */
	double packet,
	    header;   /* bytes: data in a packet at most (0: unlimited), header of each packet */
	double eager; /* messages up to this many bytes leave before their receive is posted */
	struct overhead {
		double fixed, per_byte; /* seconds of CPU time of the rank */
	} send, receive;
	struct link_speed local; /* between ranks on the same host */
	uint32_t ranks_per_host; /* consecutive ranks share a host */
	struct {
		uint32_t *v;
		size_t n, cap;
	} place; /* hosts in the order in which they get ranks; empty: all, as numbered */
};

/* The delay of one message on a quiet network. */
struct passage {
	double wire;	/* bytes including headers */
	double rate;	/* wire bytes per second at most: of the slowest link or the end points */
	double latency; /* seconds in addition */
	double seconds; /* latency + wire / rate */
};

/* Returns the passage of a message of `size` bytes over links[n]; n = 0: within a host. */
struct passage network_passage(const struct network *net, double size, const uint32_t *links,
			       size_t n);
/* Returns the host of a rank. */
uint32_t network_host(const struct network *net, uint32_t rank);
/* Returns for how many ranks there is room. */
uint64_t network_room(const struct network *net);
/* Returns the seconds that an end point spends on a message of `size` bytes. */
double overhead_seconds(const struct overhead *o, double size);

/* Parses the text of a network file.  Returns NULL and sets *e, which names the line, on error. */
struct network *network_parse(const char *text, size_t n, const char *name, struct error *e);
/* Reads a network file, or the installed topology of that name, and applies changes[n]: statements
 * that replace or add to those of the file.  Returns NULL and sets *e on error. */
struct network *network_read(const char *path, const char *const *changes, size_t n,
			     struct error *e);
/* Returns the network of the same file with other changes, without reading it again: it may be a
 * pipe.  Errors as above. */
struct network *network_change(const struct network *net, const char *const *changes, size_t n,
			       struct error *e);
/* Parses a rate such as "160MB/s", "1.28Gbit/s" or "10MiB/s" into bytes per second.  Returns false
 * for anything else. */
bool rate_parse(const char *s, double *out);
/* Frees the network; NULL is allowed. */
void network_free(struct network *net);

#endif
