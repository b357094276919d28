/* SPDX-License-Identifier: MIT */
/*
 * statecost.h - what threads do in each of several states, such as those of a graph, as demands of
 * their own: so that each can be priced on two machines.
 *
 * A state is a number here.  Calls belong to the state that they are, and to the one that their
 * thread is in around them, where what recording adds to each of them is found, and page faults.
 */
#ifndef MODEL_STATECOST_H
#define MODEL_STATECOST_H

#include "model/demand.h"
#include "model/doubt.h"
#include "model/prediction.h"
#include "trace/extents.h"
#include "trace/exists.h"
#include "trace/event.h"
#include "vector/basis.h"

/* One demand on two machines. */
struct statecost_pair {
	struct appvec *application; /* NULL: nothing is known of it */
	struct demand *demand;
	struct prediction *from, *to;
};

/* Set basis; the rest zeroed. */
struct statecosts {
	struct basis *basis;
	/* Private: */
	struct extents extents;
	struct exists exists;
	VEC(struct statecost) v; /* by state */
	struct statecost_pair user, change, fault;
	const struct osvec *machines[2]; /* of these pairs; lenders to each other */
};

struct statecost {
	struct profile *profile; /* of the calls that are this state; NULL: it is no call */
	double around, faults;	 /* calls and page faults in the midst of it */
	struct statecost_pair pair;
};

/* An event: a call of `state` by a thread that else is in `user`, or a page fault in that. */
void statecosts_event(struct statecosts *s, const struct event *e, uint16_t state, uint16_t user);
/*
 * Prices all of it on two machines.  0, or -1 and *e: they have no entry in common that says what a
 * null call, a switch or user work costs.
 */
int statecosts_price(struct statecosts *s, const struct osvec *from, const struct osvec *to,
		     struct error *e);
/* What the calls of that state cost on the second machine relative to the first; NaN: it has none.
 * wait: how long all of them wait for devices on both, in seconds; 0: unknown, or they do not. */
double statecosts_call(const struct statecosts *s, uint16_t state, double wait[2]);
/*
 * What `seconds` that threads spent in that state, outside of calls, would be on the first machine
 * if recording had not added `recorder` seconds to each call, and what they are on the second; page
 * faults apart.
 */
void statecosts_user(const struct statecosts *s, uint16_t state, double seconds, double recorder,
		     double *from, double *to);
/* What a context switch costs on the second machine relative to the first. */
double statecosts_switch(const struct statecosts *s);
/*
 * The variance that the errors of the entries of both machines make in the logarithm of a time that
 * follows the cost of state i with the elasticity v[i]; states without calls are user work, and
 * those of which is_switch is true switches.
 */
double statecosts_variance(const struct statecosts *s, const double *v, const bool *is_switch,
			   size_t n);
/* Returns the memory, but for the basis and the machines. */
void statecosts_free(struct statecosts *s);

#endif
