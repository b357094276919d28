/* SPDX-License-Identifier: MIT */
/*
 * demand.h - the calls and times of an application, its runs merged item by item: the part of a
 * prediction that is the same on all machines.
 */
#ifndef MODEL_DEMAND_H
#define MODEL_DEMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "util/vec.h"
#include "vector/appvec.h"
#include "vector/osvec.h"

/* Calls of one size in one run. */
struct demand_use {
	double size;  /* 0 when the item has no sizes */
	double calls; /* times the item's weight; negative: subtracted */
	size_t run;
};

/* The parts of a time; those of a demand are neither LINE_USER, which is the user time that no
 * LINE_USER_ENTRY prices, nor LINE_ASLEEP, which takes as long on every machine. */
enum line_kind {
	LINE_KERNEL,
	LINE_SWITCHES,
	LINE_FAULTS,
	LINE_USER_ENTRY,
	LINE_USER,
	LINE_WAIT,
	LINE_ASLEEP,
	LINE_KINDS
};

/* Whether it is time that calls, switches or faults spend in the kernel. */
static inline bool line_is_kernel(enum line_kind kind)
{
	return kind <= LINE_FAULTS;
}

/* One entry or curve, in one part.  The uses of LINE_SWITCHES and LINE_FAULTS are all switches and
 * faults, of which only those are priced that are not inside the operations of other items. */
struct demand_item {
	const char *entry; /* with a '*': a curve; NULL: none says what a switch or fault costs */
	enum line_kind kind;
	size_t group;  /* vector/group.h */
	bool fallback; /* the null call stands in for it */
	double calls;  /* weighted, mean over the runs; of those two: 0 */
	double traced; /* seconds in these calls when traced, mean over the runs; NaN: unknown */
	double
	    insitu; /* multiplies its time: see demand_scale_waits(), demand_split_user(); else 1 */
	size_t whole;	 /* of a wait that a rule subtracts, the item that it is taken from; else
			    SIZE_MAX */
	size_t same_cpu; /* the item of those of its calls that demand_price_on_one_cpu() moved;
			    else SIZE_MAX */
	VEC(struct demand_use) uses; /* those of one size and trace beside each other */
};

/* The numbers of one run other than calls; an unknown one is the mean of the runs that know it. */
struct demand_run {
	double user; /* but for what demand_split_user() took away, so much: */
	double split;
	double moved;		 /* from the user time to the system time by demand_move_user() */
	double switches, faults; /* switches: with preemptions */
	double system;		 /* seconds, of untraced runs; 0: unknown */
	double asleep;		 /* seconds in nanosleep(2) while traced; 0: none, or unknown */
};

struct demand {
	const struct appvec *application;
	VEC(struct demand_item) items; /* the last two are the switches and the faults */
	struct demand_run *runs;
	size_t nruns;
	bool user_known;		   /* by at least one run; else 0 */
	bool measured;			   /* all of those numbers come from untraced runs */
	double system;			   /* seconds, mean over untraced runs; NaN: unknown */
	double slower_user, slower_system; /* what demand_set_state() divided times by */
	bool unlikely;			   /* it left them, as the loops differ by too much */
	double mapped; /* share of the calls, or of the time in them when that is less, that
				 have an entry of their own */
	const char *null_entry; /* the entry of the null call */
};

/* Points into a, which must outlive it.  Counted items cost nothing and are left out. */
struct demand *demand_new(const struct appvec *a);
/*
 * Level 2 for waits: how long calls waited for devices when they were traced, over what the OS
 * vector of the machine that they were traced on says; that vector, or NULL for none.  A sync that
 * had nothing to write did not wait at all, and others wrote more than the benchmark's.  Of the
 * wait of a rule (basis.h), an entry less that of its CPU time, that entry names the calls.  What
 * several rules share keeps its price.
 */
void demand_scale_waits(struct demand *d, const struct osvec *reference);
/*
 * Takes the CPU time of the runs to the state that the host was in while reference was measured
 * (vector/loops.h), the OS vector of the machine that was recorded on, or NULL for none; to be
 * called before demand_split_user() and demand_move_user(), and again for another reference.
 */
void demand_set_state(struct demand *d, const struct osvec *reference);
/*
 * Takes the user time that entries price, such as that of a C library which asks the processor what
 * it can do, from the user time of each run, at what it costs on the machine that was recorded on;
 * that vector, or NULL for none, with which nothing is taken and such entries cost nothing.  The
 * same share of all of them is taken that no run has less user time than.
 */
void demand_split_user(struct demand *d, const struct osvec *reference);
/*
 * Moves so many seconds of each run from its user time to its system time, as far as it has them;
 * NULL: none.  What was moved before is moved back.
 */
void demand_move_user(struct demand *d, const double *seconds);
/*
 * Level 2 for calls between processes: prices that share of the calls whose entry reference, the OS
 * vector of the machine that was recorded on, also has as ENTRY@same by the latter, both parties on
 * one CPU; another share than before replaces it.  They get items of their own, whose names are
 * those of the vector, which must outlive d.  NULL for none: nothing is changed.
 */
void demand_price_on_one_cpu(struct demand *d, const struct osvec *reference, double share);
/* NULL is fine. */
void demand_free(struct demand *d);

#endif
