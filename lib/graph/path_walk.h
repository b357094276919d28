/* SPDX-License-Identifier: MIT */
/* path_walk.h - one path on its way back, for path.c and requests.c. */
#ifndef PATH_WALK_H
#define PATH_WALK_H

#include "graph/path.h"

struct walk_frame {
	uint32_t thread;
	int64_t bound;
};

/* Valid when `at`, `bound`, `thread` and the first part are set and the rest is zeroed. */
struct walk {
	path_take *take;
	void *arg;
	bool anchored;
	int64_t at, bound; /* explained down to here; to be, in this frame */
	uint32_t thread;   /* that it is on */

	uint64_t wanted;   /* the piece where it goes on, plus 1; 0: the next one of the thread */
	struct piece edge; /* that led to the wanted piece */
	VEC(struct walk_frame) frames;
	int64_t sum;
};

/* Whether the path goes through that piece: pieces come in descending order. */
static inline bool walk_wants(const struct walk *w, uint64_t number, const struct piece *p)
{
	return w->wanted ? w->wanted == number + 1 : p->thread == w->thread;
}

/* Takes a piece that it wants. */
void walk_take(struct walk *w, uint64_t number, const struct piece *p);
/* Goes on with whoever waited, once a wait is explained.  False: the path is complete. */
bool walk_goes_on(struct walk *w);
/* There are no more pieces: what is left is unknown.  Returns the sum of all steps in ns. */
int64_t walk_end(struct walk *w);

#endif
