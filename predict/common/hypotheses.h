/* SPDX-License-Identifier: MIT */
/* hypotheses.h - a list of what-if hypotheses, built from the words of the command line. */
#ifndef COMMON_HYPOTHESES_H
#define COMMON_HYPOTHESES_H

#include "graph/replay.h"
#include "util/error.h"

/* A zeroed struct is valid and empty. */
struct hypotheses {
	struct hypothesis *v; /* with scale, removed, and perhaps others */
	size_t n, cap;
};

/* Adds a hypothesis that changes nothing and returns its number. */
size_t hypotheses_add(struct hypotheses *h, const struct graph *g);
/* Makes hypothesis `number` assume that `state` takes no time and that no thread waits in it. */
void hypotheses_remove(struct hypotheses *h, const struct graph *g, size_t number, uint16_t state);
/* Makes hypothesis `number`, which otherwise changes nothing, assume that threads that wait in
 * `state` are woken without delay. */
void hypotheses_remove_way(struct hypotheses *h, const struct graph *g, size_t number,
			   uint16_t state);
/*
 * Change hypothesis `number` as the words say: "STATE=FACTOR", "STATE", "QUEUE=N".  STATE is a
 * sh(1) pattern for the name of a state (graph_state_name), or for its part after the program;
 * QUEUE a pattern for names of queues.  Return 0; otherwise set *e and return -1 if the trace has
 * nothing of that name, or HYPOTHESIS_MALFORMED if the words are not of that form, which needs no
 * trace: the graph may be a zeroed one.
 */
enum { HYPOTHESIS_MALFORMED = -2 };
int hypotheses_scale(struct hypotheses *h, const struct graph *g, size_t number, const char *words,
		     struct error *e);
int hypotheses_remove_state(struct hypotheses *h, const struct graph *g, size_t number,
			    const char *words, struct error *e);
int hypotheses_capacity(struct hypotheses *h, const struct graph *g, size_t number,
			const char *words, struct error *e);
/* The same for "PROGRAM=N": the work of each thread of the program is shared by N workers. */
int hypotheses_workers(struct hypotheses *h, const struct graph *g, size_t number,
		       const char *words, struct error *e);
/* Sets *e to that the trace has no state for the pattern of that option, but which.  Returns -1. */
int hypotheses_no_state(const struct graph *g, const char *option, const char *pattern,
			struct error *e);
/* Returns, by state, whether all threads together spend at least that share of the run time in it,
 * waits for other threads included; removing any other state saves less, unless a thread then waits
 * for an idle CPU for as long.  The caller frees. */
bool *hypotheses_candidates(struct graph *g, double share);
/*
 * Of the states in states[], returns the one whose removal, in addition to the changes of
 * hypothesis 0 of `base`, saves most, and stores the run time without it in *ns.  Returns SIZE_MAX
 * if there is none.
 */
size_t hypotheses_best(struct graph *g, const struct hypotheses *base, const bool *states,
		       double *ns);
/* Frees the list, which is empty and usable again. */
void hypotheses_free(struct hypotheses *h);

#endif
