/* SPDX-License-Identifier: MIT */
/* The MPI functions for C, which record calls as described in record.h. */
#include <stdlib.h>
#include <string.h>

#include "record.h"

int MPI_Init(int *argc, char ***argv)
{
	int status = PMPI_Init(argc, argv);

	start_recording();
	return status;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
	int status = PMPI_Init_thread(argc, argv, wanted, got);

	start_recording();
	return status;
}

int MPI_Finalize(void)
{
	enter();
	recording = false;
	write_all();
	return PMPI_Finalize();
}

#define SENDER(name, word) \
	int MPI_##name(const void *buf, int count, MPI_Datatype type, int to, int tag, \
		       MPI_Comm comm) \
	{ \
		enter(); \
		record_send(word, count, type, to, tag, comm); \
		return leave(PMPI_##name(buf, count, type, to, tag, comm)); \
	}

SENDER(Send, "send")
SENDER(Bsend, "send")
SENDER(Rsend, "send")
SENDER(Ssend, "ssend")

#define ISENDER(name) \
	int MPI_##name(const void *buf, int count, MPI_Datatype type, int to, int tag, \
		       MPI_Comm comm, MPI_Request *request) \
	{ \
		enter(); \
		int status = PMPI_##name(buf, count, type, to, tag, comm, request); \
		record_send("isend", count, type, to, tag, comm); \
		if (to != MPI_PROC_NULL) \
			renumber(to, open_request(*request)); \
		return leave(status); \
	}

ISENDER(Isend)
ISENDER(Ibsend)
ISENDER(Irsend)
ISENDER(Issend)

int MPI_Recv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	     MPI_Status *status)
{
	enter();
	record_receive("recv", from, tag, comm);
	return leave(PMPI_Recv(buf, count, type, from, tag, comm, status));
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	enter();
	int status = PMPI_Irecv(buf, count, type, from, tag, comm, request);
	record_receive("irecv", from, tag, comm);
	if (from != MPI_PROC_NULL)
		renumber(from, open_request(*request));
	return leave(status);
}

int MPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int tag_out, void *in,
		 int nin, MPI_Datatype tin, int from, int tag_in, MPI_Comm comm, MPI_Status *status)
{
	enter();
	record_exchange(nout, tout, to, tag_out, from, tag_in, comm);
	return leave(
	    PMPI_Sendrecv(out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, status));
}

int MPI_Sendrecv_replace(void *buf, int n, MPI_Datatype type, int to, int tag_out, int from,
			 int tag_in, MPI_Comm comm, MPI_Status *status)
{
	enter();
	record_exchange(n, type, to, tag_out, from, tag_in, comm);
	return leave(PMPI_Sendrecv_replace(buf, n, type, to, tag_out, from, tag_in, comm, status));
}

/* What happens in these calls is no computation. */
int MPI_Probe(int from, int tag, MPI_Comm comm, MPI_Status *status)
{
	enter();
	return leave(PMPI_Probe(from, tag, comm, status));
}

int MPI_Iprobe(int from, int tag, MPI_Comm comm, int *found, MPI_Status *status)
{
	enter();
	return leave(PMPI_Iprobe(from, tag, comm, found, status));
}

int MPI_Wait(MPI_Request *request, MPI_Status *status)
{
	MPI_Request handle = *request;

	enter();
	close_request(handle);
	return leave(PMPI_Wait(request, status));
}

int MPI_Waitall(int n, MPI_Request v[], MPI_Status *statuses)
{
	enter();
	for (int i = 0; i < n; i++)
		close_request(v[i]);
	return leave(PMPI_Waitall(n, v, statuses));
}

int MPI_Waitany(int n, MPI_Request v[], int *which, MPI_Status *status)
{
	MPI_Request *before = grow(NULL, (size_t)(n + 1) * sizeof(*before));

	enter();
	memcpy(before, v, (size_t)n * sizeof(*before));
	int result = PMPI_Waitany(n, v, which, status);
	if (*which != MPI_UNDEFINED)
		close_request(before[*which]);
	free(before);
	return leave(result);
}

/* Of several requests, those in which[*done] completed. */
#define SOME(name) \
	int MPI_##name(int n, MPI_Request v[], int *done, int which[], MPI_Status *statuses) \
	{ \
		MPI_Request *before = grow(NULL, (size_t)(n + 1) * sizeof(*before)); \
\
		enter(); \
		memcpy(before, v, (size_t)n * sizeof(*before)); \
		int result = PMPI_##name(n, v, done, which, statuses); \
		for (int i = 0; *done != MPI_UNDEFINED && i < *done; i++) \
			close_request(before[which[i]]); \
		free(before); \
		return leave(result); \
	}

SOME(Waitsome)
SOME(Testsome)

int MPI_Testany(int n, MPI_Request v[], int *which, int *done, MPI_Status *status)
{
	MPI_Request *before = grow(NULL, (size_t)(n + 1) * sizeof(*before));

	enter();
	memcpy(before, v, (size_t)n * sizeof(*before));
	int result = PMPI_Testany(n, v, which, done, status);
	if (*done && *which != MPI_UNDEFINED)
		close_request(before[*which]);
	free(before);
	return leave(result);
}

int MPI_Test(MPI_Request *request, int *done, MPI_Status *status)
{
	MPI_Request handle = *request;

	enter();
	int result = PMPI_Test(request, done, status);
	if (*done)
		close_request(handle);
	return leave(result);
}

int MPI_Testall(int n, MPI_Request v[], int *done, MPI_Status *statuses)
{
	MPI_Request *before = grow(NULL, (size_t)(n + 1) * sizeof(*before));

	enter();
	memcpy(before, v, (size_t)n * sizeof(*before));
	int result = PMPI_Testall(n, v, done, statuses);
	for (int i = 0; *done && i < n; i++)
		close_request(before[i]);
	free(before);
	return leave(result);
}

#define PERSISTENT(name, word, constant) \
	int MPI_##name(constant void *buf, int count, MPI_Datatype type, int peer, int tag, \
		       MPI_Comm comm, MPI_Request *request) \
	{ \
		enter(); \
		int status = PMPI_##name(buf, count, type, peer, tag, comm, request); \
		remember((struct persistent){ *request, word, count, peer, tag, type, comm }); \
		return leave(status); \
	}

PERSISTENT(Send_init, "isend", const)
PERSISTENT(Bsend_init, "isend", const)
PERSISTENT(Rsend_init, "isend", const)
PERSISTENT(Ssend_init, "isend", const)
PERSISTENT(Recv_init, "irecv", )

int MPI_Start(MPI_Request *request)
{
	enter();
	begin(*request);
	return leave(PMPI_Start(request));
}

int MPI_Startall(int n, MPI_Request v[])
{
	enter();
	for (int i = 0; i < n; i++)
		begin(v[i]);
	return leave(PMPI_Startall(n, v));
}

int MPI_Request_free(MPI_Request *request)
{
	enter();
	forget(*request);
	return leave(PMPI_Request_free(request));
}

/* A collective call: PMPI_name with its arguments, recorded in that format. */
#define COLLECTIVE(call, comm, ...) \
	enter(); \
	record_collective(comm, __VA_ARGS__); \
	return leave(call)

int MPI_Barrier(MPI_Comm comm)
{
	COLLECTIVE(PMPI_Barrier(comm), comm, "barrier");
}

int MPI_Bcast(void *buf, int count, MPI_Datatype type, int root, MPI_Comm comm)
{
	COLLECTIVE(PMPI_Bcast(buf, count, type, root, comm), comm, "bcast %d %llu",
		   world(comm, root), bytes(count, type));
}

int MPI_Reduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, int root,
	       MPI_Comm comm)
{
	COLLECTIVE(PMPI_Reduce(in, out, count, type, op, root, comm), comm, "reduce %d %llu",
		   world(comm, root), bytes(count, type));
}

int MPI_Allreduce(const void *in, void *out, int count, MPI_Datatype type, MPI_Op op, MPI_Comm comm)
{
	COLLECTIVE(PMPI_Allreduce(in, out, count, type, op, comm), comm, "allreduce %llu",
		   bytes(count, type));
}

int MPI_Gather(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
	       int root, MPI_Comm comm)
{
	COLLECTIVE(PMPI_Gather(in, nin, tin, out, nout, tout, root, comm), comm, "gather %d %llu",
		   world(comm, root), in == MPI_IN_PLACE ? bytes(nout, tout) : bytes(nin, tin));
}

int MPI_Scatter(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
		int root, MPI_Comm comm)
{
	COLLECTIVE(PMPI_Scatter(in, nin, tin, out, nout, tout, root, comm), comm, "scatter %d %llu",
		   world(comm, root), out == MPI_IN_PLACE ? bytes(nin, tin) : bytes(nout, tout));
}

int MPI_Allgather(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
		  MPI_Comm comm)
{
	COLLECTIVE(PMPI_Allgather(in, nin, tin, out, nout, tout, comm), comm, "allgather %llu",
		   bytes(nout, tout));
}

int MPI_Alltoall(const void *in, int nin, MPI_Datatype tin, void *out, int nout, MPI_Datatype tout,
		 MPI_Comm comm)
{
	COLLECTIVE(PMPI_Alltoall(in, nin, tin, out, nout, tout, comm), comm, "alltoall %llu",
		   bytes(nout, tout));
}

int MPI_Alltoallv(const void *out, const int *counts, const int *at, MPI_Datatype type, void *in,
		  const int *nin, const int *atin, MPI_Datatype tin, MPI_Comm comm)
{
	enter();
	bool same = out == MPI_IN_PLACE;
	record_alltoallv(same ? nin : counts, same ? tin : type, comm);
	return leave(PMPI_Alltoallv(out, counts, at, type, in, nin, atin, tin, comm));
}

/* Calls that a workload cannot express, and what they have in common. */
#define LEAVE_OUT(name, parameters, arguments) \
	int MPI_##name parameters \
	{ \
		enter(); \
		leave_out(); \
		return leave(PMPI_##name arguments); \
	}
#define FROM const void *in, int nin, MPI_Datatype tin
#define REDUCED const void *in, void *out, int n, MPI_Datatype type, MPI_Op op
#define REST MPI_Comm comm, MPI_Request *request

LEAVE_OUT(Gatherv,
	  (FROM, void *out, const int *n, const int *at, MPI_Datatype type, int root,
	   MPI_Comm comm),
	  (in, nin, tin, out, n, at, type, root, comm))
LEAVE_OUT(Scatterv,
	  (const void *in, const int *n, const int *at, MPI_Datatype type, void *out, int nout,
	   MPI_Datatype tout, int root, MPI_Comm comm),
	  (in, n, at, type, out, nout, tout, root, comm))
LEAVE_OUT(Allgatherv,
	  (FROM, void *out, const int *n, const int *at, MPI_Datatype type, MPI_Comm comm),
	  (in, nin, tin, out, n, at, type, comm))
LEAVE_OUT(Alltoallw,
	  (const void *in, const int *nin, const int *atin, const MPI_Datatype *tin, void *out,
	   const int *n, const int *at, const MPI_Datatype *type, MPI_Comm comm),
	  (in, nin, atin, tin, out, n, at, type, comm))
LEAVE_OUT(Scan, (REDUCED, MPI_Comm comm), (in, out, n, type, op, comm))
LEAVE_OUT(Exscan, (REDUCED, MPI_Comm comm), (in, out, n, type, op, comm))
LEAVE_OUT(Reduce_scatter,
	  (const void *in, void *out, const int *n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
	  (in, out, n, type, op, comm))
LEAVE_OUT(Reduce_scatter_block, (REDUCED, MPI_Comm comm), (in, out, n, type, op, comm))
LEAVE_OUT(Ibarrier, (REST), (comm, request))
LEAVE_OUT(Ibcast, (void *buf, int n, MPI_Datatype type, int root, REST),
	  (buf, n, type, root, comm, request))
LEAVE_OUT(Ireduce, (REDUCED, int root, REST), (in, out, n, type, op, root, comm, request))
LEAVE_OUT(Iallreduce, (REDUCED, REST), (in, out, n, type, op, comm, request))
LEAVE_OUT(Igather, (FROM, void *out, int n, MPI_Datatype type, int root, REST),
	  (in, nin, tin, out, n, type, root, comm, request))
LEAVE_OUT(Iscatter, (FROM, void *out, int n, MPI_Datatype type, int root, REST),
	  (in, nin, tin, out, n, type, root, comm, request))
LEAVE_OUT(Iallgather, (FROM, void *out, int n, MPI_Datatype type, REST),
	  (in, nin, tin, out, n, type, comm, request))
LEAVE_OUT(Iallgatherv, (FROM, void *out, const int *n, const int *at, MPI_Datatype type, REST),
	  (in, nin, tin, out, n, at, type, comm, request))
LEAVE_OUT(Ialltoall, (FROM, void *out, int n, MPI_Datatype type, REST),
	  (in, nin, tin, out, n, type, comm, request))
LEAVE_OUT(Ialltoallv,
	  (const void *in, const int *nin, const int *atin, MPI_Datatype tin, void *out,
	   const int *n, const int *at, MPI_Datatype type, REST),
	  (in, nin, atin, tin, out, n, at, type, comm, request))
LEAVE_OUT(Mprobe, (int from, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status),
	  (from, tag, comm, message, status))
LEAVE_OUT(Win_fence, (int hints, MPI_Win win), (hints, win))
