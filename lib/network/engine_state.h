/* SPDX-License-Identifier: MIT */
/* engine_state.h - a run at work, for the two files that carry it on. */
#ifndef ENGINE_STATE_H
#define ENGINE_STATE_H

#include "network/keyheap.h"
#include "network/matching.h"
#include "network/process.h"
#include "util/map.h"
#include "util/vec.h"

#define TAG_COLLECTIVE TAG_LIMIT /* of the messages of collective operations, plus their kind */

struct message {
	struct message_record record;
	double latency; /* left after the bytes */
	uint32_t send_request, receive_request;
	uint32_t waiting; /* its place in matching */
	uint32_t next;	  /* of the same two ranks, which leaves when this has passed */
	bool matched, started, passed, arrived, eager;
};

struct engine {
	const struct network *net;
	const struct workload *w;
	const struct engine_options *o;
	struct engine_result *r;
	struct error *e;
	bool failed;
	double now, next_background;
	uint64_t sequence; /* of messages, for routes */
	struct process *processes;
	uint32_t running;
	VEC(uint32_t) ready;   /* processes that go on now */
	struct keyheap events; /* of processes, and of messages behind them */
	VEC(struct message) messages;
	VEC(uint32_t) free_messages;
	struct map streams; /* by source and destination: the last message on its way */
	struct matching *matching;
	struct sharing *sharing;
	struct random random;
	uint32_t *path;
};

/* The process was in this state from its last stop until then. */
void engine_account(struct engine *en, uint32_t rank, enum rank_state state, double to);
/* Lets the process go on after so many seconds in a state. */
void engine_busy(struct engine *en, uint32_t rank, enum rank_state state, double seconds);
/* Sends; returns whether the request is done at once. */
bool engine_send(struct engine *en, uint32_t rank, uint32_t dst, uint64_t bytes, uint32_t tag,
		 uint32_t request, bool synchronous);
/* Posts a receive. */
void engine_receive(struct engine *en, uint32_t rank, uint32_t src, uint32_t tag, uint32_t request);
/* Does operations of a process until it has to stop. */
void engine_go_on(struct engine *en, uint32_t rank);

#endif
