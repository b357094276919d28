/* SPDX-License-Identifier: MIT */
/*
 * engine.h - runs a workload on a network: the event horizon of Papaefstathiou (2001), from one
 * change of the traffic to the next.
 *
 * A message leaves when it was sent and, unless it is short enough to be eager, its receive was
 * posted, behind earlier ones of the same two ranks, as on one connection.  Its bytes share the
 * links with all others on their way (sharing.h), then it takes the rest of its quiet delay.  Ranks
 * compute, send and wait as their operations say.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include "network/network.h"
#include "network/sharing.h"
#include "network/workload.h"

/* What a rank spends its time on.  While it waits for messages, the one that lets it go on says
 * which of the last three. */
enum rank_state {
	RANK_COMPUTE,
	RANK_OVERHEAD,	 /* its own time for messages: send and receive of network(5) */
	RANK_WIRE,	 /* as long as the message takes alone */
	RANK_CONTENTION, /* longer, because of others, or of earlier ones of the same two ranks */
	RANK_PARTNER,	 /* before it could leave: the other rank was not there yet */
	RANK_STATES
};
extern const char *const rank_state_names[RANK_STATES];

/* A message that was received. */
struct message_record {
	uint32_t src, dst, tag;
	uint64_t bytes;
	double sent;	/* seconds: when its sender was ready */
	double ready;	/* when it could leave: its receive was posted, unless it is eager */
	double started; /* when it left, behind earlier ones of the same two ranks */
	double arrived;
	double quiet;	     /* seconds it takes when nothing else is on its way */
	double lost;	     /* the seconds that others cost it */
	uint32_t bottleneck; /* the link where it lost most; UINT32_MAX: none */
};

/* Who is told what happens; any function may be NULL. */
struct observer {
	void *arg;
	void (*message)(void *arg, const struct message_record *m);
	void (*state)(void *arg, uint32_t rank, enum rank_state state, double from, double to);
	void (*load)(void *arg, uint32_t link, double from, double to, double rate);
};

enum background_kind {
	BACKGROUND_NONE,
	BACKGROUND_CONSTANT,	/* takes a share of every link */
	BACKGROUND_EXPONENTIAL, /* a share of each link, drawn anew in each interval */
	BACKGROUND_FLOWS, /* every host sends to another, drawn once, at a share of its rate */
};

struct background {
	enum background_kind kind;
	double share;	 /* of a link's rate, the mean: [0, 0.95] */
	double interval; /* seconds between draws */
};

struct engine_options {
	enum sharing_rule rule;
	bool alone; /* every message as if there were no other */
	struct background background;
	uint64_t seed;			 /* of everything drawn but the routes */
	double stretch;			 /* computations take so many times as long */
	bool check;			 /* sharing_check() after every change */
	const struct observer *observer; /* or NULL */
};
#define ENGINE_DEFAULT \
	{ \
		.seed = 1, .stretch = 1, .background.interval = 1e-3 \
	}

struct rank_result {
	double finish;
	double seconds[RANK_STATES];
};

struct engine_result {
	double seconds; /* when the last rank finished */
	uint32_t ranks, slowest;
	struct rank_result *rank;
	struct link_account *link; /* of each */
	size_t links;
	uint64_t messages;		  /* received */
	double bytes, delay, quiet, lost; /* sums over them; delay, quiet, lost in seconds */
	struct message_record worst;	  /* the one of the highest delay / quiet */
	uint64_t events;		  /* operations that were begun */
	uint64_t checks;		  /* allocations that were checked */
	uint64_t unreceived;		  /* messages sent, but never received */
};

/*
 * Runs to the end.  The caller gives *r to engine_result_free() in any case.  -1 and *e: too few
 * hosts, a deadlock (names ranks and what they wait for), or too much on its way at once.
 */
int engine_run(const struct network *net, const struct workload *w,
	       const struct engine_options *options, struct engine_result *r, struct error *e);
/* Frees what *r holds. */
void engine_result_free(struct engine_result *r);
/* "30%", "exp:30%", "exp:30%/10ms", "flows:30%" or "none".  False when it is something else. */
bool background_parse(const char *s, struct background *out);

#endif
