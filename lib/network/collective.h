/* SPDX-License-Identifier: MIT */
/*
 * collective.h - collective operations as the messages that each rank sends and receives.
 *
 * 	barrier		dissemination: ceil(log2 n) rounds of empty messages
 * 	bcast, reduce	binomial tree
 * 	allreduce	short data, n a power of two: recursive doubling;
 * 			long data: a ring, n - 1 rounds to reduce and n - 1 to distribute;
 * 			else reduce, then bcast
 * 	gather, scatter	the root receives from, or sends to, all others at once
 * 	allgather	a ring of n - 1 rounds
 * 	alltoall	n - 1 rounds, in round k to rank + k and from rank - k
 *
 * Dissemination: D. Hensgen, R. Finkel, U. Manber, "Two algorithms for barrier synchronization",
 * 1988. Trees and recursive doubling: R. Thakur, R. Rabenseifner, W. Gropp, "Optimization of
 * collective communication operations in MPICH", 2005.  The ring of allreduce: P. Patarasuk, X.
 * Yuan, "Bandwidth optimal all-reduce algorithms for clusters of workstations", 2009.
 */
#ifndef NETWORK_COLLECTIVE_H
#define NETWORK_COLLECTIVE_H

#include "network/workload.h"

enum {
	COLLECTIVE_LONG = 16384
}; /* bytes from which an allreduce uses a ring and cuts its data into n pieces */

/* What a rank does in a round.  PEER_ANY in `to` or `from`: it sends or receives nothing. */
struct round {
	uint32_t to, from;
	uint64_t bytes;
	bool wait; /* both messages must be complete before the next round */
};

/*
 * Fills *out with round number `round` (from 0) of the collective operation op for `rank`; ranks is
 * the size of the workload, of which op->group may be a part.  Returns false if the operation has
 * no such round.
 */
bool collective_round(const struct op *op, uint32_t ranks, uint32_t rank, uint32_t round,
		      struct round *out);

#endif
