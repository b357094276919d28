/* SPDX-License-Identifier: MIT */
/*
 * Reads DUMPI traces of MPI programs as printed by dumpi2ascii (SST), one file for each rank:
 *
 * 	MPI_Isend entering at walltime 8153.0493, cputime 0.0044 seconds in thread 0.
 * 	int count=100
 * 	MPI_Datatype datatype=11 (MPI_DOUBLE)
 * 	int dest=1
 * 	int tag=0
 * 	MPI_Comm comm=2 (MPI_COMM_WORLD)
 * 	MPI_Request request=[4]
 * 	MPI_Isend returning at walltime 8153.0494, cputime 0.0045 seconds in thread 0.
 *
 * The time between two calls is computation.  The sizes of the predefined datatypes are known.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/workload_formats.h"
#include "util/file.h"
#include "util/number.h"
#include "util/vec.h"

enum { REQUESTS = 1 << 16, LONGEST = 1 << 30 };

/* What the lines of the present call said. */
struct call {
	char name[64];
	int64_t value[8]; /* indexed by enum field */
	bool has[8];
	uint64_t size; /* bytes of the datatype that is sent */
	bool world;
	VEC(uint32_t) requests;
};

enum field { COUNT, PEER, FROM, TAG, FROM_TAG, ROOT };

/* The text of a line before '=', and its meaning; a call has each meaning at most once. */
static const struct {
	const char *word;
	enum field field;
} fields[] = {
	{ "int count", COUNT },	     { "int sendcount", COUNT }, { "int dest", PEER },
	{ "int source", FROM },	     { "int tag", TAG },	 { "int sendtag", TAG },
	{ "int recvtag", FROM_TAG }, { "int root", ROOT },
};

static const struct {
	const char *name;
	uint64_t size;
} types[] = {
	{ "CHAR", 1 },
	{ "SIGNED_CHAR", 1 },
	{ "UNSIGNED_CHAR", 1 },
	{ "BYTE", 1 },
	{ "PACKED", 1 },
	{ "SHORT", 2 },
	{ "UNSIGNED_SHORT", 2 },
	{ "INT", 4 },
	{ "UNSIGNED", 4 },
	{ "FLOAT", 4 },
	{ "INTEGER", 4 },
	{ "REAL", 4 },
	{ "LOGICAL", 4 },
	{ "LONG", 8 },
	{ "UNSIGNED_LONG", 8 },
	{ "DOUBLE", 8 },
	{ "LONG_LONG", 8 },
	{ "LONG_LONG_INT", 8 },
	{ "UNSIGNED_LONG_LONG", 8 },
	{ "DOUBLE_PRECISION", 8 },
	{ "COMPLEX", 8 },
	{ "FLOAT_INT", 8 },
	{ "2INT", 8 },
	{ "DOUBLE_INT", 12 },
	{ "LONG_INT", 12 },
	{ "DOUBLE_COMPLEX", 16 },
	{ "LONG_DOUBLE", 16 },
};

/* The requests of the two halves of MPI_Sendrecv are this and the next number. */
#define SENDRECV (TAG_LIMIT - 2)

/* The operations that calls are translated into. */
static const struct {
	const char *name;
	enum op_kind kind;
} calls[] = {
	{ "MPI_Send", OP_SEND },	   { "MPI_Bsend", OP_SEND },
	{ "MPI_Rsend", OP_SEND },	   { "MPI_Ssend", OP_SSEND },
	{ "MPI_Isend", OP_ISEND },	   { "MPI_Irsend", OP_ISEND },
	{ "MPI_Ibsend", OP_ISEND },	   { "MPI_Issend", OP_ISEND },
	{ "MPI_Recv", OP_RECV },	   { "MPI_Irecv", OP_IRECV },
	{ "MPI_Wait", OP_WAIT },	   { "MPI_Waitall", OP_WAIT },
	{ "MPI_Barrier", OP_BARRIER },	   { "MPI_Bcast", OP_BCAST },
	{ "MPI_Reduce", OP_REDUCE },	   { "MPI_Allreduce", OP_ALLREDUCE },
	{ "MPI_Gather", OP_GATHER },	   { "MPI_Scatter", OP_SCATTER },
	{ "MPI_Allgather", OP_ALLGATHER }, { "MPI_Alltoall", OP_ALLTOALL },
	{ "MPI_Sendrecv", OP_SEND },
};

/* Calls that exchange data or complete requests, but have no counterpart in a workload. */
static const char *const others[] = { "MPI_Waitany",
				      "MPI_Waitsome",
				      "MPI_Test",
				      "MPI_Testall",
				      "MPI_Testany",
				      "MPI_Testsome",
				      "MPI_Probe",
				      "MPI_Iprobe",
				      "MPI_Start",
				      "MPI_Startall",
				      "MPI_Gatherv",
				      "MPI_Scatterv",
				      "MPI_Allgatherv",
				      "MPI_Alltoallv",
				      "MPI_Alltoallw",
				      "MPI_Scan",
				      "MPI_Exscan",
				      "MPI_Reduce_scatter",
				      "MPI_Sendrecv_replace",
				      "MPI_Put",
				      "MPI_Get",
				      "MPI_Accumulate",
				      "MPI_Win_fence" };

struct dumpi {
	const char *path;
	size_t line;
	struct workload *w;
	uint32_t rank;
	struct call call;
	double last;	    /* when the last call returned; NAN: none has */
	uint64_t *left_out; /* calls that the workload does not contain */
	struct error *error;
};

static int wrong(const struct dumpi *d, const char *what, const char *word)
{
	return error_set(d->error, "%s:%zu: %s: %s", d->path, d->line, what, word);
}

static void parse_type(struct call *c, const char *s)
{
	const char *name = strstr(s, "(MPI_");
	size_t n = name ? strcspn(name + 5, ")") : 0;

	if (c->size)
		return;
	for (size_t i = 0; name && i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i].name) == n && !strncmp(types[i].name, name + 5, n))
			c->size = types[i].size;
}

static int parse_argument(struct dumpi *d, char *line)
{
	struct call *c = &d->call;
	char *equals = strrchr(line, '=');

	if (!equals)
		return 0;
	*equals++ = '\0';
	if (!strncmp(line, "MPI_Datatype ", 13))
		parse_type(c, equals);
	else if (!strncmp(line, "MPI_Comm ", 9))
		c->world = strstr(equals, "(MPI_COMM_WORLD)");
	else if (!strncmp(line, "MPI_Request ", 12)) {
		for (char *s = equals + strcspn(equals, "0123456789"); *s;
		     s += strcspn(s, "0123456789")) {
			unsigned long v = strtoul(s, &s, 10);

			if (c->requests.n >= REQUESTS || v >= SENDRECV - 1)
				return wrong(d, "not requests", equals);
			vec_push(&c->requests, (uint32_t)v + 1);
		}
	}
	for (size_t i = 0; i < sizeof(fields) / sizeof(*fields); i++)
		if (!strcmp(line, fields[i].word)) {
			char *end;

			c->value[fields[i].field] = strtoll(equals, &end, 10);
			c->has[fields[i].field] = end != equals;
		}
	return 0;
}

static void add(struct dumpi *d, struct op op)
{
	workload_add(d->w, d->rank, &op);
}

/* Stores a rank in *out; PEER_ANY if `any` allows it. */
static int peer_of(const struct dumpi *d, enum field field, bool any, uint32_t *out)
{
	int64_t v = d->call.value[field];

	if (!d->call.has[field] || v >= d->w->ranks || v < (any ? -1 : 0))
		return wrong(d, "no such rank in", d->call.name);
	*out = v < 0 ? PEER_ANY : (uint32_t)v;
	return 0;
}

static uint32_t tag_of(const struct call *c, enum field field)
{
	int64_t v = c->value[field];

	return v < 0 ? TAG_ANY : (uint32_t)(v % TAG_LIMIT);
}

/* Adds the two halves of an MPI_Sendrecv. */
static int add_sendrecv(struct dumpi *d, struct op send)
{
	struct op receive = { .kind = OP_IRECV, .request = SENDRECV };

	send.kind = OP_ISEND;
	send.request = SENDRECV + 1;
	if (peer_of(d, FROM, true, &receive.peer))
		return -1;
	receive.tag = tag_of(&d->call, FROM_TAG);
	add(d, receive);
	add(d, send);
	add(d, (struct op){ .kind = OP_WAIT, .request = SENDRECV });
	add(d, (struct op){ .kind = OP_WAIT, .request = SENDRECV + 1 });
	return 0;
}

static int add_call(struct dumpi *d, enum op_kind kind)
{
	struct call *c = &d->call;
	unsigned has = op_forms[kind].fields;
	bool receives = kind == OP_RECV || kind == OP_IRECV;
	bool message = has & FIELD_TAG;
	struct op op = { .kind = kind };

	if (kind == OP_WAIT) {
		for (size_t i = 0; i < c->requests.n; i++)
			add(d, (struct op){ .kind = OP_WAIT, .request = c->requests.v[i] });
		return 0;
	}
	if (!c->world) {
		++*d->left_out;
		return 0;
	}
	if (has & FIELD_AMOUNT) {
		if (!c->has[COUNT] || c->value[COUNT] < 0 || c->value[COUNT] > INT64_C(1) << 40)
			return wrong(d, "no count in", c->name);
		if (!c->size)
			return wrong(d, "a datatype of unknown size in", c->name);
		op.amount = (uint64_t)c->value[COUNT] * c->size;
	}
	if (has & FIELD_PEER &&
	    peer_of(d, message ? (receives ? FROM : PEER) : ROOT, receives, &op.peer))
		return -1;
	if (message)
		op.tag = tag_of(c, TAG);
	if (message && !receives && op.tag == TAG_ANY)
		return wrong(d, "no tag in", c->name);
	if (has & FIELD_REQUEST && c->requests.n)
		op.request = c->requests.v[0];
	if (!strcmp(c->name, "MPI_Sendrecv"))
		return add_sendrecv(d, op);
	add(d, op);
	return 0;
}

/* Parses a line such as "MPI_Send entering at walltime 1.5, ...". */
static int parse_line(struct dumpi *d, char *line)
{
	struct call *c = &d->call;
	char *enter = strstr(line, " entering at walltime ");
	char *leave = strstr(line, " returning at walltime ");
	double t;

	if (!enter && !leave)
		return c->name[0] ? parse_argument(d, line) : 0;
	char *at = enter ? enter : leave, *digits = strstr(at, "walltime ") + 9;
	digits[strcspn(digits, ", ")] = '\0';
	*at = '\0';
	if (!number_parse_double(digits, &t))
		return wrong(d, "not a time", digits);
	if (enter) {
		double gap = t - d->last;
		size_t requests = c->requests.cap;
		uint32_t *v = c->requests.v;

		*c = (struct call){ .requests = { v, 0, requests } };
		snprintf(c->name, sizeof(c->name), "%s", line);
		if (gap > 0 && gap < 1e6)
			add(d, (struct op){ .kind = OP_COMPUTE,
					    .amount = (uint64_t)(gap * 1e9 + 0.5) * 1000 });
		return 0;
	}
	d->last = t;
	if (strcmp(c->name, line))
		return wrong(d, "returns, but was not entered", line);
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		if (!strcmp(calls[i].name, c->name) && add_call(d, calls[i].kind))
			return -1;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		*d->left_out += !strcmp(others[i], c->name);
	c->name[0] = '\0';
	return d->w->code[d->rank].n > LONGEST ? wrong(d, "too long at", line) : 0;
}

int workload_add_dumpi(struct workload *w, uint32_t rank, char *text, const char *path,
		       uint64_t *left_out, struct error *e)
{
	struct dumpi d = {
		.path = path, .w = w, .rank = rank, .last = NAN, .left_out = left_out, .error = e
	};
	char *next = text;
	int status = 0;

	while (!status && next) {
		char *line = strsep(&next, "\n");

		d.line++;
		status = parse_line(&d, line);
	}
	free(d.call.requests.v);
	return status;
}

struct workload *workload_read_dumpi(const char *const *paths, size_t n, uint64_t *left_out,
				     struct error *e)
{
	struct workload *w = workload_new("dumpi", (uint32_t)n);
	int status = 0;

	*left_out = 0;
	for (size_t i = 0; i < n && !status; i++) {
		size_t length;
		char *text = file_read(paths[i], (size_t)4 << 30, &length, e);

		status =
		    text ? workload_add_dumpi(w, (uint32_t)i, text, paths[i], left_out, e) : -1;
		if (!status && !w->code[i].n)
			status = error_set(e, "%s: no call that dumpi2ascii prints", paths[i]);
		free(text);
	}
	if (!status && !workload_check(w, e))
		return w;
	workload_free(w);
	return NULL;
}
