/* SPDX-License-Identifier: MIT */
/*
 * play - carries out a workload(5) with MPI, for comparing with what ccmod predicts.
 *
 *	play WORKLOAD
 *
 * Computations sleep.  Prints the seconds from the common start until the last rank has finished.
 */
#include <err.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "network/workload.h"
#include "util/vec.h"

static int rank, ranks, last_source;
static char *buffer; /* what is in it does not matter */
static struct {
	MPI_Request *v;
	size_t n, cap;
} requests;
static VEC(uint32_t) numbers; /* of the requests in the workload; 0: none */

/* Open MPI calls this while it waits, if it is told to yield: the ranks share few CPUs. */
int sched_yield(void)
{
	return nanosleep(&(struct timespec){ 0, 100000 }, NULL);
}

static MPI_Request *open_request(uint32_t number)
{
	vec_push(&requests, MPI_REQUEST_NULL);
	vec_push(&numbers, number);
	return &requests.v[requests.n - 1];
}

static void wait_for(uint32_t number)
{
	for (size_t i = 0; i < requests.n; i++)
		if (numbers.v[i] == number && requests.v[i] != MPI_REQUEST_NULL) {
			MPI_Wait(&requests.v[i], MPI_STATUS_IGNORE);
			return;
		}
}

static void wait_all(void)
{
	MPI_Waitall((int)requests.n, requests.v, MPI_STATUSES_IGNORE);
	requests.n = numbers.n = 0;
}

static void do_operation(const struct op *op, int most)
{
	MPI_Comm all = MPI_COMM_WORLD;
	int peer = op->peer == PEER_ANY	   ? MPI_ANY_SOURCE
		   : op->peer == PEER_LAST ? last_source
					   : (int)op->peer;
	int tag = op->tag == TAG_ANY ? MPI_ANY_TAG : (int)op->tag, n = (int)op->amount;
	struct timespec pause = { (time_t)(op->amount / 1000000000000),
				  (long)(op->amount / 1000 % 1000000000) };
	MPI_Status status;

	switch (op->kind) {
	case OP_COMPUTE: nanosleep(&pause, NULL); break;
	case OP_SEND: MPI_Send(buffer, n, MPI_CHAR, peer, tag, all); break;
	case OP_SSEND: MPI_Ssend(buffer, n, MPI_CHAR, peer, tag, all); break;
	case OP_ISEND:
		MPI_Isend(buffer, n, MPI_CHAR, peer, tag, all, open_request(op->request));
		break;
	case OP_RECV:
		MPI_Recv(buffer + most, most, MPI_CHAR, peer, tag, all, &status);
		last_source = status.MPI_SOURCE;
		break;
	case OP_IRECV:
		MPI_Irecv(buffer + most, most, MPI_CHAR, peer, tag, all, open_request(op->request));
		break;
	case OP_WAIT: wait_for(op->request); break;
	case OP_WAITALL: wait_all(); break;
	case OP_BARRIER: MPI_Barrier(all); break;
	case OP_ALLTOALL: MPI_Alltoall(buffer, n, MPI_CHAR, buffer + most, n, MPI_CHAR, all); break;
	default:
		errx(2, "%s is not among the operations that are carried out",
		     op_forms[op->kind].word);
	}
}

int main(int argc, char **argv)
{
	struct error e;
	struct cursor c;
	struct op op;
	uint64_t most = 0;
	double seconds, slowest;

	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	struct workload *w = argc == 2 ? workload_read(argv[1], &e) : NULL;
	if (!w)
		errx(2, "%s", argc == 2 ? e.text : "usage: play WORKLOAD");
	if (w->ranks != (uint32_t)ranks)
		errx(2, "%s: has %u ranks, not %d", argv[1], w->ranks, ranks);
	for (uint32_t r = 0; r < w->ranks; r++) {
		cursor_start(&c, w, r, 1);
		while (cursor_next(&c, &op))
			if (op.kind != OP_COMPUTE && op.amount > most)
				most = op.amount;
	}
	buffer = calloc(1 + (size_t)ranks, 2 * most + 1);
	most *= (uint64_t)ranks; /* alltoall */
	for (int i = 0; i < 2; i++)
		MPI_Barrier(MPI_COMM_WORLD);
	double start = MPI_Wtime();
	cursor_start(&c, w, (uint32_t)rank, 1);
	while (cursor_next(&c, &op))
		do_operation(&op, (int)most);
	seconds = MPI_Wtime() - start;
	MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0)
		printf("%.6f\n", slowest);
	MPI_Finalize();
	return 0;
}
