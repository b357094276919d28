/* SPDX-License-Identifier: MIT */
/* Calls of each kind, a known number of times: what libccmod-mpi.so has to record. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 7, BYTES = 3000 };

int main(int argc, char **argv)
{
	static char in[BYTES], out[BYTES];
	static double sums[2][16];
	int rank, ranks, which, done = 0;
	MPI_Request r[2];

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
	MPI_Send(out, 1, MPI_CHAR, MPI_PROC_NULL, 0, MPI_COMM_WORLD);
	MPI_Bcast(in, 8, MPI_CHAR, 1, MPI_COMM_WORLD);
	MPI_Barrier(MPI_COMM_WORLD);
	MPI_Finalize();
	return 0;
}
