/* SPDX-License-Identifier: MIT */
/*
 * movement.h - how costs differ between machines, and what explains it (Brown, TR-03-97, section
 * 2.3): the parts of a rule, exactly; for any entry, the lower entry that moved together with it.
 */
#ifndef DRIVER_MOVEMENT_H
#define DRIVER_MOVEMENT_H

#include <stdbool.h>
#include <stddef.h>

#include "decomposition.h"

/* One row of a rule on two machines. */
struct movement {
	const struct finding *a, *b;
	struct estimate ratio;		     /* of what was measured, b / a */
	bool moved;			     /* further than noise and margin */
	double factors[DECOMPOSITION_TERMS]; /* of a's parts, in the same order */
	double rest; /* what no part explains; all multiply to ratio.centre */
};

struct movements {
	struct movement *v;
	size_t n, cap;
};

/*
 * Compares two machines row by row, where neither lacks a part; the greatest difference first.  The
 * same rules in the same order; points into a and b; vec_free().
 *
 * Each ratio is split into a factor per part and a factor for the rest, which is what is measured
 * above the prediction: a part's factor is exp(its change / logarithmic mean of the two measured
 * times), so that all multiply to the ratio, in either direction (additive decomposition by the
 * logarithmic mean Divisia index, Ang 2004).
 */
struct movements movements_of(const struct osvec *va, const struct findings *a,
			      const struct osvec *vb, const struct findings *b, double margin);

/* A capability of the hardware or the kernel that others are built on. */
struct base {
	const char *name, *entry; /* "memory copy"; NULL ends the table */
};
extern const struct base movement_bases[];

/* One entry on all machines. */
struct companion {
	const struct osvec_entry *entry; /* on the first machine */
	double *logs;			 /* log(cost / cost on the first), for each machine */
	const struct base *base;	 /* that moved with it; NULL: none did */
	double fit; /* the share of its logarithms' squares that the base's movement explains */
	bool moved; /* on some machine, further than noise and margin */
};

struct companions {
	struct companion *v;
	size_t n, cap;
};

/* The entries that all n > 1 machines have, bases included (each is its own base), by name. */
struct companions movement_companions(const struct osvec *const *machines, size_t n, double margin);
/* That of the entry of this name, or NULL. */
const struct companion *companions_find(const struct companions *all, const char *name);
/* Returns the memory. */
void companions_free(struct companions *c);

#endif
