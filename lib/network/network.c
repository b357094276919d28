/* SPDX-License-Identifier: MIT */
#include "network/network.h"

#include <math.h>
#include <stdlib.h>

uint32_t network_host(const struct network *net, uint32_t rank)
{
	uint32_t at = rank / net->ranks_per_host;

	return net->place.n ? net->place.v[at] : at;
}

uint64_t network_room(const struct network *net)
{
	return (uint64_t)(net->place.n ? net->place.n : net->topology.hosts) * net->ranks_per_host;
}

double overhead_seconds(const struct overhead *o, double size)
{
	return o->fixed + o->per_byte * size;
}

/* Returns the size including the headers of all packets; an empty message is one packet, too. */
static double wire_bytes(const struct network *net, double size)
{
	double packets = net->packet > 0 && size > net->packet ? ceil(size / net->packet) : 1;

	return size + packets * net->header;
}

/* Splits a measured delay into transfer time, which depends on the rate, and latency. */
static void split(const struct network *net, double size, double seconds, struct passage *p)
{
	double slope = quiet_at(&net->quiet, size)->slope;

	if (slope * size > 0 && p->wire / (slope * size) < p->rate)
		p->rate = p->wire / (slope * size);
	p->latency = seconds - p->wire / p->rate;
	if (p->latency >= 0)
		return;
	/* The measurement is faster than the links are said to be: the rate of the links is
	 * used. */
	p->latency = 0;
}

struct passage network_passage(const struct network *net, double size, const uint32_t *links,
			       size_t n)
{
	const struct link *all = net->topology.links.v;
	struct passage p = { .wire = wire_bytes(net, size), .rate = INFINITY };

	for (size_t i = 0; i < n; i++)
		p.rate = fmin(p.rate, all[links[i]].rate * all[links[i]].speedup);
	if (n == 0) {
		p.wire = size;
		p.rate = net->local.rate;
		p.latency = net->local.latency;
	} else if (net->quiet.nsegments) {
		double seconds = quiet_seconds(&net->quiet, size);

		for (size_t i = net->topology.shortest; i < n; i++)
			seconds += all[links[i]].latency;
		split(net, size, seconds, &p);
	} else {
		for (size_t i = 0; i < n; i++)
			p.latency += all[links[i]].latency;
	}
	p.seconds = p.latency + p.wire / p.rate;
	return p;
}

void network_free(struct network *net)
{
	if (!net)
		return;
	topology_free(&net->topology);
	quiet_free(&net->quiet);
	free(net->name);
	free(net->file);
	free(net->text);
	free(net->place.v);
	free(net);
}
