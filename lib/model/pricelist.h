/* SPDX-License-Identifier: MIT */
/*
 * pricelist.h - the times of many applications on many machines, without the parts that
 * prediction.h keeps: each application is a sum of columns of pricetable.h.
 *
 *	struct pricelist *l = pricelist_new(v, n, reference, lenders, null_entry);
 *	for each application: pricelist_add(l, demand, footprint);
 *	pricelist_fill(l);
 *	for each block of machines, each application: pricelist_times(l, application, block, times);
 */
#ifndef MODEL_PRICELIST_H
#define MODEL_PRICELIST_H

#include <stddef.h>

#include "model/demand.h"
#include "model/price.h"
#include "model/pricetable.h"

struct pricelist;

/* For the machines v[n]; reference is the one that the applications were recorded on, or NULL.  All
 * must outlive it. */
struct pricelist *pricelist_new(const struct osvec *const *v, size_t n,
				const struct osvec *reference, struct lenders lenders,
				const char *null_entry);
/* Adds an application whose null entry is that of l, as of a program with this footprint.  Its
 * number is how many there were.  d may go. */
void pricelist_add(struct pricelist *l, const struct demand *d, double footprint);
/* Finds the costs of all that was added. */
void pricelist_fill(struct pricelist *l);

/* Seconds per run on each machine of a block, in the state of its vector; and the factor of host.h.
 */
struct pricelist_times {
	double kernel[PRICETABLE_BLOCK], user[PRICETABLE_BLOCK], wait[PRICETABLE_BLOCK];
	const double *host;
};
/* Those on the machines from block * PRICETABLE_BLOCK; elements after the last machine mean
 * nothing.
 */
void pricelist_times(const struct pricelist *l, size_t application, size_t block,
		     struct pricelist_times *out);
/* NULL is fine. */
void pricelist_free(struct pricelist *l);

#endif
