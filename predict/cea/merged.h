/* SPDX-License-Identifier: MIT */
/* merged.h - collects the explanations of single waits and the charges for resources, and merges
 * them by the places where they occurred. */
#ifndef MERGED_H
#define MERGED_H

#include "../common/load.h"
#include "graph/contention.h"
#include "graph/explain.h"

/* What makes the waits of a characterization longer (> 0) or shorter (< 0). */
struct cause {
	uint64_t key;	/* as in explain.h */
	uint64_t count; /* waits that it is a cause of */
	uint64_t last;	/* number of the last one */
	int64_t ns;
};

struct causes {
	struct cause *v;
	size_t n, cap;
};

/* All waits that began at one place and were ended from one place. */
struct characterization {
	struct site waits_at, woken_at;
	uint16_t state; /* what they waited for */
	bool known;	/* the waker is known */
	uint64_t count;
	int64_t ns, longest;
	int64_t direct;	 /* ns during which the waker did not wait itself */
	int64_t guessed; /* ns of waits whose waker is a guess */
	struct causes causes;
};

/* Time that one party lost to another one that used the same resource. */
struct interference {
	enum resource resource;
	char *server; /* the process that served both, such as "redis 12"; or NULL */
	char *waiter, *user;
	uint32_t program; /* of the waiter */
	uint64_t count;	  /* number of waits */
	int64_t ns;
};

/* A zeroed struct is valid and empty. */
struct merged {
	const struct load *load;
	struct graph *graph;
	VEC(struct characterization) waits;
	struct causes causes; /* of all waits, wherever they are: by merged_whole */
	VEC(struct interference) lost;
	uint64_t count;	     /* waits for other threads */
	int64_t ns, unknown; /* their sum; the part without a known waker */
	int64_t residual;    /* sum of the waits minus that of all causes; normally 0 */
	int64_t cpu;	     /* ns of waits for a CPU */
	size_t lock, disk;   /* numbers of these words; SIZE_MAX: there are no such waits */
	uint16_t *same;	     /* by state: the first state with the same name */
	struct map by_key[3];
};

/* Reads the trace l->path and merges its waits and charges. */
void merged_read(struct merged *m, struct load *l);
/* Returns a name such as "sink read pipe", "sink parse: read pipe", or "sink" for a thread outside
 * of calls; the caller frees. */
char *site_name(const struct graph *g, struct site site);
/* Returns a name such as "sink read pipe waits (pipe) for source write pipe"; the caller frees. */
char *wait_name(const struct merged *m, const struct characterization *c);
/* Returns "cpu", "lock", "server" or "disk"; static. */
const char *resource_name(enum resource resource);
/* Returns the name of the cause with that key; the caller frees. */
char *cause_name(const struct graph *g, uint64_t key);
/* Returns the key of the same cause without its place. */
uint64_t merged_whole(uint64_t key);
/* Prints warnings about what the trace and the program lack, and frees both structs. */
void merged_end(struct merged *m, struct load *l);

#endif
