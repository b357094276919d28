/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "network/workload_formats.h"
#include "trace/connections.h"
#include "trace/source.h"
#include "util/vec.h"

/* Data that a thread wrote to a connection or read from it, or a wait. */
struct transfer_made {
	int64_t from, to;      /* ns; begin and end of the call */
	uint32_t rank, stream; /* stream: UINT32_MAX: a wait */
	uint64_t bytes;
	bool writes;
};

/* One direction of a connection: all data written to it and read from it, in order. */
struct stream {
	uint64_t written, taken; /* bytes of all transfers */
	uint64_t written_now,
	    taken_now; /* bytes of the transfers that are converted to operations already */
	struct ends {
		struct end {
			uint64_t offset;
			uint32_t rank;
		} * v;
		size_t n, cap, at;
	} writes, reads; /* offset of the end of each transfer, and its rank */
};

struct traces {
	struct names threads; /* ranks, named "trace tid" */
	VEC(struct transfer_made) transfers;
	VEC(struct stream) streams;
	struct connections connections;
};

static const char *const waits[] = { "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll",
				     "ppoll",	   "select",	  "pselect6",	  "accept",
				     "accept4",	   "connect" };

static bool is_wait(unsigned id)
{
	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++)
		if (syscall_same(id) == syscall_by_name(waits[i]))
			return true;
	return false;
}

static void take_call(struct traces *t, size_t trace, const struct event *e)
{
	enum transfer way = e->call.result > 0 ? transfer_of(e) : TRANSFER_NONE;
	bool writes = way == TRANSFER_WRITES, wait = is_wait(e->call.id);
	size_t direction = connections_from(&t->connections, e->call.object);
	char thread[48];
	struct transfer_made x = { .from = e->time, .to = event_end(e), .stream = UINT32_MAX };

	if (!wait && (direction == SIZE_MAX || (!writes && way != TRANSFER_READS)))
		return;
	snprintf(thread, sizeof(thread), "%zu %" PRIu32, trace, e->tid);
	if (wait && names_find(&t->threads, thread) == SIZE_MAX)
		return;
	x.rank = (uint32_t)names_add(&t->threads, thread);
	if (!wait) {
		x.writes = writes;
		x.bytes = (uint64_t)e->call.result;
		x.stream = (uint32_t)(writes ? direction : connections_back(direction));
		while (t->streams.n <= x.stream)
			vec_push(&t->streams, (struct stream){ 0 });
		struct stream *s = &t->streams.v[x.stream];
		uint64_t *sum = writes ? &s->written : &s->taken;
		struct end to = { *sum += x.bytes, x.rank };

		if (writes)
			vec_push(&s->writes, to);
		else
			vec_push(&s->reads, to);
	}
	vec_push(&t->transfers, x);
}

static int read_trace(struct traces *t, const char *path, size_t trace, struct error *e)
{
	struct source *s = source_open(path, e);
	struct event event;
	int status = -1;

	connections_begin(&t->connections);
	while (s && (status = source_next(s, &event, e)) == 1) {
		connections_event(&t->connections, &event);
		if (event.type == EVENT_SYSCALL && event.call.duration >= 0)
			take_call(t, trace, &event);
	}
	if (s && !source_info(s)->has_time)
		status = error_set(e, "%s: has no time stamps: record with -ttt -T", path);
	if (s && source_info(s)->aggregated)
		status =
		    error_set(e, "%s: was recorded with --aggregate, which keeps no order", path);
	source_close(s);
	return status;
}

/* Adds the messages of a transfer, split where transfers of the other side end.  Returns the bytes
 * that have no counterpart. */
static uint64_t add_transfer(struct traces *t, struct workload *w, const struct transfer_made *x)
{
	struct stream *s = &t->streams.v[x->stream];
	struct ends *others = x->writes ? &s->reads : &s->writes;
	uint64_t *now = x->writes ? &s->written_now : &s->taken_now;
	uint64_t end = *now + x->bytes;

	while (*now < end && others->at < others->n) {
		const struct end *other = &others->v[others->at];
		uint64_t until = other->offset < end ? other->offset : end;
		struct op op = { .kind = x->writes ? OP_SEND : OP_RECV,
				 .peer = other->rank,
				 .tag = x->stream,
				 .amount = x->writes ? until - *now : 0 };

		workload_add(w, x->rank, &op);
		*now = until;
		others->at += until == other->offset;
	}
	uint64_t lost = end - *now;
	*now = end;
	return lost;
}

static struct workload *make(struct traces *t, uint64_t *lost)
{
	struct workload *w = workload_new("trace", (uint32_t)t->threads.n);
	int64_t *last = xmalloc(t->threads.n * sizeof(*last));

	for (size_t i = 0; i < t->threads.n; i++)
		last[i] = -1;
	for (size_t i = 0; i < t->transfers.n; i++) {
		const struct transfer_made *x = &t->transfers.v[i];

		if (last[x->rank] >= 0 && x->from > last[x->rank])
			workload_add(
			    w, x->rank,
			    &(struct op){ .kind = OP_COMPUTE,
					  .amount = (uint64_t)(x->from - last[x->rank]) * 1000 });
		last[x->rank] = x->to;
		if (x->stream != UINT32_MAX)
			*lost += add_transfer(t, w, x);
	}
	free(last);
	return w;
}

struct workload *workload_read_traces(const char *const *paths, size_t n, uint64_t *lost,
				      struct error *e)
{
	struct traces t = { 0 };
	struct workload *w = NULL;
	int status = 0;

	*lost = 0;
	for (size_t i = 0; i < n && !status; i++)
		status = read_trace(&t, paths[i], i, e);
	if (!status && (!t.threads.n || t.threads.n > WORKLOAD_RANKS))
		status =
		    error_set(e,
			      "%s: no connection whose two ends are known: record with ktranal "
			      "record, or strace -f -yy -ttt -T",
			      paths[0]);
	if (!status)
		w = make(&t, lost);
	if (w && workload_check(w, e)) {
		workload_free(w);
		w = NULL;
	}
	for (size_t i = 0; i < t.streams.n; i++) {
		free(t.streams.v[i].writes.v);
		free(t.streams.v[i].reads.v);
	}
	free(t.streams.v);
	free(t.transfers.v);
	names_free(&t.threads);
	connections_free(&t.connections);
	return w;
}
