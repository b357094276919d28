/* SPDX-License-Identifier: MIT */
/* Calls of each kind, a known number of times: what libccmod-mpi.so has to record. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { STEPS = 7, BYTES = 3000, RANKS = 4 };

/* Each time with another call. */
static void wait_for_both(int turn, MPI_Request *r)
{
	int done, which[2];

	for (int left = 2; left;) {
		if (turn == 2)
			MPI_Testany(2, r, which, &done, MPI_STATUS_IGNORE);
		else
			(turn ? MPI_Testsome : MPI_Waitsome)(2, r, &done, which,
							     MPI_STATUSES_IGNORE);
		left -= done == MPI_UNDEFINED ? 0 : done;
	}
}

/* Rank r gets 10, 20 ... bytes more from each rank than the one before; then calls that no workload
 * has. */
static void call_others(int rank, int ranks, char *out, char *in)
{
	int nout[RANKS], nin[RANKS], at[RANKS];
	double sums[2] = { 1, 0 };
	MPI_Request request;

	for (int r = 0; r < ranks; r++) {
		nout[r] = 10 * r + 10;
		nin[r] = 10 * rank + 10;
		at[r] = 100 * r;
	}
	MPI_Alltoallv(out, nout, at, MPI_CHAR, in, nin, at, MPI_CHAR, MPI_COMM_WORLD);
	MPI_Sendrecv_replace(out, 70, MPI_CHAR, (rank + 1) % ranks, 3, (rank + ranks - 1) % ranks,
			     3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Scan(&sums[0], &sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	MPI_Gatherv(out, nout[rank], MPI_CHAR, in, nout, at, MPI_CHAR, 0, MPI_COMM_WORLD);
	MPI_Iallreduce(&sums[0], &sums[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD, &request);
	MPI_Wait(&request, MPI_STATUS_IGNORE);
	if (rank == 0) { /* for which rank 1 waits */
		usleep(500000);
		MPI_Send(out, 30, MPI_CHAR, 1, 4, MPI_COMM_WORLD);
	} else if (rank == 1) {
		MPI_Probe(0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Recv(in, 30, MPI_CHAR, 0, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
}

int main(int argc, char **argv)
{
	static char in[BYTES], out[BYTES];
	static double sums[2][16];
	int rank, ranks, which, done = 0;
	MPI_Request r[2];
	MPI_Comm parity, uneven;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	int next = (rank + 1) % ranks, before = (rank + ranks - 1) % ranks;

	for (int i = 0; i < STEPS; i++) {
		MPI_Irecv(in, BYTES, MPI_CHAR, before, 5, MPI_COMM_WORLD, &r[0]);
		MPI_Isend(out, BYTES, MPI_CHAR, next, 5, MPI_COMM_WORLD, &r[1]);
		MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
		MPI_Sendrecv(out, 100, MPI_CHAR, before, 6, in, 100, MPI_CHAR, next, 6,
			     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Allreduce(sums[0], sums[1], 16, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	}
	MPI_Irecv(in, BYTES, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &r[0]);
	MPI_Issend(out, BYTES, MPI_CHAR, next, 9, MPI_COMM_WORLD, &r[1]);
	MPI_Waitany(2, r, &which, MPI_STATUS_IGNORE);
	while (!done)
		MPI_Test(&r[!which], &done, MPI_STATUS_IGNORE);
	if (rank == 0)
		MPI_Ssend(out, 10, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
	else if (rank == 1)
		MPI_Recv(in, 10, MPI_CHAR, 0, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	/* Persistent requests, three times. */
	MPI_Recv_init(in, BYTES, MPI_CHAR, before, 11, MPI_COMM_WORLD, &r[0]);
	MPI_Send_init(out, 200, MPI_CHAR, next, 11, MPI_COMM_WORLD, &r[1]);
	for (int i = 0; i < 3; i++) {
		MPI_Startall(2, r);
		wait_for_both(i, r);
	}
	MPI_Request_free(&r[0]);
	MPI_Request_free(&r[1]);
	/* Ranks of the same parity, in the other order; all but rank 2. */
	MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &parity);
	MPI_Allreduce(sums[0], sums[1], 4, MPI_DOUBLE, MPI_SUM, parity);
	MPI_Bcast(in, 77, MPI_CHAR, 0, parity);
	MPI_Comm_free(&parity);
	MPI_Comm_split(MPI_COMM_WORLD, rank == 2, 0, &uneven);
	MPI_Barrier(uneven);
	MPI_Comm_free(&uneven);
	MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Bcast(in, 8, MPI_CHAR, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	if (ranks == RANKS)
		call_others(rank, ranks, out, in);
	MPI_Finalize();
	return 0;
}
