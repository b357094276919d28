/* SPDX-License-Identifier: MIT */
/* simulate_parts.h - declarations shared by simulate.c and simulate_read.c. */
#ifndef GRAPH_SIMULATE_PARTS_H
#define GRAPH_SIMULATE_PARTS_H

#include "graph/simulate.h"
#include "graph/wakecost.h"
#include "trace/reorder.h"

/* A thread, or one of several workers that share the work of a thread. */
struct actor {
	uint64_t piece; /* that it does, plus 1; 0: not read yet */
	uint64_t read;	/* the last one of its pieces that was read, plus 1 */
	uint64_t done;	/* the last one that it has finished, plus 1 */
	int64_t left;	/* ns of the present one; -1: not begun */
	int64_t time;	/* simulated time at which it is ready to go on */
	bool blocked;	/* until a queue or a cause changes */
	bool has_cpu;
	bool over;
	int64_t used; /* ns of CPU time in the present slice */
	bool slept;   /* its present wait, or the last one, took time */
	bool stayed;  /* its last finished piece is a wait that took none */
	struct waking waking;
	int64_t owed;		  /* ns by which what it runs next is longer or, below 0, shorter */
	int64_t arrived, arrival; /* of the last message over a network: observed, simulated */
};

/* Actors that wait for the same. */
struct waiting {
	uint32_t *v;
	size_t n, cap;
};

/* A thread whose queues are shared by several workers. */
struct shared {
	uint32_t worker;    /* present worker, plus 1; 0: the next get or put decides */
	uint32_t last;	    /* worker of the last put, plus 1 */
	uint32_t queues;    /* queues seen so far */
	VEC(uint64_t) open; /* pieces for the worker that is not known yet */
};

enum { SPAN = 1024 /* pieces */ };

/* What is known of pieces that follow each other on the tape, until all are finished and have been
 * used. */
struct span {
	uint64_t unfinished, uses;
	/* Of a finished piece, the simulated time of its end.  Otherwise -1 - n, where its actor's
	 * next piece is n pieces further on the tape; n = 0: not read yet. */
	int64_t at[SPAN];
};

/* A queue as far as it is simulated. */
struct sim_queue {
	double put, taken, capacity;
	struct waiting waiting;
	/* Room that a get makes becomes known to the writer `way` ns later. */
	int64_t way;
	double room;  /* units taken as far as the writer knows */
	bool changed; /* it has another capacity than in the trace */
	VEC(struct freed {
		int64_t at;
		double taken;
	})
	freed;
	size_t first;
};

struct simulator {
	struct graph *graph;
	const struct hypothesis *h;
	VEC(struct actor) actors;
	VEC(struct span *) spans; /* NULL: not needed any more */
	VEC(struct waiting) waiting;
	VEC(uint32_t) free_waiting; /* indices of those not in use */
	struct map by_cause;	    /* index in waiting, plus 1, by piece plus 1 */
	VEC(struct sim_queue) queues;
	struct reorder events; /* actors, sorted by time */
	VEC(uint32_t) ready;   /* run queue: actors that wait for a CPU, in order of arrival */
	size_t first_ready;
	unsigned free_cpus;
	struct shared *shared; /* by thread, or NULL */
	double *wake_cost;     /* by word, ns; see wakecost.h */
	struct map workers; /* by thread and queue: the worker that takes from the queue, plus 1 */
	uint64_t sequence, read; /* read: pieces of the tape read so far */
	struct simulation result;
};

/* simulate_read.c */

/* The actor is ready for its next task at `time`. */
void simulator_schedule(struct simulator *s, uint32_t actor, int64_t time);
/* Prepares the threads whose work is shared by several workers. */
void simulator_share(struct simulator *s);
/* Reads more pieces of the tape and gives them to their actors; false: the tape is read. */
bool simulator_read(struct simulator *s);
/* Reads on until the actor has a piece to do.  Returns false if it has done all. */
bool simulator_next(struct simulator *s, uint32_t actor);
/* Returns what is known of a piece as in struct span; NULL: it was finished and used, or is not on
 * the tape. */
int64_t *simulator_at(const struct simulator *s, uint64_t number);
/* The actor has finished its piece, which is *p, and goes on to the next one. */
void simulator_finish(struct simulator *s, uint32_t actor, const struct piece *p, int64_t now);

#endif
