/* SPDX-License-Identifier: MIT */
/*
 * host.h - the state of hosts: one that others use, too, is faster at one time than at another, and
 * so vectors that were measured on it at different times differ in all CPU time.
 */
#ifndef MODEL_HOST_H
#define MODEL_HOST_H

#include <stddef.h>

#include "vector/osvec.h"

/* What a vector knows of its host. */
struct host {
	const struct osvec *first; /* the same for all vectors of one host */
	size_t vectors;		   /* how many different ones there are */
	/* CPU time times this is that in the geometric mean of the states that the host was in
	 * while its vectors were measured. */
	double factor;
	/* osvec_host_spread() of its vector; INFINITY: not known; 0 in virtual time. */
	double spread;
	/* One of the vectors that were measured in turns with this one (turns.h), the same for all
	 * of them: their machines are compared in one state of the host, then and later.  NULL:
	 * there is none. */
	const struct osvec *turns;
	/* The first vector of this host and of the same kernel: their machines are siblings
	 * (modelerror.h). */
	const struct osvec *kin;
};

/*
 * The hosts of v[n], in out[n].  Vectors are of one host when host name, kernel and processor are
 * known and equal, no other fact of the host differs, and the same factor explains, within 25 %, by
 * how much all of the entries user[nuser] differ: a factor of up to 2.  That factor is the
 * geometric mean of the ratios of these entries.  Those that differ by more are of one host if a
 * vector between them is.
 * Vectors that were measured in turns saw one state, so that they have one factor, and the first
 * vector and the number of vectors of the host that is known by most, and the spread of the one
 * with the largest.
 */
void hosts_find(const struct osvec *const *v, size_t n, char *const *user, size_t nuser,
		struct host *out);
/* The host of a vector by itself. */
struct host host_of(const struct osvec *v);

#endif
