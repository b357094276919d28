/* SPDX-License-Identifier: MIT */
/* sharing_state.h - the members of struct sharing, shared by sharing.c and sharing_levels.c. */
#ifndef NETWORK_SHARING_STATE_H
#define NETWORK_SHARING_STATE_H

#include <assert.h>
#include <math.h>

#include "network/keyheap.h"
#include "network/sharing.h"
#include "util/vec.h"

/* Rates with a smaller relative difference are equal, because sums are rounded. */
#define SHARING_SAME 1e-12
/* A link with a smaller share of its capacity left may be full. */
#define SHARING_TIGHT 1e-9
/* The level of a link that is not full. */
#define NOT_FULL INFINITY

struct hop {
	uint32_t link, slot; /* index among the flows of the link */
	double lost;
};

struct flow {
	double limit, rate, left, since;
	double bytes, per_work; /* in total; per unit of work */
	double least, second;	/* the two lowest levels on its path */
	uint32_t owner;
	uint8_t n, bottleneck; /* number of hops; the limiting hop, or NO_HOP: its own rate */
	uint8_t lowest;	       /* hop with the lowest level */
	bool touched, live;
	struct hop hops[]; /* room for sharing->longest */
};
#define NO_HOP UINT8_MAX

/* A flow on a link. */
struct member {
	uint32_t flow, hop;
};

enum { LINE = 64 }; /* bytes of a cache line */

struct channel {
	double capacity, since; /* since: when the link became busy */
	struct link_account account;
	uint32_t n, cap;
	union {
		struct member *many;
		struct member few[2]; /* used while cap is 0 */
	};
};
static_assert(sizeof(struct channel) <= LINE, "a link's channel is one cache line");

static inline struct member *channel_members(struct channel *c)
{
	return c->cap ? c->many : c->few;
}

struct sharing {
	enum sharing_rule rule;
	double now;
	struct channel *channels; /* in `memory`, aligned to a cache line */
	void *memory;
	double *level; /* by channel */
	double *spare; /* by channel that is not full: a lower bound of its unused capacity */
	size_t nchannels;
	char *flows; /* flow_bytes each: a flow and its hops are contiguous */
	size_t flow_bytes, nflows, flows_cap;
	VEC(uint32_t) free_flows, touched;
	VEC(double) limits; /* limits of the flows of one link */
	struct keyheap dirty, ends;
	struct link_account *accounts;
	uint64_t levels_set, fallbacks;
	void (*moved)(void *arg, uint32_t link, double from, double to, double rate);
	void *arg;
};

static inline struct flow *sharing_flow(const struct sharing *s, uint32_t flow)
{
	return (struct flow *)(void *)(s->flows + flow * s->flow_bytes);
}
/* Returns what limits the flow on hops other than this one: its own rate, or the lowest of the
 * other levels. */
static inline double flow_rest(const struct flow *f, uint32_t hop)
{
	double level = hop == f->lowest ? f->second : f->least;

	return level < f->limit ? level : f->limit;
}
/* Finds the two lowest levels on the flow's path. */
void sharing_find_lowest(const struct sharing *s, struct flow *f);
/* Schedules the flow's rate for recomputation. */
void sharing_touch(struct sharing *s, uint32_t flow);
/* Schedules the link's level for recomputation. */
void sharing_mark(struct sharing *s, uint32_t link);
/* Whether a link that was not full may be full now. */
static inline bool sharing_is_tight(const struct sharing *s, uint32_t link)
{
	const struct channel *c = &s->channels[link];

	return s->spare[link] < (c->n > 1 ? SHARING_TIGHT * c->capacity : 0);
}
/* Uses `more` of the unused capacity of a link that is not full, and marks the link if that may be
 * too much. */
static inline void sharing_use(struct sharing *s, uint32_t link, double more)
{
	s->spare[link] -= more;
	if (sharing_is_tight(s, link))
		sharing_mark(s, link);
}
/* Recomputes the levels of the marked links and of those that depend on them, and touches the flows
 * concerned. */
void sharing_set_levels(struct sharing *s);

#endif
