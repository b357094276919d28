/* SPDX-License-Identifier: MIT */
/* generate.h - generates workloads with well-known communication patterns. */
#ifndef NETWORK_GENERATE_H
#define NETWORK_GENERATE_H

#include "network/workload.h"

enum { SHAPE_DIMENSIONS = 3 };

struct shape {
	uint32_t ranks;
	uint64_t steps, bytes;
	double compute; /* seconds of each rank per step, or of a server per request */
	double think;	/* mean seconds of a client between requests */
	bool vary; /* uniform message sizes from 0.5 to 1.5 times bytes, exponential computation */
	uint32_t grid[SHAPE_DIMENSIONS]; /* ranks in each dimension; 0: as equal as possible */
	uint32_t partners, servers;
	uint64_t seed;
};
#define SHAPE_DEFAULT \
	{ \
		.ranks = 16, .steps = 100, .bytes = 8192, .compute = 100e-6, .think = 1e-3, \
		.partners = 4, .servers = 1, .seed = 1 \
	}

struct generator {
	const char *name;
	void (*generate)(const struct shape *s, struct workload *w);
	unsigned dimensions; /* dimensions of its grid; 0: no grid */
};
extern const struct generator generators[]; /* ends with name NULL */

/* Returns a new workload, or NULL and sets *e if the numbers of the shape do not fit together. */
struct workload *generate(const struct generator *g, const struct shape *s, struct error *e);

#endif
