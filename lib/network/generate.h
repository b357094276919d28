/* SPDX-License-Identifier: MIT */
/* generate.h - workloads of well-known shapes. */
#ifndef GENERATE_H
#define GENERATE_H

#include "network/workload.h"

enum { SHAPE_DIMENSIONS = 3 };

struct shape {
	uint32_t ranks;
	uint64_t steps, bytes;
	double compute; /* seconds of a rank in a step, or of a server for a request */
	double think;	/* seconds of a client between requests, on average */
	bool vary;	/* bytes from half to one and a half times, compute exponential */
	uint32_t grid[SHAPE_DIMENSIONS]; /* ranks in each dimension; 0: as even as possible */
	uint32_t partners, servers;
	uint64_t seed;
};
#define SHAPE_DEFAULT \
	{ \
		.ranks = 16, .steps = 100, .bytes = 8192, .compute = 100e-6, .think = 1e-3, \
		.partners = 4, .servers = 1, .seed = 1 \
	}

struct generator {
	const char *name, *summary;
	void (*generate)(const struct shape *s, struct workload *w);
	unsigned dimensions; /* of its grid; 0: it has none */
};
extern const struct generator generators[]; /* name NULL ends it */

/* The workload; NULL and *e: the numbers do not fit together. */
struct workload *generate(const struct generator *g, const struct shape *s, struct error *e);

#endif
