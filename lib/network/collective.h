/* SPDX-License-Identifier: MIT */
/*
 * collective.h - collective operations as the messages that one rank sends and receives.
 *
 *	barrier		dissemination: ceil(log2 n) rounds of empty messages
 *	bcast, reduce	binomial tree
 *	allreduce	short data, n a power of two: recursive doubling;
 *			long data: a ring, n - 1 rounds to reduce and n - 1 to spread;
 *			else reduce and bcast
 *	gather, scatter	the root receives from, or sends to, everybody at once
 *	allgather	a ring of n - 1 rounds
 *	alltoall	n - 1 rounds, in round k to rank + k and from rank - k
 */
#ifndef COLLECTIVE_H
#define COLLECTIVE_H

#include "network/workload.h"

enum { COLLECTIVE_LONG = 16384 }; /* bytes of an allreduce that is cut into n pieces */

/* What a rank does in a round: to or from PEER_ANY means nothing of that kind. */
struct round {
	uint32_t to, from;
	uint64_t bytes;
	bool wait; /* for both before the next round */
};

/* The round of a rank, from 0, of a collective operation among its group of so many ranks;
 * false: no more. */
bool collective_round(const struct op *op, uint32_t ranks, uint32_t rank, uint32_t round,
		      struct round *out);

#endif
