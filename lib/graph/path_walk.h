/* SPDX-License-Identifier: MIT */
/* path_walk.h - the state of one walk back along a critical path, for path.c, near.c,
 * requests.c and loops.c. */
#ifndef GRAPH_PATH_WALK_H
#define GRAPH_PATH_WALK_H

#include "graph/path.h"

struct walk_frame {
	uint32_t thread;
	int64_t bound;
};

/* To start a walk, set graph, take, arg, anchored, at, bound and thread, and zero the rest. */
struct walk {
	struct graph *graph;
	path_take *take;
	void *arg;
	bool anchored;
	bool stays; /* while a thread waits for a CPU, the walk stays with it, as an anchored one */
	int64_t at, bound; /* the walk has reached `at` and ends at `bound`; ns */
	uint32_t thread;   /* thread that it is on */

	uint64_t wanted;   /* the piece where it continues, plus 1; 0: the next one of the thread */
	struct piece edge; /* the piece whose cause is wanted */
	uint8_t carried;   /* flags of that for the steps behind it, until a state is reported */
	VEC(struct walk_frame) frames;
	int64_t sum;
};

/* Whether the walk continues with this piece; pieces must be offered in descending order. */
static inline bool walk_wants(const struct walk *w, uint64_t number, const struct piece *p)
{
	return w->wanted ? w->wanted == number + 1 : p->thread == w->thread;
}

/* Reports the way from the end of a piece that the walk wants to where the walk is now, and
 * continues with the piece's thread. */
void walk_arrive(struct walk *w, const struct piece *p);
/* Arrives at the piece and adds it. */
void walk_take(struct walk *w, uint64_t number, const struct piece *p);
/* On an anchored path, returns to the waiting thread when its wait is explained.  Returns false
 * when the path is complete. */
bool walk_goes_on(struct walk *w);
/* Ends the walk when there are no more pieces; what is left is reported as unknown.  Returns the
 * sum of all steps in ns. */
int64_t walk_end(struct walk *w);

/* Is given a piece that the walk wants, and should add it to the walk. */
typedef void walk_visit(void *arg, struct walk *w, uint64_t number, const struct piece *p);
/* Walks back, beginning with the piece before `number`, and ends the walk.  Returns the sum of all
 * steps in ns. */
int64_t walk_back(struct walk *w, uint64_t number, walk_visit *visit, void *arg);

#endif
