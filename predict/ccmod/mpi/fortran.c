/* SPDX-License-Identifier: MIT */
/*
 * The MPI subroutines for Fortran (mpif.h and the modules mpi and mpi_f08).
 *
 * All arguments are addresses, and handles are integers.  Buffers and statuses are passed to the
 * library unchanged; recording needs neither.  Each subroutine is defined under the names that
 * compilers generate for mpif.h and mpi, and for Open MPI's mpi_f08.
 */
#include <stdlib.h>

#include "record.h"

typedef MPI_Fint Fint;

/* Calls the library without recording, since it may call functions of calls.c. */
#define QUIETLY(call) \
	do { \
		bool was = recording; \
\
		recording = false; \
		call; \
		recording = was; \
	} while (0)

#define DEFINE(name, parameters, arguments, before, after) \
	void p##name parameters __attribute__((weak)); \
	void name parameters; \
	void name parameters \
	{ \
		enter(); \
		before; \
		QUIETLY(p##name arguments); \
		after; \
		leave(0); \
	}
/* Defines a subroutine: its parameters, the arguments passed to the library, and what to do before
 * and after the call. */
#define CALL(name, parameters, arguments, before, after) \
	DEFINE(mpi_##name##_, parameters, arguments, before, after) \
	DEFINE(mpi_##name##_f08_, parameters, arguments, before, after)
#define NOTHING (void)0

#define COMM PMPI_Comm_f2c(*comm)
#define TYPE PMPI_Type_f2c(*type)

CALL(init, (Fint * error), (error), NOTHING, start_recording())
CALL(init_thread, (Fint * wanted, Fint *got, Fint *error), (wanted, got, error), NOTHING,
     start_recording())

static void finish(void)
{
	recording = false;
	write_all();
}

CALL(finalize, (Fint * error), (error), finish(), NOTHING)

#define MESSAGE void *buf, Fint *count, Fint *type, Fint *peer, Fint *tag, Fint *comm

#define SENDER(name, word) \
	CALL(name, (MESSAGE, Fint * error), (buf, count, type, peer, tag, comm, error), \
	     record_send(word, *count, TYPE, *peer, *tag, COMM), NOTHING)

SENDER(send, "send")
SENDER(bsend, "send")
SENDER(rsend, "send")
SENDER(ssend, "ssend")

CALL(recv, (MESSAGE, void *status, Fint *error), (buf, count, type, peer, tag, comm, status, error),
     record_receive("recv", *peer, *tag, COMM), NOTHING)

static void record_start(const char *word, Fint count, MPI_Datatype type, Fint peer, Fint tag,
			 MPI_Comm comm, Fint request)
{
	if (*word == 'i' && word[1] == 's')
		record_send(word, count, type, peer, tag, comm);
	else
		record_receive(word, peer, tag, comm);
	if (peer != MPI_PROC_NULL)
		renumber(peer, open_request(PMPI_Request_f2c(request)));
}

#define BEGINNER(name, after) \
	CALL(name, (MESSAGE, Fint * request, Fint * error), \
	     (buf, count, type, peer, tag, comm, request, error), NOTHING, after)
#define BEGINS(name, word) \
	BEGINNER(name, record_start(word, *count, TYPE, *peer, *tag, COMM, *request))
#define PERSISTENT(name, word) \
	BEGINNER(name, remember((struct persistent){ PMPI_Request_f2c(*request), word, *count, \
						     *peer, *tag, TYPE, COMM }))

BEGINS(isend, "isend")
BEGINS(ibsend, "isend")
BEGINS(irsend, "isend")
BEGINS(issend, "isend")
BEGINS(irecv, "irecv")
PERSISTENT(send_init, "isend")
PERSISTENT(bsend_init, "isend")
PERSISTENT(rsend_init, "isend")
PERSISTENT(ssend_init, "isend")
PERSISTENT(recv_init, "irecv")

CALL(sendrecv,
     (void *out, Fint *count, Fint *type, Fint *to, Fint *tag_out, void *in, Fint *nin, Fint *tin,
      Fint *from, Fint *tag_in, Fint *comm, void *status, Fint *error),
     (out, count, type, to, tag_out, in, nin, tin, from, tag_in, comm, status, error),
     record_exchange(*count, TYPE, *to, *tag_out, *from, *tag_in, COMM), NOTHING)

CALL(sendrecv_replace,
     (void *buf, Fint *count, Fint *type, Fint *to, Fint *tag_out, Fint *from, Fint *tag_in,
      Fint *comm, void *status, Fint *error),
     (buf, count, type, to, tag_out, from, tag_in, comm, status, error),
     record_exchange(*count, TYPE, *to, *tag_out, *from, *tag_in, COMM), NOTHING)
CALL(alltoallv,
     (void *out, Fint *counts, void *at, Fint *type, void *in, void *nin, void *atin, void *tin,
      Fint *comm, Fint *error),
     (out, counts, at, type, in, nin, atin, tin, comm, error), record_alltoallv(counts, TYPE, COMM),
     NOTHING)

/* Calls of that many arguments, all of them addresses. */
#define P5 void *a, void *b, void *c, void *d, void *e
#define A5 a, b, c, d, e
#define P6 P5, void *f
#define A6 A5, f
#define P7 P6, void *g
#define A7 A6, g
#define P8 P7, void *h
#define A8 A7, h
#define P9 P8, void *i
#define A9 A8, i
#define P10 P9, void *j
#define A10 A9, j
/* Calls that are no computation, and those that a workload cannot express. */
#define PASS(name, n) CALL(name, (P##n), (A##n), NOTHING, NOTHING)
#define LEAVE_OUT(name, n) CALL(name, (P##n), (A##n), leave_out(), NOTHING)

PASS(probe, 5)
PASS(iprobe, 6)
LEAVE_OUT(gatherv, 10)
LEAVE_OUT(scatterv, 10)
LEAVE_OUT(allgatherv, 9)
LEAVE_OUT(alltoallw, 10)
LEAVE_OUT(scan, 7)
LEAVE_OUT(exscan, 7)
LEAVE_OUT(reduce_scatter, 7)
LEAVE_OUT(reduce_scatter_block, 7)
LEAVE_OUT(ibcast, 7)
LEAVE_OUT(iallreduce, 8)
LEAVE_OUT(ireduce, 9)
LEAVE_OUT(iallgather, 9)
LEAVE_OUT(ialltoall, 9)
LEAVE_OUT(igather, 10)
LEAVE_OUT(iscatter, 10)
LEAVE_OUT(iallgatherv, 10)
CALL(ibarrier, (void *a, void *b, void *c), (a, b, c), leave_out(), NOTHING)

static void begin_all(Fint n, const Fint *v)
{
	for (Fint i = 0; i < n; i++)
		begin(PMPI_Request_f2c(v[i]));
}

static void close_all(Fint n, const Fint *v)
{
	for (Fint i = 0; i < n; i++)
		close_request(PMPI_Request_f2c(v[i]));
}

CALL(start, (Fint * request, Fint *error), (request, error), begin_all(1, request), NOTHING)
CALL(startall, (Fint * n, Fint *v, Fint *error), (n, v, error), begin_all(*n, v), NOTHING)
CALL(request_free, (Fint * request, Fint *error), (request, error),
     forget(PMPI_Request_f2c(*request)), NOTHING)
CALL(wait, (Fint * request, void *status, Fint *error), (request, status, error),
     close_all(1, request), NOTHING)
CALL(waitall, (Fint * n, Fint *v, void *statuses, Fint *error), (n, v, statuses, error),
     close_all(*n, v), NOTHING)

/* Saves requests before a call that sets completed ones to null. */
static MPI_Request *keep(Fint n, const Fint *v)
{
	MPI_Request *kept = grow(NULL, ((size_t)n + 1) * sizeof(*kept));

	for (Fint i = 0; i < n; i++)
		kept[i] = PMPI_Request_f2c(v[i]);
	return kept;
}

/* Records that `done` requests were completed: those in which[], numbered from 1, or the first ones
 * if it is NULL. */
static void close_kept(MPI_Request *kept, Fint done, const Fint *which)
{
	for (Fint i = 0; done != MPI_UNDEFINED && i < done; i++)
		if (!which || which[i] != MPI_UNDEFINED)
			close_request(kept[which ? which[i] - 1 : i]);
	free(kept);
}

#define KEEP(n, v) MPI_Request *kept = keep(n, v)

CALL(test, (Fint * request, Fint *done, void *status, Fint *error), (request, done, status, error),
     KEEP(1, request), close_kept(kept, !!*done, NULL))
CALL(testall, (Fint * n, Fint *v, Fint *done, void *statuses, Fint *error),
     (n, v, done, statuses, error), KEEP(*n, v), close_kept(kept, *done ? *n : 0, NULL))
CALL(testany, (Fint * n, Fint *v, Fint *which, Fint *done, void *status, Fint *error),
     (n, v, which, done, status, error), KEEP(*n, v), close_kept(kept, !!*done, which))
CALL(waitany, (Fint * n, Fint *v, Fint *which, void *status, Fint *error),
     (n, v, which, status, error), KEEP(*n, v), close_kept(kept, 1, which))
CALL(waitsome, (Fint * n, Fint *v, Fint *done, Fint *which, void *statuses, Fint *error),
     (n, v, done, which, statuses, error), KEEP(*n, v), close_kept(kept, *done, which))
CALL(testsome, (Fint * n, Fint *v, Fint *done, Fint *which, void *statuses, Fint *error),
     (n, v, done, which, statuses, error), KEEP(*n, v), close_kept(kept, *done, which))

CALL(barrier, (Fint * comm, Fint *error), (comm, error), record_collective(COMM, "barrier"),
     NOTHING)
CALL(bcast, (void *buf, Fint *count, Fint *type, Fint *root, Fint *comm, Fint *error),
     (buf, count, type, root, comm, error),
     record_collective(COMM, "bcast %d %llu", world(COMM, *root), bytes(*count, TYPE)), NOTHING)
CALL(reduce,
     (void *in, void *out, Fint *count, Fint *type, Fint *op, Fint *root, Fint *comm, Fint *error),
     (in, out, count, type, op, root, comm, error),
     record_collective(COMM, "reduce %d %llu", world(COMM, *root), bytes(*count, TYPE)), NOTHING)
CALL(allreduce, (void *in, void *out, Fint *count, Fint *type, Fint *op, Fint *comm, Fint *error),
     (in, out, count, type, op, comm, error),
     record_collective(COMM, "allreduce %llu", bytes(*count, TYPE)), NOTHING)

/* Here the receiver's count and type describe one piece, also with MPI_IN_PLACE. */
#define PIECES void *in, Fint *nin, Fint *tin, void *out, Fint *count, Fint *type

CALL(allgather, (PIECES, Fint *comm, Fint *error), (in, nin, tin, out, count, type, comm, error),
     record_collective(COMM, "allgather %llu", bytes(*count, TYPE)), NOTHING)
CALL(alltoall, (PIECES, Fint *comm, Fint *error), (in, nin, tin, out, count, type, comm, error),
     record_collective(COMM, "alltoall %llu", bytes(*count, TYPE)), NOTHING)

/* Returns the size of a piece: at the root, or at this rank. */
static unsigned long long piece(MPI_Comm comm, Fint root, Fint at_root, MPI_Datatype root_type,
				Fint here, MPI_Datatype type)
{
	int rank;

	PMPI_Comm_rank(comm, &rank);
	return rank == root ? bytes(at_root, root_type) : bytes(here, type);
}

CALL(gather, (PIECES, Fint *root, Fint *comm, Fint *error),
     (in, nin, tin, out, count, type, root, comm, error),
     record_collective(COMM, "gather %d %llu", world(COMM, *root),
		       piece(COMM, *root, *count, TYPE, *nin, PMPI_Type_f2c(*tin))),
     NOTHING)
CALL(scatter, (PIECES, Fint *root, Fint *comm, Fint *error),
     (in, nin, tin, out, count, type, root, comm, error),
     record_collective(COMM, "scatter %d %llu", world(COMM, *root),
		       piece(COMM, *root, *nin, PMPI_Type_f2c(*tin), *count, TYPE)),
     NOTHING)
