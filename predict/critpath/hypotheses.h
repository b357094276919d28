/* SPDX-License-Identifier: MIT */
/* hypotheses.h - changes to a graph, as words and as tables for replay.h. */
#ifndef HYPOTHESES_H
#define HYPOTHESES_H

#include "graph/replay.h"
#include "util/error.h"

/* Zeroed is valid and empty. */
struct hypotheses {
	struct changes {
		double *scale;	   /* by state */
		bool *removed;	   /* by state */
		double *capacity;  /* by queue; NULL: all as they are */
		uint32_t *workers; /* by thread; NULL: one each */
	} * v;
	size_t n, cap;
};

/* Another one that changes nothing; its number. */
size_t hypotheses_add(struct hypotheses *h, const struct graph *g);
/* Another one, the same as the first of `base`. */
void hypotheses_add_from(struct hypotheses *h, const struct graph *g,
			 const struct hypotheses *base);
/* In that one the state takes no time, and nobody waits in it. */
void hypotheses_remove(struct hypotheses *h, const struct graph *g, size_t number, uint16_t state);
/*
 * "STATE=FACTOR", "EDGE", "QUEUE=N": a pattern of sh(1) for what graph_state_name gives, or its
 * last word, or the name of a queue.  0, or -1 and *e: nothing has that name, or no number.
 */
int hypotheses_scale(struct hypotheses *h, const struct graph *g, size_t number, const char *words,
		     struct error *e);
int hypotheses_remove_edge(struct hypotheses *h, const struct graph *g, size_t number,
			   const char *words, struct error *e);
int hypotheses_capacity(struct hypotheses *h, const struct graph *g, size_t number,
			const char *words, struct error *e);
/* "PROGRAM=N": each of its threads is shared by N. */
int hypotheses_workers(struct hypotheses *h, const struct graph *g, size_t number,
		       const char *words, struct error *e);
/* How long each takes, in the frozen order: ns[h->n]. */
void hypotheses_replay(const struct hypotheses *h, struct graph *g, double *ns);
/* By state, in fresh memory: whether all threads together spend at least that share of the run time
 * in it.  Others cannot save more. */
bool *hypotheses_candidates(struct graph *g, double share);
/* The state of those whose removal saves most time in addition to the first of `base`, and the time
 * that is left in *ns; SIZE_MAX: there are none. */
size_t hypotheses_best(struct graph *g, const struct hypotheses *base, const bool *states,
		       double *ns);
void hypotheses_free(struct hypotheses *h);

#endif
