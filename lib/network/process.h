/* SPDX-License-Identifier: MIT */
/* process.h - one rank at work: where it is in its operations, and what it waits for. */
#ifndef PROCESS_H
#define PROCESS_H

#include "network/engine.h"

/* Who wants to know that a message was sent or received: a number of a request, or one of these. */
#define REQUEST_ANONYMOUS UINT32_C(0)  /* only OP_WAITALL */
#define REQUEST_SELF (UINT32_MAX - 1)  /* a blocking operation */
#define REQUEST_PIECE (UINT32_MAX - 2) /* a collective operation */

enum waiting {
	WAITING_NOTHING,
	WAITING_SELF,
	WAITING_REQUEST,
	WAITING_ALL,
	WAITING_PIECES,
};

struct process {
	struct op op;	      /* the operation at hand */
	bool has_op, charged; /* charged: the sender's own time for it has passed */
	bool finished;
	uint32_t round, pieces; /* of a collective operation; messages it waits for */
	enum waiting waiting;
	uint32_t awaited;     /* WAITING_REQUEST: which */
	uint32_t outstanding; /* requests that are not done */
	uint32_t blocker;     /* of a deadlock: the other rank of one of these, or PEER_ANY */
	struct {
		struct request {
			uint32_t id;
			bool done;
		} * v;
		size_t n, cap;
	} open;		       /* requests with a number, done or not */
	uint32_t last;	       /* whom it received from, or PEER_LAST */
	double debt;	       /* its own time for messages received while it did something else */
	double since;	       /* until when its time is accounted for */
	enum rank_state state; /* since then */
	struct cursor cursor;  /* last: its inner loops are seldom used */
};

/* A new request: returns what process_complete() will be given. */
uint32_t process_open(struct process *p, uint32_t request);
/* A request is done.  True: the process waited for this and goes on. */
bool process_complete(struct process *p, uint32_t request);
/* Waits for a request, or for all (0).  0: nothing to wait for; 1: it waits; -1: no such request.
 */
int process_wait(struct process *p, uint32_t request);
/* Describes who waits for whom: true and *e unless all have finished. */
bool process_deadlock(const struct process *p, uint32_t ranks, double now, struct error *e);
/* Returns the memory. */
void process_free(struct process *p);

#endif
