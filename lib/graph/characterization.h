/* SPDX-License-Identifier: MIT */
/*
 * characterization.h - merges the explanations of single waits by the places where the waits began
 * and were ended.
 *
 * A place is a site of explain.h, where states of the same name are one state: several calls on one
 * line of the source are one place.
 */
#ifndef GRAPH_CHARACTERIZATION_H
#define GRAPH_CHARACTERIZATION_H

#include "graph/explain.h"

/* What makes the waits of a characterization longer (> 0) or shorter (< 0). */
struct cause {
	int64_t ns, indirect; /* indirect: the part that came through other threads */
	uint64_t key;	      /* as in explain.h */
	uint64_t count;	      /* waits that it is a cause of */
	uint64_t last;	      /* number of the last one */
};

struct causes {
	struct cause *v;
	size_t n, cap;
};

/* All waits that began at one place and were ended from one place. */
struct characterization {
	int64_t ns;
	struct site waits_at, woken_at;
	const char *word; /* what they waited for, such as "lock" */
	bool known;	  /* the waker is known */
	uint64_t count;
	int64_t longest;
	int64_t direct;	 /* ns during which the waker did not wait itself */
	int64_t guessed; /* ns of waits whose waker is a guess */
	struct causes causes;
};

/* Set graph and `same`, and zero the rest: there is no wait yet. */
struct characterizations {
	const struct graph *graph;
	const uint16_t *same; /* by state: the first state with the same name */
	struct characterization *v;
	size_t n, cap;
	struct causes causes; /* of all waits, wherever they are: by cause_whole */
	uint64_t count;	      /* waits for other threads */
	int64_t ns, unknown;  /* their sum; the part without a known waker */
	int64_t residual;     /* sum of the waits minus that of all causes; normally 0 */
	/* Private: */
	struct map by_place, by_cause;
};

/* Adds a wait.  Returns what it is one of, valid until the next call. */
const struct characterization *characterizations_add(struct characterizations *s,
						     const struct explanation *e);
/* Returns the key of the same cause without its place. */
uint64_t cause_whole(uint64_t key);
/* Returns the same place for all sites of the same name. */
struct site site_same(const uint16_t *same, struct site site);
/* Frees everything but the graph and `same`. */
void characterizations_free(struct characterizations *s);

#endif
