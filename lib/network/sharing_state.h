/* SPDX-License-Identifier: MIT */
/* sharing_state.h - the inside of struct sharing, for the two files that work on it. */
#ifndef SHARING_STATE_H
#define SHARING_STATE_H

#include "network/keyheap.h"
#include "network/sharing.h"
#include "util/vec.h"

/* Rates closer than this are the same: sums are rounded. */
#define SHARING_SAME 1e-12

struct hop {
	uint32_t link, slot; /* its place among the flows of the link */
	double lost;
};

struct flow {
	double limit, rate, left, since, end;
	double bytes, per_work; /* in all, and for each unit of work */
	struct hop *hops;
	uint32_t n, cap;
	uint32_t owner;
	uint32_t bottleneck; /* index of a hop; FLOW_NONE: its own rate */
	bool touched, live;
};

struct channel {
	double capacity, since; /* since: when the first of its flows came */
	struct member {
		uint32_t flow, hop;
	} * v;
	uint32_t n, cap;
	bool queued;
	struct link_account account;
};

struct sharing {
	enum sharing_rule rule;
	double now;
	struct channel *channels;
	double *level; /* of each channel; INFINITY: not full */
	size_t nchannels;
	VEC(struct flow) flows;
	VEC(uint32_t) free_flows, touched;
	VEC(double) limits; /* of the flows of the link at hand */
	struct keyheap dirty, ends;
	struct link_account *accounts;
	uint64_t levels_set, fallbacks;
	void (*moved)(void *arg, uint32_t link, double from, double to, double rate);
	void *arg;
};

/* The flow's rate has to be set anew. */
void sharing_touch(struct sharing *s, uint32_t flow);
/* The link's level has to be set anew. */
void sharing_mark(struct sharing *s, uint32_t link);
/* Sets right the levels of the marked links and of those that depend on them, and touches the flows
 * concerned. */
void sharing_set_levels(struct sharing *s);

#endif
