/* SPDX-License-Identifier: MIT */
/* simulate_parts.h - declarations shared by simulate.c and simulate_read.c. */
#ifndef SIMULATE_PARTS_H
#define SIMULATE_PARTS_H

#include "graph/simulate.h"
#include "trace/reorder.h"

/* A piece that is still to be simulated. */
struct task {
	struct piece piece;
	uint64_t number;
	int64_t left; /* ns; -1: not begun */
};

/* A thread, or one of several workers that share the work of a thread. */
struct actor {
	VEC(struct task) tasks;
	size_t first;
	int64_t time; /* simulated time at which it is ready for its next task */
	bool blocked; /* until a queue or a cause changes */
	bool has_cpu;
	int64_t used;	 /* ns of CPU time in the present slice */
	uint32_t waited; /* the state plus 1 if its last finished task is a wait */
	bool over;
	int64_t arrived, arrival; /* of the last message over a network: observed, simulated */
	uint64_t last;		  /* number of its last finished task, plus 1 */
};

/* A thread whose queues are shared by several workers. */
struct shared {
	uint32_t worker;       /* present worker, plus 1; 0: the next get decides */
	uint32_t queues;       /* queues seen so far */
	VEC(struct task) open; /* pieces for the worker that the next get decides on */
};

/* The end of a piece that is the cause of others. */
struct done {
	int64_t time, end; /* simulated; observed */
	uint32_t uses;
	bool is;
	VEC(uint32_t) waiting; /* actors */
};

/* A queue as far as it is simulated. */
struct sim_queue {
	double put, taken, capacity;
	VEC(uint32_t) waiting;
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
	VEC(struct done) done;
	VEC(uint32_t) free_done;
	struct map by_piece; /* index in done, plus 1 */
	VEC(struct sim_queue) queues;
	struct reorder events; /* actors, sorted by time */
	VEC(uint32_t) ready;   /* run queue: actors that wait for a CPU, in order of arrival */
	size_t first_ready;
	unsigned free_cpus;
	struct shared *shared; /* by thread, or NULL */
	struct map workers; /* by thread and queue: the worker that takes from the queue, plus 1 */
	uint64_t sequence, read; /* read: pieces of the tape read so far */
	uint64_t live;		 /* actors that are not over */
	struct simulation result;
};

/* simulate_read.c */

/* The actor is ready for its next task at `time`. */
void simulator_schedule(struct simulator *s, uint32_t actor, int64_t time);
/* Prepares the threads whose work is shared by several workers. */
void simulator_share(struct simulator *s);
/* Reads more pieces of the tape and gives them to their actors; false: the tape is read. */
bool simulator_read(struct simulator *s);
/* Returns the next task of an actor; NULL: it has finished. */
struct task *simulator_next(struct simulator *s, uint32_t actor);

#endif
