/* SPDX-License-Identifier: MIT */
/*
 * engine.h - simulates a workload on a network by the event horizon method: rates are constant from
 * one change of the traffic to the next (E. Papaefstathiou, 2001).
 *
 * A message is ready to leave when it was sent and its receive was posted; short (eager) messages
 * do not wait for the receive.  It then queues behind earlier messages between the same two ranks,
 * as on one connection.  Its bytes share the links with all other messages in flight (sharing.h);
 * then the latency that is left of its quiet delay passes.  Ranks compute, send and wait as their
 * operations say.
 */
#ifndef NETWORK_ENGINE_H
#define NETWORK_ENGINE_H

#include "network/network.h"
#include "network/sharing.h"
#include "network/workload.h"

/* How a rank spends its time.  The time that it waits for messages is split by the message that
 * ends the wait into the last three states. */
enum rank_state {
	RANK_COMPUTE,
	RANK_OVERHEAD,	 /* CPU time for messages: "send" and "receive" of network(5) */
	RANK_WIRE,	 /* as long as the message takes on a quiet network */
	RANK_CONTENTION, /* delay caused by other messages, background load, and earlier messages
			  * between the same two ranks */
	RANK_PEER,	 /* the message could not leave because the other rank was not ready */
	RANK_STATES
};
extern const char *const rank_state_names[RANK_STATES];

/* A message that was received.  Times are in seconds since the start. */
struct message_record {
	uint32_t src, dst, tag;
	uint64_t bytes;
	double sent;	/* when the sender called send */
	double ready;	/* when it could leave: the receive was posted, or the message is eager */
	double started; /* when it left, after earlier messages between the same two ranks */
	double arrived;
	double quiet;	     /* seconds that it takes on a quiet network */
	double lost;	     /* seconds of delay caused by other messages and background load */
	uint32_t bottleneck; /* link that caused the largest delay; UINT32_MAX: none */
};

/* Callbacks during a run; any of them may be NULL.  Times are in seconds, rates in bytes per
 * second. */
struct observer {
	void *arg;
	void (*message)(void *arg, const struct message_record *m);
	void (*state)(void *arg, uint32_t rank, enum rank_state state, double from, double to);
	void (*load)(void *arg, uint32_t link, double from, double to, double rate);
};

enum background_kind {
	BACKGROUND_NONE,
	BACKGROUND_CONSTANT,	/* a constant share of every link */
	BACKGROUND_EXPONENTIAL, /* a random share of each link, drawn in each interval */
	BACKGROUND_FLOWS, /* each host sends to a random other host at a share of the path's rate */
};

struct background {
	enum background_kind kind;
	double share;	 /* mean share of a link's rate, in [0, 0.95] */
	double interval; /* seconds between draws */
};

struct engine_options {
	enum sharing_rule rule;
	bool alone; /* each message has the network to itself */
	struct background background;
	uint64_t seed, load_seed;	 /* of the workload's amounts; of the background load */
	double stretch;			 /* factor of all computation times */
	bool check;			 /* call sharing_check() after every change */
	const struct observer *observer; /* or NULL */
};
#define ENGINE_DEFAULT \
	{ \
		.seed = 1, .load_seed = 1, .stretch = 1 \
	}

struct rank_result {
	double finish;
	double seconds[RANK_STATES];
};

struct engine_result {
	double seconds; /* when the last rank finished */
	uint32_t ranks, slowest;
	struct rank_result *rank;
	struct link_account *link; /* by link */
	size_t links;
	uint64_t messages; /* received */
	double bytes, delay, quiet,
	    lost; /* sums over these messages; delay, quiet and lost in seconds */
	struct message_record
	    worst;	     /* the message with the largest ratio of delay to quiet delay */
	uint64_t events;     /* operations that were begun */
	uint64_t checks;     /* allocations that were checked */
	uint64_t unreceived; /* messages that were sent but not received */
	struct message_record stray; /* the first of them */
};
enum { MESSAGE_NAME = 96 }; /* bytes that message_name() writes, at most */

/*
 * Runs the workload to its end and fills *r, which the caller passes to engine_result_free() in any
 * case.  Returns 0, or -1 and sets *e: too few hosts, a deadlock (the text names the ranks, what
 * they wait for, and the first message that nobody received), or too many messages in flight.
 */
int engine_run(const struct network *net, const struct workload *w,
	       const struct engine_options *options, struct engine_result *r, struct error *e);
/* Writes which message it is, such as "from rank 1 to 0, 5 bytes, tag 4", to out and returns it. */
const char *message_name(const struct message_record *m, char out[MESSAGE_NAME]);
/* Frees what *r holds. */
void engine_result_free(struct engine_result *r);
/* Parses "30%", "exp:30%", "exp:30%/10ms", "flows:30%" or "none".  Returns false for anything
 * else. */
bool background_parse(const char *s, struct background *out);

#endif
