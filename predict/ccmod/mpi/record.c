/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mark/mark_file.h"
#include "mark/place.h"

enum { SHORT = 10000 /* ns */ };

static struct {
	char *v;
	size_t n, cap;
} text;
bool recording;
static clockid_t clock_id = CLOCK_MONOTONIC;
static int64_t last;	       /* ns: when the last call ended */
static int64_t computed;       /* ns of computation since the last recorded operation */
static unsigned long left_out; /* calls that a workload cannot express */

/* The present call; without a name it is not marked. */
static struct {
	const char *name;
	const void *address; /* to which it returns */
	uint64_t since;
} call;

/* Open requests by handle; the number in the workload is the index plus 1. */
static struct {
	MPI_Request *v;
	size_t n;
} requests;

/* Persistent requests; those without a word are free. */
static struct {
	struct persistent *v;
	size_t n;
} persistent;

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(clock_id, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void *grow(void *p, size_t n)
{
	p = realloc(p, n);
	if (!p) {
		fprintf(stderr, "libccmod-mpi: out of memory\n");
		PMPI_Abort(MPI_COMM_WORLD, 1);
	}
	return p;
}

/* Records the computation before an operation: one, however often MPI_Test was called. */
static void record_computation(void)
{
	if (text.n + 512 > text.cap)
		text.v = grow(text.v, text.cap = 2 * text.cap + 4096);
	if (computed > 0)
		text.n +=
		    (size_t)snprintf(text.v + text.n, 256, "compute %lldns\n", (long long)computed);
	computed = 0;
}

__attribute__((format(printf, 1, 2))) static void record(const char *fmt, ...)
{
	va_list ap;

	record_computation();
	va_start(ap, fmt);
	text.n += (size_t)vsnprintf(text.v + text.n, 256, fmt, ap);
	va_end(ap);
}

void enter_from(const char *name, const void *address)
{
	int64_t t = now();

	if (recording && t > last)
		computed += t - last;
	call.name = recording ? name : NULL;
	call.address = address;
	call.since = recording ? osvec_mark_time() : 0;
}

/* Shorter calls are not marked: a program may ask MPI_Test a million times a second. */
static void mark_call(void)
{
	const struct place *p = NULL;

	if (osvec_mark_time() - call.since >= SHORT)
		p = place_of(call.name, call.address);
	if (p) {
		osvec_mark_at(call.since, OSVEC_STATE, p->in, 0, 0);
		osvec_state(p->after);
	}
	call.name = NULL;
}

int leave(int status)
{
	if (call.name)
		mark_call();
	last = now();
	return status;
}

unsigned long long bytes(int count, MPI_Datatype type)
{
	int size = 0;

	PMPI_Type_size(type, &size);
	return (unsigned long long)count * (unsigned long long)size;
}

int world(MPI_Comm comm, int rank)
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

/* Every step-th rank of MPI_COMM_WORLD from first to last. */
struct span {
	int first, last, step;
};

/* Whether the n ranks of a communicator form such a span, in any order. */
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
	/* There are n different ranks between first and last, none of them undefined (< 0). */
	s->step = n > 1 ? (s->last - s->first) / (n - 1) : 1;
	for (int i = 0; i < n; i++)
		inside += s->first >= 0 && (ranks[i] - s->first) % s->step == 0;
	free(ranks);
	return inside == n && s->first + (n - 1) * s->step == s->last;
}

void record_collective(MPI_Comm comm, const char *fmt, ...)
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
		leave_out();
		return;
	}
	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	if (n == all)
		record("%s\n", what);
	else
		record("%s in %d-%d/%d\n", what, s.first, s.last, s.step);
}

size_t open_request(MPI_Request handle)
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

void close_request(MPI_Request handle)
{
	if (!recording || handle == MPI_REQUEST_NULL)
		return;
	for (size_t i = 0; i < requests.n; i++)
		if (requests.v[i] == handle) {
			requests.v[i] = MPI_REQUEST_NULL;
			record("wait %zu\n", i + 1);
			return;
		}
}

void record_send(const char *word, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm)
{
	if (recording && to != MPI_PROC_NULL)
		record("%s %d %llu tag %d\n", word, world(comm, to), bytes(count, type), tag);
}

void record_receive(const char *word, int from, int tag, MPI_Comm comm)
{
	if (!recording || from == MPI_PROC_NULL)
		return;
	if (from == MPI_ANY_SOURCE)
		record("%s any", word);
	else
		record("%s %d", word, world(comm, from));
	if (tag == MPI_ANY_TAG)
		record(" tag any\n");
	else
		record(" tag %d\n", tag);
}

/* Replaces the newline of the last operation by the request number. */
void renumber(int peer, size_t request)
{
	if (!recording || peer == MPI_PROC_NULL)
		return;
	text.n--;
	record(" as %zu\n", request);
}

void record_wait(int peer, size_t request)
{
	if (recording && peer != MPI_PROC_NULL)
		record("wait %zu\n", request);
}

void record_exchange(int count, MPI_Datatype type, int to, int tag_out, int from, int tag_in,
		     MPI_Comm comm)
{
	record_receive("irecv", from, tag_in, comm);
	renumber(from, SENDRECV);
	record_send("isend", count, type, to, tag_out, comm);
	renumber(to, SENDRECV + 1);
	record_wait(from, SENDRECV);
	record_wait(to, SENDRECV + 1);
}

void record_alltoallv(const int *counts, MPI_Datatype type, MPI_Comm comm)
{
	int rank, n, between;

	PMPI_Comm_test_inter(comm, &between);
	if (between) {
		leave_out();
		return;
	}
	PMPI_Comm_rank(comm, &rank);
	PMPI_Comm_size(comm, &n);
	for (int k = 1; k < n; k++) {
		int to = (rank + k) % n;

		record_exchange(counts[to], type, to, ALLTOALLV, (rank + n - k) % n, ALLTOALLV,
				comm);
	}
}

void leave_out(void)
{
	left_out += recording;
}

void start_recording(void)
{
	const char *clock = getenv("CCMOD_CLOCK");

	if (clock && !strcmp(clock, "cpu"))
		clock_id = CLOCK_THREAD_CPUTIME_ID;
	recording = true;
	last = now();
}

void remember(struct persistent p)
{
	size_t i = 0;

	while (i < persistent.n && persistent.v[i].word)
		i++;
	if (i == persistent.n)
		persistent.v = grow(persistent.v, ++persistent.n * sizeof(*persistent.v));
	persistent.v[i] = p;
}

static struct persistent *recall(MPI_Request handle)
{
	for (size_t i = 0; i < persistent.n; i++)
		if (persistent.v[i].word && persistent.v[i].handle == handle)
			return &persistent.v[i];
	return NULL;
}

void begin(MPI_Request handle)
{
	const struct persistent *p = recall(handle);

	if (!p)
		leave_out();
	if (!p || p->peer == MPI_PROC_NULL)
		return;
	if (!strcmp(p->word, "irecv"))
		record_receive(p->word, p->peer, p->tag, p->comm);
	else
		record_send(p->word, p->count, p->type, p->peer, p->tag, p->comm);
	renumber(p->peer, open_request(handle));
}

void forget(MPI_Request handle)
{
	struct persistent *p = recall(handle);

	if (p)
		p->word = NULL;
}

/* Writes the operations of all ranks to the file, rank by rank. */
void write_all(void)
{
	const char *path = getenv("CCMOD_TRACE");
	int rank, ranks;
	unsigned long lost = 0;
	FILE *f = NULL;

	record_computation();
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
	fprintf(f, "ranks %d\nrank 0\n", ranks);
	fwrite(text.v, 1, text.n, f);
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
			"libccmod-mpi: %lu calls are not in %s: collective calls of ranks that "
			"are not evenly spaced, and what workload(5) names\n",
			lost, path);
	if (ferror(f) | fclose(f))
		perror(path);
}
