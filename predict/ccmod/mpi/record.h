/* SPDX-License-Identifier: MIT */
/*
 * libccmod-mpi.so - records what an MPI program computes, sends and receives as a workload(5):
 *
 *	mpirun -x LD_PRELOAD=libccmod-mpi.so -x CCMOD_TRACE=app.wl -n 8 ./app
 *
 * Every rank keeps its operations as text; MPI_Finalize collects them into one file (CCMOD_TRACE,
 * ccmod.wl by default).  Time between two calls is computation: on the clock on the wall, or with
 * CCMOD_CLOCK=cpu that of the thread, for ranks that share CPUs.
 */
#ifndef RECORD_H
#define RECORD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

/* A preloaded library must not take the place of what a program calls by these names. */
#pragma GCC visibility push(hidden)

enum { SENDRECV = 2000000000 }; /* the requests of MPI_Sendrecv: this and the next */

/* Between MPI_Init and MPI_Finalize; what is said at other times is not kept. */
extern bool recording;

/* A persistent request, and what it begins each time. */
struct persistent {
	MPI_Request handle;
	const char *word; /* isend or irecv */
	int count, peer, tag;
	MPI_Datatype type;
	MPI_Comm comm;
};

/* realloc() that ends the program when there is no memory. */
void *grow(void *p, size_t n);
void start_recording(void);
/* Collects what all ranks said and writes the workload. */
void write_all(void);
/* A call begins: what came before it was computation. */
void enter(void);
/* It ends; returns status. */
int leave(int status);
unsigned long long bytes(int count, MPI_Datatype type);
/* The rank in MPI_COMM_WORLD of a rank of a communicator. */
int world(MPI_Comm comm, int rank);
/* Says a collective call of all ranks, or of those of a communicator; or it is left out. */
void say_collective(MPI_Comm comm, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void say_send(const char *word, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm);
void say_receive(const char *word, int from, int tag, MPI_Comm comm);
/* The operation just said, unless its peer is MPI_PROC_NULL, has a request of that number. */
void renumber(int peer, size_t request);
/* A request is open: its number. */
size_t open_request(MPI_Request handle);
/* It was completed; says so. */
void close_request(MPI_Request handle);
/* Says the wait for a request of that number. */
void say_wait(int peer, size_t request);
void remember(struct persistent p);
void forget(MPI_Request handle);
/* A persistent request begins what it stands for. */
void begin(MPI_Request handle);

#pragma GCC visibility pop

#endif
