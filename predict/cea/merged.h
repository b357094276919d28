/* SPDX-License-Identifier: MIT */
/* merged.h - explanations of single waits and charges, merged by where they were. */
#ifndef MERGED_H
#define MERGED_H

#include "../critpath/load.h"
#include "graph/contention.h"
#include "graph/explain.h"

/* What makes waits of a characterization longer or, below 0, shorter. */
struct cause {
	uint32_t key; /* as in explain.h */
	uint64_t count;
	int64_t ns;
};

/* All waits at one place that were ended at one place. */
struct characterization {
	struct site waits_at, woken_at;
	uint16_t state; /* what for */
	bool known;	/* who ended them */
	uint64_t count;
	int64_t ns, longest;
	int64_t direct;	 /* while the waker did not wait itself */
	int64_t guessed; /* the trace does not say who the waker was */
	VEC(struct cause) causes;
};

/* Time that some lost to others who used the same thing. */
struct interference {
	enum interference_kind { OF_CPU, OF_LOCK, OF_SERVER, OF_DISK } kind;
	char *server; /* that served both; or NULL */
	char *waiter, *user;
	uint64_t count; /* waits */
	int64_t ns;
};

/* Zeroed is valid and empty. */
struct merged {
	struct graph *graph;
	VEC(struct characterization) waits;
	VEC(struct interference) lost;
	uint64_t count;	     /* waits for other threads */
	int64_t ns, unknown; /* ... in all; of those without a known waker */
	int64_t residual;    /* of the waits, less the sum of all causes */
	int64_t cpu;	     /* waits for a CPU */
	size_t lock;	     /* the word; SIZE_MAX: no such wait */
	struct map places;   /* number of a site */
	uint16_t *same;	     /* by state: the first one that is the same place of the program */
	struct map by_key[2];
};

/* What commands begin with: parses the command line, reads the trace that it names, and merges. */
void merged_load(struct merged *m, struct load *l, int argc, char **argv,
		 const struct opt_usage *usage, const struct opt *options);
/* "sink read pipe", "sink parse: read pipe", or "sink" for a thread outside of calls; the caller
 * frees. */
char *site_name(const struct graph *g, struct site site);
/* "cpu", "lock", "server" or "disk". */
const char *interference_name(enum interference_kind kind);
/* The cause of that key; the caller frees. */
char *cause_name(const struct graph *g, uint32_t key);
/* What they end with: warns of what the trace and the program did not tell, and frees both. */
void merged_end(struct merged *m, struct load *l);

#endif
