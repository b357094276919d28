/* SPDX-License-Identifier: MIT */
/* simulate_parts.h - what the files of simulate.h share. */
#ifndef SIMULATE_PARTS_H
#define SIMULATE_PARTS_H

#include "graph/simulate.h"
#include "trace/reorder.h"

/* A piece that is still to be done. */
struct task {
	struct piece piece;
	uint64_t number;
	int64_t left; /* ns; -1: not begun */
};

/* A thread, or one of several workers that share what it does. */
struct actor {
	VEC(struct task) tasks;
	size_t first;
	int64_t time; /* it is there, and ready for the next task */
	bool blocked; /* until a queue or cause changes */
	bool has_cpu;
	int64_t used; /* ns of CPU since it got one */
	bool over;
	uint64_t last; /* task that it did, plus 1 */
};

/* A thread whose queues several workers share. */
struct shared {
	uint32_t worker;       /* that is at work, plus 1; 0: the next get tells */
	uint32_t queues;       /* seen so far */
	VEC(struct task) open; /* of the worker that the next get tells */
};

/* A piece that is the cause of others, and when it was done. */
struct done {
	int64_t time, end; /* simulated; as it was */
	uint32_t uses;
	bool is;
	VEC(uint32_t) waiting; /* actors */
};

/* A queue. */
struct place {
	double put, taken, capacity;
	VEC(uint32_t) waiting;
	/* What was taken is room only when whoever puts comes to know, `way` ns later. */
	int64_t way;
	double room; /* units taken, that they know of */
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
	VEC(struct done) done;
	VEC(uint32_t) free_done;
	struct map by_piece; /* place in done plus 1 */
	VEC(struct place) places;
	struct reorder events; /* actors, by time */
	VEC(uint32_t) ready;   /* wait for a CPU, the first first */
	size_t first_ready;
	unsigned free_cpus;
	struct shared *shared;	 /* by thread, or NULL */
	struct map workers;	 /* of threads and queues: the actor that takes, plus 1 */
	uint64_t sequence, read; /* pieces of the tape */
	uint64_t live;		 /* actors that are not over */
	struct simulation result;
};

/* simulate_read.c */

/* The actor is at that time, and ready for its next task then. */
void simulator_schedule(struct simulator *s, uint32_t actor, int64_t time);
/* Makes the actors of the threads that workers share. */
void simulator_share(struct simulator *s);
/* Puts further pieces of the tape to their threads; false: there are none. */
bool simulator_read(struct simulator *s);
/* The next task of an actor; NULL: it is over. */
struct task *simulator_next(struct simulator *s, uint32_t actor);

#endif
