/* SPDX-License-Identifier: MIT */
/*
 * derive.h - makes the graph of a trace of unmodified programs, with or without marks.
 *
 * If the trace has scheduler events, the waker of each wait is known.  If it is a thread, its piece
 * becomes the cause; if it is an interrupt, the wait is a delay of its own length.  A wake-up in a
 * softirq is attributed to the thread that it interrupted only if that thread was in a call on a
 * socket, because that is how loopback delivers.  What a thread waited for or worked on is known
 * only when its call ends; its pieces get their states then.
 *
 * If the interrupt that ended a wait completed a request to a block device, the cause is the thread
 * that issued it, at that time.  If an operation of io_uring completed, which an earlier call
 * submitted, it is that call.  So the time of the device counts from there on.
 *
 * Without scheduler events, a call that can wait and that took at least `shortest` is taken to have
 * waited.  Its cause is guessed: whoever wrote to its pipe or socket, exited, or woke its futex in
 * the meantime (PIECE_GUESS); without one the wait is a delay.
 *
 * A write to a pipe or socket puts its bytes into a queue, and a read takes them out.  The two
 * sockets of a connection are found by their addresses or, where these do not suffice, by who woke
 * whom.
 */
#ifndef GRAPH_DERIVE_H
#define GRAPH_DERIVE_H

#include "graph/graph.h"
#include "trace/connections.h"
#include "trace/event.h"
#include "trace/reorder.h"
#include "trace/source.h"
#include "view/processes.h"

enum { DERIVE_CACHE = 1024 };

/* Set `graph`, `shortest` and what else is wanted, and zero the rest, then call derive_begin,
 * derive_event for each event, and derive_end. */
struct derive {
	struct graph *graph;
	int64_t shortest; /* ns; see above */
	bool at_places;	  /* calls at different places are in different states */
	/* Unless NULL, called for each finished call and for each page fault. `state` is the state
	 * of the call, `user` the state of its thread outside of calls. */
	void (*taken)(void *arg, const struct event *e, uint16_t state, uint16_t user);
	void *taken_arg;
	/*
	 * If request_from is not NULL, marks of states delimit requests for requests.h: one begins
	 * when a thread enters the state request_from, and ends when it, or if it has identified a
	 * connection or request (MARK_IDENTIFY) any thread that has identified the same one, enters
	 * the state request_until (NULL: any state).  They are gets and puts of a queue of their
	 * own, request_queue (plus 1).
	 */
	const char *request_from, *request_until;
	uint32_t request_queue;
	bool scheduled; /* the trace has scheduler events */
	bool has_calls, has_wakes;
	uint64_t late;	 /* switches left out because later events of their thread had been taken */
	uint64_t unreal; /* events left out because of their times, a year or more away */
	uint64_t waiting; /* threads that waited for something when the trace ended */
	int64_t back;	  /* ns by which an event was earlier than the one before it, at most */
	struct processes processes;

	/* Private: */
	VEC(struct derived_thread) threads; /* by thread number of the graph */
	VEC(struct derived_object) objects; /* element 0 stands for no object */
	VEC(struct derived_cpu) cpus;
	struct map by_tid; /* thread number plus 1, by thread ID */
	struct derived_known {
		uint64_t key, value;
	} cache[DERIVE_CACHE]; /* results of recent lookups in these maps */
	struct map by_name;    /* the object whose outgoing direction has this name */
	struct connections connections;
	struct map places;   /* object number to index; CPU number, with bit 32, too */
	struct map by_call;  /* state plus 1, by program, call and kind of descriptor */
	struct map requests; /* of block devices: the piece at whose end one began, plus 1 */
	struct {
		uint64_t piece; /* as in requests; 0: unknown */
		uint32_t tid;	/* of the thread that was interrupted */
		uint32_t cpu;	/* plus 1; 0: unknown */
		int64_t time;
	} completed;		/* the last request that was */
	struct map futexes;	/* without scheduler: the last piece that woke the futex, plus 1 */
	struct map exits;	/* the last piece of a thread or process that has ended, plus 1 */
	struct map tags;	/* of marks: the last piece with that tag, plus 1 */
	struct map mark_queues; /* queue plus 1, by number of its name */
	struct names mark_names;
	struct map open_requests; /* of marks: the get, plus 1, by key or thread */
	struct reorder held;	  /* without scheduler: events held back to be sorted by time */
	int64_t reached;	  /* ns: the latest end of those */
	uint64_t sequence;
	int64_t latest; /* ns: the end of the last event */
};

/* Begins a trace; its threads and objects have nothing to do with those of earlier traces. */
void derive_begin(struct derive *d, const struct source_info *info);
/* Adds one event to the graph. */
void derive_event(struct derive *d, const struct event *e);
/* Ends the trace: processes the events that were held back and counts the CPUs. */
void derive_end(struct derive *d);
/* Frees everything but the graph. */
void derive_free(struct derive *d);

#endif
