/* SPDX-License-Identifier: MIT */
/* network.h - a network as network(5) describes it: topology, packets, end points, quiet delay. */
#ifndef NETWORK_H
#define NETWORK_H

#include "network/quiet.h"
#include "network/topology.h"

struct network {
	char *name;
	struct topology topology;
	struct quiet quiet; /* of the shortest way; without points the links' speeds are used */
	double packet,
	    header;   /* bytes of data in a packet at most (0: any number), and beside it */
	double eager; /* messages of at most so many bytes leave before they are received */
	struct overhead {
		double fixed, per_byte; /* seconds of the rank's own time */
	} send, receive;
	struct link_speed local; /* between ranks of one host */
	uint32_t ranks_per_host; /* neighbours share a host */
};

/* What one message takes when nothing else is on its way. */
struct passage {
	double wire;	/* bytes with headers */
	double rate;	/* wire bytes per second, at most: of the slowest link, or of the ends */
	double latency; /* seconds in addition */
	double seconds; /* latency + wire / rate */
};

/* Of size bytes over links[n]; n = 0: within a host. */
struct passage network_passage(const struct network *net, double size, const uint32_t *links,
			       size_t n);
/* Seconds of an end for a message of size bytes. */
double overhead_seconds(const struct overhead *o, double size);

/* Reads the text of a network file.  NULL and *e, which names line or option. */
struct network *network_parse(const char *text, size_t n, const char *name, struct error *e);
/* Reads a file, or the topology of that name that is installed, and then changes[n], statements
 * that replace or add to those of the file. */
struct network *network_read(const char *path, const char *const *changes, size_t n,
			     struct error *e);
/* Bytes per second: "160MB/s", "1.28Gbit/s", "10MiB/s".  False when it is something else. */
bool rate_parse(const char *s, double *out);
/* NULL is fine. */
void network_free(struct network *net);

#endif
