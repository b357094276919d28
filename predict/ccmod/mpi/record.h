/* SPDX-License-Identifier: MIT */
/*
 * libccmod-mpi.so - records what an MPI program computes, sends and receives as a workload(5):
 *
 * 	mpirun -n 8 env LD_PRELOAD=libccmod-mpi.so CCMOD_TRACE=app.wl ./app
 *
 * Every rank keeps its operations as text; MPI_Finalize writes all of them to one file
 * (CCMOD_TRACE, by default ccmod.wl).  The time between two calls is computation: wall clock time,
 * or with CCMOD_CLOCK=cpu the CPU time of the thread, for ranks that share CPUs.
 *
 * If OSVEC_MARKS names a directory, each rank also marks there, as states for cea, where in the
 * program its long calls are: "MPI_Recv /path/of/object+0x1234".
 */
#ifndef MPI_RECORD_H
#define MPI_RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* A preloaded library must not replace functions of the program with these names. */
#pragma GCC visibility push(hidden)

enum { ALLTOALLV = 2000000000 }; /* tag of the messages of MPI_Alltoallv */
enum { SENDRECV = 2000000000 };	 /* the requests of MPI_Sendrecv are this and the next number */

/* True between MPI_Init and MPI_Finalize; nothing is recorded at other times. */
extern bool recording;

/* A persistent request and the operation that it starts. */
struct persistent {
	MPI_Request handle;
	const char *word; /* isend or irecv */
	int count, peer, tag;
	MPI_Datatype type;
	MPI_Comm comm;
};

/* Like realloc(), but ends the program if memory runs out. */
void *grow(void *p, size_t n);
/* MPI_Init is over: recording begins, with the clock that CCMOD_CLOCK names. */
void start_recording(void);
/* Collects the operations of all ranks and writes the workload. */
void write_all(void);
/* Begins a call, which returns to that address: the time since the previous call was computation.
 */
void enter_from(const char *call, const void *address);
#define enter() enter_from(__func__, __builtin_return_address(0))
/* Ends a call, which is marked with its place if it was long and OSVEC_MARKS is set.  Returns
 * status. */
int leave(int status);
/* Returns the size of count elements of a datatype. */
unsigned long long bytes(int count, MPI_Datatype type);
/* Returns the rank in MPI_COMM_WORLD of a rank of a communicator. */
int world(MPI_Comm comm, int rank);
/* Records a collective call of all ranks or of an evenly spaced subset; others are counted as left
 * out. */
void record_collective(MPI_Comm comm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Record a send (send, ssend or isend) or a receive (recv or irecv) of this word, unless the peer
 * is MPI_PROC_NULL; ranks are those of the communicator. */
void record_send(const char *word, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
void record_receive(const char *word, int from, int tag, MPI_Comm comm);
/* Records an MPI_Sendrecv, and an MPI_Alltoallv as one with each other rank after the other. */
void record_exchange(int count, MPI_Datatype type, int to, int tag_out, int from, int tag_in,
		     MPI_Comm comm);
void record_alltoallv(const int *counts, MPI_Datatype type, MPI_Comm comm);
/* Counts a call that a workload cannot express. */
void leave_out(void);
/* Gives the operation recorded last that request number, unless its peer is MPI_PROC_NULL. */
void renumber(int peer, size_t request);
/* Registers an open request.  Returns its number. */
size_t open_request(MPI_Request handle);
/* Records that a request was completed. */
void close_request(MPI_Request handle);
/* Records a wait for the request of that number. */
void record_wait(int peer, size_t request);
/* Keeps a persistent request, and drops it again. */
void remember(struct persistent p);
void forget(MPI_Request handle);
/* Records the operation that a persistent request starts. */
void begin(MPI_Request handle);

#pragma GCC visibility pop

#endif
