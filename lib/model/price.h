/* SPDX-License-Identifier: MIT */
/*
 * price.h - what one operation costs on a machine: as measured there, else borrowed from another
 * machine that has its entry, else that of the null call.
 *
 * A borrowed cost is scaled by the geometric mean of the ratios of the entries of its group
 * (vector/group.h) that both machines measured; by that of all entries where they have none of the
 * group.  The CPU seconds of an operation are lent as their share of all its seconds, which leaves
 * a part for waiting.  A cost that waits for a device is the mean of all operations, not what most
 * take: slow ones add up; but not where the error of the mean is large.  User time costs its CPU
 * seconds (osvec_work()).  Beyond the largest size of a curve costs grow as on that of the first
 * lender that has it, if that one goes further.
 */
#ifndef MODEL_PRICE_H
#define MODEL_PRICE_H

#include <stdbool.h>
#include <stddef.h>

#include "vector/osvec.h"

/* Machines that costs are borrowed from: the first that has the entry. */
struct lenders {
	const struct osvec *const *v;
	size_t n;
};

/* The prices of one machine; zeroed but for the first three it is valid. */
struct pricing {
	const struct osvec *machine;
	struct lenders lenders;
	const char *null_entry; /* that stands in for what nobody measured; NULL: nothing does */
	/* Private: what was borrowed from last, and the ratio of each group. */
	const struct osvec *lender;
	double *ratios;
};

/* Where a cost comes from. */
struct price {
	const struct osvec_entry *entry;  /* NULL: the curve; both empty: nowhere */
	struct osvec_curve curve, longer; /* how it goes on, on another machine */
	double scale;			  /* multiplies the cost of the entry or curve */
	bool borrowed, lower_bound;
};

/* The price of an entry or, with a '*', a curve. */
struct price price_find(struct pricing *p, const char *name);
/* The name of that entry or curve with both parties on one CPU, "NAME@same", in fresh memory. */
char *price_same_cpu(const char *name);
/* The price as v measured it, or on a machine with one CPU with both parties on that; empty: it did
 * not. */
struct price price_measured(const struct osvec *v, const char *name);
/* Whether it comes from an entry or a curve; else it has no seconds. */
bool price_is_known(const struct price *x);
/* The entries that a price which is known consists of at a size. */
struct osvec_mix price_at(const struct price *x, double size);
/* Its seconds there. */
double price_seconds(const struct price *x, const struct osvec_mix *m);
/* Returns the memory, but for the machines. */
void pricing_free(struct pricing *p);

#endif
