/* SPDX-License-Identifier: MIT */
/*
 * pricetable.h - what operations cost on many machines at once: a column of costs for each entry,
 * and for each place on a curve, so that the cost of anything is a sum of columns.
 *
 * A cost between two sizes of a curve is the polynomial through the costs at up to eight places
 * between them (Chebyshev's), so that any number of sizes takes as many columns: the flatter the
 * curve is on all machines, the fewer.  It is that of osvec_curve_at() to 1 in 100,000; next to
 * size 0, where the next size of some machine is another, to 1 in 100.
 */
#ifndef MODEL_PRICETABLE_H
#define MODEL_PRICETABLE_H

#include <stddef.h>

#include "model/price.h"

struct pricetable;

/* Part of a cost: a column, times factor. */
struct term {
	size_t column;
	double factor;
};

enum { PRICETABLE_TERMS = 8, PRICETABLE_BLOCK = 256 };

/* Of each machine: seconds of an operation, those that a call waits for a device in it, and the
 * switches and faults inside it: as many as on the reference, where that measured them. */
enum face { FACE_COST, FACE_WAITS, FACE_SWITCHES, FACE_FAULTS, FACES };

/* A table for the machines v[n] with their lenders, all of which must outlive it.  reference is the
 * machine that the applications were recorded on, or NULL. */
struct pricetable *pricetable_new(const struct osvec *const *v, size_t n,
				  const struct osvec *reference, struct lenders lenders,
				  const char *null_entry);
/* The terms[PRICETABLE_TERMS] of an entry or curve at a size; returns how many there are. */
size_t pricetable_terms(struct pricetable *t, const char *name, double size, struct term *terms);
/* Those of what a call of that group costs more after so many bytes (footprint.h). */
size_t pricetable_extra(const struct pricetable *t, size_t group, double bytes, struct term *terms);
/* Finds what all terms until now cost; then none are added. */
void pricetable_fill(struct pricetable *t);
/* How many columns there are. */
size_t pricetable_columns(const struct pricetable *t);
/* A column, of as many machines as fill whole blocks; NULL: nothing on any. */
const double *pricetable_column(const struct pricetable *t, size_t column, enum face face);
/* NULL is fine. */
void pricetable_free(struct pricetable *t);

#endif
