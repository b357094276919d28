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
#include <mpi.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static struct {
	char *v;
	size_t n, cap;
} text;
static bool recording;
static clockid_t clock_id = CLOCK_MONOTONIC;
static int64_t last;		/* when the last call ended, ns */
enum { SENDRECV = 2000000000 }; /* the requests of MPI_Sendrecv: this and the next */
static unsigned long left_out;	/* calls that a workload cannot say */

/* Requests that are open, by handle; the number in the workload is the place plus 1. */
static struct {
	MPI_Request *v;
	size_t n;
} requests;

/* Persistent requests, and what they begin each time. */
static struct {
	struct persistent {
		MPI_Request handle;
		const char *word; /* NULL: free */
		int count, peer, tag;
		MPI_Datatype type;
		MPI_Comm comm;
	} * v;
	size_t n;
} persistent;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(clock_id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static void *grow(void *p, size_t n)
{
	p = realloc(p, n);
	if (!p) {
		fprintf(stderr, "libccmod-mpi: out of memory\n");
		PMPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
}

__attribute__((format(printf, 1, 2))) static void say(const char *fmt, ...)
{
	va_list ap;

	if (text.n + 256 > text.cap)
		text.v = grow(text.v, text.cap = 2 * text.cap + 4096);
	va_start(ap, fmt);
	text.n += (size_t)vsnprintf(text.v + text.n, 256, fmt, ap);
	va_end(ap);
}

/* A call begins: what came before it was computation. */
static void enter(void)
{
	int64_t t = now();

	if (recording && t > last)
		say("compute %lldns\n", (long long)(t - last));
}

static int leave(int status)
{
	last = now();
	return status;
}

static unsigned long long bytes(int count, MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return (unsigned long long)count * (unsigned long long)size;
}

/* The rank in MPI_COMM_WORLD of a rank of a communicator. */
static int world(MPI_Comm comm, int rank)
{
	MPI_Group group, all;
	int result;

	if (comm == MPI_COMM_WORLD || rank < 0)
		return rank;
	PMPI_Comm_group(comm, &group);
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	PMPI_Group_translate_ranks(group, 1, &rank, all, &result);
	PMPI_Group_free(&group);
	PMPI_Group_free(&all);
	return result;
}

/* Every step-th rank of MPI_COMM_WORLD. */
struct span {
	int first, last, step;
};

/* Whether the n ranks of a communicator are such ranks, in whatever order. */
static bool find_span(MPI_Comm comm, int n, struct span *s)
{
	int *ranks = grow(NULL, 2 * (size_t)n * sizeof(*ranks)), inside = 0;
	MPI_Group group, all;

	PMPI_Comm_group(comm, &group);
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	for (int i = 0; i < n; i++)
		ranks[n + i] = i;
	PMPI_Group_translate_ranks(group, n, ranks + n, all, ranks);
	PMPI_Group_free(&group);
	PMPI_Group_free(&all);
	s->first = s->last = ranks[0];
	for (int i = 1; i < n; i++) {
		s->first = ranks[i] < s->first ? ranks[i] : s->first;
		s->last = ranks[i] > s->last ? ranks[i] : s->last;
	}
	/* n different ranks, none of them undefined (below 0), between these two. */
	s->step = n > 1 ? (s->last - s->first) / (n - 1) : 1;
	for (int i = 0; i < n; i++)
		inside += s->first >= 0 && (ranks[i] - s->first) % s->step == 0;
	free(ranks);
	return inside == n && s->first + (n - 1) * s->step == s->last;
}

/* Says a collective call of all ranks, or of those of a communicator; or it is left out. */
__attribute__((format(printf, 2, 3))) static void say_collective(MPI_Comm comm, const char *fmt,
								 ...)
{
	int n, all, between;
	struct span s = { 0 };
	char what[64];
	va_list ap;

	PMPI_Comm_size(comm, &n);
	PMPI_Comm_size(MPI_COMM_WORLD, &all);
	PMPI_Comm_test_inter(comm, &between);
	if (!recording || (n == 1 && !between))
		return;
	if (between || (n != all && !find_span(comm, n, &s))) {
		left_out++;
		return;
	}
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (n == all)
		say("%s\n", what);
	else
		say("%s in %d-%d/%d\n", what, s.first, s.last, s.step);
}

static size_t open_request(MPI_Request handle)
{
	size_t i = 0;

	while (i < requests.n && requests.v[i] != MPI_REQUEST_NULL)
		i++;
	if (i == requests.n) {
		requests.v = grow(requests.v, (i + 1) * sizeof(*requests.v));
		requests.n++;
	}
	requests.v[i] = handle;
	return i + 1;
}

/* The request of that handle was completed. */
static void close_request(MPI_Request handle)
{
	if (!recording || handle == MPI_REQUEST_NULL)
		return;
	for (size_t i = 0; i < requests.n; i++)
		if (requests.v[i] == handle) {
			requests.v[i] = MPI_REQUEST_NULL;
			say("wait %zu\n", i + 1);
			return;
		}
}

static void send(const char *word, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (recording && to != MPI_PROC_NULL)
		say("%s %d %llu tag %d\n", word, world(comm, to), bytes(count, type), tag);
}

static void receive(const char *word, int from, int tag, MPI_Comm comm)
{
	if (!recording || from == MPI_PROC_NULL)
		return;
	if (from == MPI_ANY_SOURCE)
		say("%s any", word);
	else
		say("%s %d", word, world(comm, from));
	if (tag == MPI_ANY_TAG)
		say(" tag any\n");
	else
		say(" tag %d\n", tag);
}

/* The operation was just said; its request has this number. */
static void renumber(int peer, size_t request)
{
	if (!recording || peer == MPI_PROC_NULL)
		return;
	text.n--;
	say(" as %zu\n", request);
}

static void wait_for(int peer, size_t request)
{
	if (recording && peer != MPI_PROC_NULL)
		say("wait %zu\n", request);
}

static void start(void)
{
	const char *clock = getenv("CCMOD_CLOCK");

	if (clock && !strcmp(clock, "cpu"))
		clock_id = CLOCK_THREAD_CPUTIME_ID;
	recording = true;
	last = now();
}

int MPI_Init(int *argc, char ***argv)
{
	int status = PMPI_Init(argc, argv);

	start();
	return status;
}

int MPI_Init_thread(int *argc, char ***argv, int wanted, int *got)
{
	int status = PMPI_Init_thread(argc, argv, wanted, got);

	start();
	return status;
}

/* Writes the operations of all ranks, one after the other, from rank 0. */
static void write_all(void)
{
	const char *path = getenv("CCMOD_TRACE");
	int rank, ranks;
	unsigned long lost = 0;
	FILE *f = NULL;

	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	PMPI_Reduce(&left_out, &lost, 1, MPI_UNSIGNED_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank) {
		unsigned long n = text.n;

		PMPI_Send(&n, 1, MPI_UNSIGNED_LONG, 0, 0, MPI_COMM_WORLD);
		for (size_t at = 0; at < n; at += 1 << 20)
			PMPI_Send(text.v + at, n - at < 1 << 20 ? (int)(n - at) : 1 << 20, MPI_CHAR,
				  0, 0, MPI_COMM_WORLD);
		return;
	}
	path = path ? path : "ccmod.wl";
	f = fopen(path, "w");
	if (!f) {
		perror(path);
		PMPI_Abort(MPI_COMM_WORLD, 1);
	}
	fprintf(f, "ranks %d\nrank 0\n%.*s", ranks, (int)text.n, text.n ? text.v : "");
	for (int r = 1; r < ranks; r++) {
		unsigned long n;

		PMPI_Recv(&n, 1, MPI_UNSIGNED_LONG, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		text.v = grow(text.v, (1 << 20) + 1);
		fprintf(f, "rank %d\n", r);
		for (unsigned long at = 0; at < n; at += 1 << 20) {
			int piece = n - at < 1 << 20 ? (int)(n - at) : 1 << 20;

			PMPI_Recv(text.v, piece, MPI_CHAR, r, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			fwrite(text.v, 1, (size_t)piece, f);
		}
	}
	if (lost)
		fprintf(stderr,
			"libccmod-mpi: %lu calls are not in %s: collectives of ranks "
			"that are not evenly spaced, or unknown requests\n",
			lost, path);
	if (ferror(f) | fclose(f))
		perror(path);
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
		send(word, count, type, to, tag, comm); \
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
		send("isend", count, type, to, tag, comm); \
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
	receive("recv", from, tag, comm);
	return leave(PMPI_Recv(buf, count, type, from, tag, comm, status));
}

int MPI_Irecv(void *buf, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm,
	      MPI_Request *request)
{
	enter();
	int status = PMPI_Irecv(buf, count, type, from, tag, comm, request);
	receive("irecv", from, tag, comm);
	if (from != MPI_PROC_NULL)
		renumber(from, open_request(*request));
	return leave(status);
}

int MPI_Sendrecv(const void *out, int nout, MPI_Datatype tout, int to, int tag_out, void *in,
		 int nin, MPI_Datatype tin, int from, int tag_in, MPI_Comm comm, MPI_Status *status)
{
	enter();
	receive("irecv", from, tag_in, comm);
	renumber(from, SENDRECV);
	send("isend", nout, tout, to, tag_out, comm);
	renumber(to, SENDRECV + 1);
	wait_for(from, SENDRECV);
	wait_for(to, SENDRECV + 1);
	return leave(
	    PMPI_Sendrecv(out, nout, tout, to, tag_out, in, nin, tin, from, tag_in, comm, status));
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

/* Of several requests, some were completed, those in which[*done]. */
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

static int remember(int status, struct persistent p)
{
	size_t i = 0;

	while (i < persistent.n && persistent.v[i].word)
		i++;
	if (i == persistent.n)
		persistent.v = grow(persistent.v, ++persistent.n * sizeof(*persistent.v));
	persistent.v[i] = p;
	return leave(status);
}

static struct persistent *recall(MPI_Request handle)
{
	for (size_t i = 0; i < persistent.n; i++)
		if (persistent.v[i].word && persistent.v[i].handle == handle)
			return &persistent.v[i];
	return NULL;
}

/* A persistent request begins what it stands for. */
static void begin(MPI_Request handle)
{
	const struct persistent *p = recall(handle);

	left_out += recording && !p;
	if (!p || p->peer == MPI_PROC_NULL)
		return;
	if (!strcmp(p->word, "irecv"))
		receive(p->word, p->peer, p->tag, p->comm);
	else
		send(p->word, p->count, p->type, p->peer, p->tag, p->comm);
	renumber(p->peer, open_request(handle));
}

#define PERSISTENT(name, word, constant) \
	int MPI_##name(constant void *buf, int count, MPI_Datatype type, int peer, int tag, \
		       MPI_Comm comm, MPI_Request *request) \
	{ \
		enter(); \
		int status = PMPI_##name(buf, count, type, peer, tag, comm, request); \
		return remember( \
		    status, (struct persistent){ *request, word, count, peer, tag, type, comm }); \
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
	struct persistent *p = recall(*request);

	enter();
	if (p)
		p->word = NULL;
	return leave(PMPI_Request_free(request));
}

/* A collective call: PMPI_name with its arguments, said as the format says. */
#define COLLECTIVE(call, comm, ...) \
	enter(); \
	say_collective(comm, __VA_ARGS__); \
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
