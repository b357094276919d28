/* SPDX-License-Identifier: MIT */
/* process.h - the state of one simulated rank: its present operation and what it waits for. */
#ifndef NETWORK_PROCESS_H
#define NETWORK_PROCESS_H

#include "network/engine.h"

/* What completes when a message was sent or received: a numbered request of the program, or one of
 * these: */
#define REQUEST_ANONYMOUS UINT32_C(0)  /* a request that only OP_WAITALL waits for */
#define REQUEST_SELF (UINT32_MAX - 1)  /* the process's own blocking operation */
#define REQUEST_PIECE (UINT32_MAX - 2) /* a part of a collective operation */

enum waiting {
	WAITING_NOTHING,
	WAITING_SELF,
	WAITING_REQUEST,
	WAITING_ALL,
	WAITING_PIECES,
};

struct process {
	struct op op;	      /* present operation */
	bool has_op, charged; /* charged: the CPU time for sending has passed */
	bool finished;
	uint32_t round,
	    pieces; /* of a collective operation: the present round; messages it waits for */
	enum waiting waiting;
	uint32_t awaited;     /* WAITING_REQUEST: number of the request */
	uint32_t outstanding; /* requests that are not done */
	uint32_t blocker;     /* in a deadlock: the other rank of an awaited request, or PEER_ANY */
	struct {
		struct request {
			uint32_t id;
			bool done;
		} * v;
		size_t n, cap;
	} open;		       /* numbered requests, done or not */
	uint32_t last;	       /* rank that it received from last, or PEER_LAST */
	double debt;	       /* seconds of CPU time owed for messages received */
	double since;	       /* time up to which its time is accounted for */
	enum rank_state state; /* state since then */
	struct cursor cursor;  /* last member, because its inner loops are seldom used */
};

/* Opens a request.  Returns the value to pass to process_complete(). */
uint32_t process_open(struct process *p, uint32_t request);
/* Completes a request.  Returns true if the process waited for it and continues. */
bool process_complete(struct process *p, uint32_t request);
/* Waits for a request, or for all requests (0).  Returns 0 if there is nothing to wait for, 1 if
 * the process has to wait, -1 if there is no such request. */
int process_wait(struct process *p, uint32_t request);
/* Sets *e to a description of which ranks wait for which, a cycle of them if there is one. */
void process_deadlock(const struct process *p, uint32_t ranks, double now, struct error *e);
/* Frees what the process holds. */
void process_free(struct process *p);

#endif
