/* SPDX-License-Identifier: MIT */
/*
 * prediction.h - the time of an application on a machine: its demand priced with the OS vector.
 *
 *	kernel	  sum of calls * weight * cost over the items, sizes interpolated on curves;
 *		  plus the switches and minor faults that no item's cost contains: of those that
 *		  were counted on the reference, what its entries do not have
 *	user	  what calls are followed by in user mode, such as the start of a C library: calls *
 *		  cost; and the rest of the user seconds (demand_split_user()) * arithmetic mean
 *		  over the user entries of the ratio of costs, here and on the reference: times
 *		  add, so that each entry stands for an equal share of the time on the reference;
 *		  the median of the ratios where one processor runs both, natively or below another
 *		  kernel
 *	wait	  the same sum as kernel over the items that wait for a device, each times what
 *		  demand_scale_waits() found; of the items of kernel, what their entries wait
 *		  inside the call (struct osvec_entry), which is no part of kernel; and the time
 *		  that the program slept in nanosleep(2)
 *
 * Every number is in seconds per run, a mean over the runs.
 */
#ifndef MODEL_PREDICTION_H
#define MODEL_PREDICTION_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "model/demand.h"
#include "model/host.h"
#include "model/kind.h"
#include "model/price.h"
#include "vector/osvec.h"

/* One part of the time.  Predictions of one demand have the same lines in the same order: its
 * items, then its sleep, if any, then user. */
struct prediction_line {
	enum line_kind kind;
	const char *name; /* entry or curve; "user", "asleep" */
	double calls;	  /* per run, weighted; NaN for user and sleep */
	double seconds;
	double waits;	  /* of a kernel line, seconds of these that wait inside the calls */
	bool borrowed;	  /* not measured here: priced as on another machine, scaled */
	bool lower_bound; /* measured on no machine, or no entry of its own: a null call */
};

/* What one measured entry contributes to one line. */
struct prediction_charge {
	const struct osvec_entry *entry; /* of this machine; NULL: borrowed, or user time */
	size_t line;
	bool waits; /* of its line's seconds, those */
};

struct prediction {
	const struct demand *demand;
	const struct osvec *machine, *reference; /* the latter may be NULL */
	struct prediction_line *lines;
	size_t nlines;
	struct prediction_charge *charges;
	double *by_run; /* by_run[i * nruns + r]: seconds of charge i in run r */
	size_t ncharges, cap;
	double kernel, user, wait, total;
	double coverage;     /* share of the kernel part priced with entries that measure it here */
	double extrapolated; /* share of the kernel part beyond the sizes measured */
	enum kind kind;
	struct host host;  /* of the machine by itself, unless the caller knows more */
	double user_ratio; /* user time here / on the reference; NaN: no reference, not scaled */
	bool user_median;  /* it is the median of those of the entries, not the mean */
	const struct osvec_entry **user_here, **user_reference; /* the entries it comes from */
	size_t nuser; /* 0: this is the reference itself, or not scaled */
	bool known;   /* total was scaled to a measured time; set by the caller */
	/* At level 2, the prediction of the reference: its measured system time over its kernel
	 * part scaled that of this one, which so has the errors of the reference, too.  NULL:
	 * another level.  Set by the caller. */
	const struct prediction *insitu;
};

/*
 * Prices d on machine, as of a program that touches footprint bytes of data and of code between two
 * calls (0: calls in a loop; nothing more where no entry says what that costs); what that costs
 * comes from the vector before it was changed (whatif). reference is the machine that d was
 * recorded on, or NULL.  NULL and *e when the machine has none of the entries that d uses, or the
 * sum is not positive.
 */
struct prediction *prediction_new(const struct demand *d, const struct osvec *machine,
				  const struct osvec *reference, double footprint,
				  struct lenders lenders, struct error *e);
/* NULL is fine. */
void prediction_free(struct prediction *p);

/* The lines, the longest time first; free the array. */
const struct prediction_line **prediction_largest(const struct prediction *p);

/* The part of the time that charge i belongs to. */
enum line_kind prediction_charge_kind(const struct prediction *p, size_t i);

/* Returns how many seconds of the kernel part of each run are in user mode, as far as the vector of
 * the machine knows: p->demand->nruns of them; the caller frees the array. */
double *prediction_user_mode(const struct prediction *p);

/* Multiplies each charge by its factor, of factors[p->ncharges], and with it its line and part. */
void prediction_scale_charges(struct prediction *p, const double *factors);
/* Multiplies each part, and its lines and charges, by a factor. */
void prediction_scale(struct prediction *p, double kernel, double user, double wait);

/*
 * Level 2: the in-situ inflation h, the system seconds measured on the reference over the kernel
 * part predicted for it, to be carried to other machines.  NaN when system time
 * was not measured.
 */
double prediction_inflation(const struct prediction *reference);

/* One line of a difference. */
struct prediction_part {
	const struct prediction_line *a, *b;
	double log_ratio; /* its share of log(time on a / time on b) */
	double flip_a,
	    flip_b; /* this line times flip on a (b) alone makes both equal; NaN: never */
};

/*
 * Splits log(a / b) exactly into parts[a->nlines], the largest first: with L the logarithmic mean
 * of both totals, line i contributes (a_i - b_i) / L, and the contributions sum to the log ratio
 * without residual (Ang and Liu 2001). Returns the log ratio.
 */
double prediction_difference(const struct prediction *a, const struct prediction *b,
			     struct prediction_part *parts);

/*
 * How much longer user code takes on a machine than on the reference: the mean of the ratios of the
 * user entries that both have, here[*n] and there[*n] of them, each with room for all of a.  Where
 * one processor runs both, natively or below another kernel, it is their *median: there they differ
 * by what disturbed them.  1 on the reference itself, NaN where nothing says it.
 */
double prediction_user_ratio(const struct appvec *a, const struct osvec *machine,
			     const struct osvec *reference, const struct osvec_entry **here,
			     const struct osvec_entry **there, size_t *n, bool *median);

/* Whether v was measured on the machine that a was recorded on: the same host name and kernel, and
 * no other identity or processor where both are known. */
bool prediction_is_reference(const struct osvec *v, const struct appvec *a);

#endif
