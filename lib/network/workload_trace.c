/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "network/workload_formats.h"
#include "trace/source.h"
#include "util/map.h"
#include "util/vec.h"

/* Data that a thread wrote to a connection or read from it, or a wait. */
struct transfer {
	int64_t from, to;      /* ns: of the call */
	uint32_t rank, stream; /* stream: UINT32_MAX: a wait */
	uint64_t bytes;
	bool writes;
};

/* One direction of a connection: what is written into it, and read out of it, in order. */
struct stream {
	uint64_t written, taken;	 /* bytes, of all transfers */
	uint64_t written_now, taken_now; /* while operations are made */
	struct ends {
		struct end {
			uint64_t offset;
			uint32_t rank;
		} * v;
		size_t n, cap, at;
	} writes, reads; /* where each transfer ends, and whose it is */
};

struct traces {
	struct names threads; /* ranks: "trace tid" */
	struct names ends;    /* "local->remote" */
	VEC(struct transfer) transfers;
	VEC(struct stream) streams;
	struct map objects; /* of the trace at hand: to the number of its end, plus 1 */
};

static const char *const writers[] = { "write", "writev", "send", "sendto", "sendmsg", "sendfile" };
static const char *const readers[] = { "read", "readv", "recv", "recvfrom", "recvmsg" };
static const char *const waits[] = { "epoll_wait", "epoll_pwait", "epoll_pwait2", "poll",
				     "ppoll",	   "select",	  "pselect6",	  "accept",
				     "accept4",	   "connect" };

static bool is_one_of(unsigned id, const char *const *names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (syscall_same(id) == syscall_by_name(names[i]))
			return true;
	return false;
}
#define IS_ONE_OF(id, names) is_one_of(id, names, sizeof(names) / sizeof(*(names)))

/* "TCP:[a:1->b:2]": the number of the direction from here to there. */
static void learn_name(struct traces *t, uint32_t object, const char *name)
{
	const char *arrow = strstr(name, "->"), *open = strchr(name, '[');
	uint64_t *at = map_at(&t->objects, object);

	*at = 0;
	if (!arrow || !open || open > arrow || name[strlen(name) - 1] != ']')
		return;
	char *direction = xstrndup(open + 1, strlen(open) - 2);
	*at = names_add(&t->ends, direction) + 1;
	free(direction);
}

static void print_address(const struct address *a, char *out, size_t n)
{
	size_t at = 0;

	for (int i = 0; i < a->length && at < n; i++)
		at += (size_t)snprintf(out + at, n - at, "%02x", a->bytes[i]);
	if (at < n)
		snprintf(out + at, n - at, ":%u", a->port);
}

static void learn_address(struct traces *t, const struct event *e)
{
	char local[64], remote[64], name[140];

	if (!e->address.local.length || !e->address.remote.length)
		return;
	print_address(&e->address.local, local, sizeof(local));
	print_address(&e->address.remote, remote, sizeof(remote));
	snprintf(name, sizeof(name), "[%s->%s]", local, remote);
	learn_name(t, e->address.object, name);
}

/* The direction that data takes: as the writer's end names it. */
static uint32_t stream_of(struct traces *t, size_t end, bool writes)
{
	size_t stream = end;

	if (!writes) {
		const char *name = t->ends.v[end], *arrow = strstr(name, "->");
		char *back = xasprintf("%s->%.*s", arrow + 2, (int)(arrow - name), name);

		stream = names_add(&t->ends, back);
		free(back);
	}
	while (t->streams.n <= stream)
		vec_push(&t->streams, (struct stream){ 0 });
	return (uint32_t)stream;
}

static void take_call(struct traces *t, size_t trace, const struct event *e)
{
	bool writes = IS_ONE_OF(e->call.id, writers), reads = IS_ONE_OF(e->call.id, readers);
	bool wait = IS_ONE_OF(e->call.id, waits);
	uint64_t *end = map_find(&t->objects, e->call.object);
	char thread[48];
	struct transfer x = { .from = e->time, .to = event_end(e), .stream = UINT32_MAX };

	if (!wait &&
	    (!end || !*end || (!writes && !reads) || e->call.result <= 0 || event_failed(e)))
		return;
	snprintf(thread, sizeof(thread), "%zu %" PRIu32, trace, e->tid);
	if (wait && names_find(&t->threads, thread) == SIZE_MAX)
		return;
	x.rank = (uint32_t)names_add(&t->threads, thread);
	if (!wait) {
		x.writes = writes;
		x.bytes = (uint64_t)e->call.result;
		x.stream = stream_of(t, *end - 1, writes);
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

	map_free(&t->objects);
	while (s && (status = source_next(s, &event, e)) == 1) {
		if (event.type == EVENT_FD)
			learn_name(t, event.fd.object, event.fd.name);
		else if (event.type == EVENT_ADDRESS)
			learn_address(t, &event);
		else if (event.type == EVENT_SYSCALL && event.call.duration >= 0)
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

/* The pieces of a transfer, cut where the other side's end too; returns the bytes nobody took. */
static uint64_t say_transfer(struct traces *t, struct workload *w, const struct transfer *x)
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
		const struct transfer *x = &t->transfers.v[i];

		if (last[x->rank] >= 0 && x->from > last[x->rank])
			workload_add(
			    w, x->rank,
			    &(struct op){ .kind = OP_COMPUTE,
					  .amount = (uint64_t)(x->from - last[x->rank]) * 1000 });
		last[x->rank] = x->to;
		if (x->stream != UINT32_MAX)
			*lost += say_transfer(t, w, x);
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
		status = error_set(e,
				   "%s: no connection whose two ends are known: record with strace "
				   "-f -yy -ttt -T",
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
	names_free(&t.ends);
	map_free(&t.objects);
	return w;
}
