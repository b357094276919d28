/* SPDX-License-Identifier: MIT */
/* engine_state.h - the state of a simulation, shared by engine.c and engine_operations.c. */
#ifndef NETWORK_ENGINE_STATE_H
#define NETWORK_ENGINE_STATE_H

#include "network/keyheap.h"
#include "network/matching.h"
#include "network/process.h"
#include "util/map.h"
#include "util/vec.h"

/* A message of a collective operation has this tag plus the kind of the operation. */
#define TAG_COLLECTIVE TAG_LIMIT

struct message {
	struct message_record record;
	double latency; /* seconds that remain after its last byte has left the links */
	uint32_t send_request, receive_request;
	uint32_t waiting; /* its number in matching.h */
	uint32_t next;	  /* next message between the same two ranks, or MATCH_NONE */
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
	uint64_t sequence; /* messages so far; selects random routes */
	struct process *processes;
	uint32_t running;
	VEC(uint32_t) ready;   /* processes that can continue now */
	struct keyheap events; /* ids below ranks: processes; above: messages that arrive */
	VEC(struct message) messages;
	VEC(uint32_t) free_messages;
	struct map streams; /* by source and destination: last queued message, plus 1 */
	struct matching *matching;
	struct sharing *sharing;
	struct random random;
	uint32_t *path;
};

/* Attributes the time of the process from p->since to `to` to that state. */
void engine_account(struct engine *en, uint32_t rank, enum rank_state state, double to);
/* Keeps the process in `state` for that many seconds; then it continues. */
void engine_busy(struct engine *en, uint32_t rank, enum rank_state state, double seconds);
/* Sends a message.  Returns true if the send completes at once. */
bool engine_send(struct engine *en, uint32_t rank, uint32_t dst, uint64_t bytes, uint32_t tag,
		 uint32_t request, bool synchronous);
/* Posts a receive. */
void engine_receive(struct engine *en, uint32_t rank, uint32_t src, uint32_t tag, uint32_t request);
/* Executes operations of a process until it has to stop. */
void engine_go_on(struct engine *en, uint32_t rank);

#endif
