/* SPDX-License-Identifier: MIT */
/*
 * Writes a run as a trace with marks (ktr(5)), for critpath.
 *
 * Each rank is a process.  Each message in flight is a thread: a lane, a thread of the network,
 * takes it from its sender, waits for its receiver if that has to be ready first, carries it, and
 * puts it into the queue of the receiver, and of the sender if that waited for the arrival.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "network/keyheap.h"
#include "network/timeline.h"
#include "trace/format/ktr/ktr.h"
#include "trace/os.h"
#include "util/map.h"
#include "util/vec.h"

/* The order of what happens at one time: arrivals are taken, then ranks continue, then messages
 * leave. */
enum phase { ARRIVES, TAKEN, GOES_ON, LEAVES };

struct step {
	int64_t time;
	enum phase phase;
	uint32_t thread; /* ranks, followed by lanes */
	unsigned verb;	 /* enum mark_verb; 0: the thread ends */
	size_t name;	 /* in names */
	uint64_t amount; /* units of a queue */
	size_t number;	 /* orders steps with the same time and phase */
};

/* A message that a rank sends or that arrives at it. */
struct instant {
	uint32_t rank;
	int64_t time;
	size_t message;
};
struct instants {
	struct instant *v;
	size_t n, cap;
};

struct writer {
	const struct timeline *t;
	const struct topology *topology;
	uint32_t ranks, lanes;
	struct names names;
	VEC(struct step) steps;
	struct instants sent;	  /* and posted receives that messages waited for */
	struct instants arrived;  /* by receiver */
	struct instants returned; /* by sender */
	bool *awaited;		  /* by message: its sender waits until it has arrived */
};

static int64_t ns(double seconds)
{
	return llround(seconds * 1e9);
}

static void add(struct writer *w, int64_t time, enum phase phase, uint32_t thread, unsigned verb,
		const char *name, uint64_t amount)
{
	struct step s = {
		time, phase, thread, verb, names_add(&w->names, name), amount, w->steps.n
	};

	vec_push(&w->steps, s);
}

static const char *queue_of(const char *kind, uint32_t number)
{
	static char name[48];

	snprintf(name, sizeof(name), "%s %" PRIu32, kind, number);
	return name;
}

static int by_step(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	if (x->phase != y->phase)
		return x->phase < y->phase ? -1 : 1;
	return (x->number > y->number) - (x->number < y->number);
}

static int by_rank(const void *a, const void *b)
{
	const struct instant *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return (x->message > y->message) - (x->message < y->message);
}

static int by_rank_and_begin(const void *a, const void *b)
{
	const struct timeline_state *x = a, *y = b;

	if (x->rank != y->rank)
		return x->rank < y->rank ? -1 : 1;
	return (x->from > y->from) - (x->from < y->from);
}

static void add_instant(struct instants *d, uint32_t rank, double seconds, size_t message)
{
	struct instant one = { rank, ns(seconds), message };

	vec_push(d, one);
}

static void sort(struct instants *d)
{
	vec_sort(d, by_rank);
}

/* Returns the first instant of the rank after that time, or else of the next rank. */
static size_t first_after(const struct instants *d, uint32_t rank, int64_t time)
{
	const struct instant *v = d->v;
	size_t i;

	vec_search(i, d->n, v[i].rank > rank || (v[i].rank == rank && v[i].time > time));
	return i;
}

/* Writes what ended a wait of the rank at that time: it takes all messages that arrived since
 * *taken. */
static void end_wait(struct writer *w, uint32_t rank, int64_t time, size_t *taken, bool waited)
{
	size_t until = first_after(&w->arrived, rank, time), own;
	uint64_t n = until - *taken;

	if (waited && (!n || w->arrived.v[until - 1].time < time)) {
		own = first_after(&w->returned, rank, time);
		if (own && w->returned.v[own - 1].rank == rank &&
		    w->returned.v[own - 1].time == time) {
			w->awaited[w->returned.v[own - 1].message] = true;
			n++;
		}
	}
	*taken = until;
	if (n)
		add(w, time, TAKEN, rank, MARK_DEQUEUE, queue_of("rank", rank), n);
	else if (waited)
		add(w, time, TAKEN, rank, MARK_STATE, "unknown", 0);
}

/* Writes a wait, split where the rank sent or posted something in the meantime. */
static void add_wait(struct writer *w, const struct timeline_state *s, size_t *taken)
{
	int64_t from = ns(s->from), to = ns(s->to);

	while (from < to) {
		size_t next = first_after(&w->sent, s->rank, from);
		bool cut = next < w->sent.n && w->sent.v[next].rank == s->rank &&
			   w->sent.v[next].time < to;
		int64_t until = cut ? w->sent.v[next].time : to;

		/* after the messages that it sends at that time */
		add(w, from, LEAVES, s->rank, MARK_WAIT_EMPTY, queue_of("rank", s->rank), 0);
		end_wait(w, s->rank, until, taken, true);
		from = until;
	}
}

static bool is_wait(const struct timeline_state *s)
{
	return s->state != RANK_COMPUTE && s->state != RANK_OVERHEAD;
}

/* Writes the states of all ranks; adjacent waits become one. */
static void add_ranks(struct writer *w, struct timeline_state *v, size_t n)
{
	size_t taken = 0;

	for (size_t i = 0; i < n; i++) {
		struct timeline_state s = v[i];

		if (!i || v[i - 1].rank != s.rank)
			taken = first_after(&w->arrived, s.rank, -1);
		if (!is_wait(&s)) {
			add(w, ns(s.from), GOES_ON, s.rank, MARK_STATE, rank_state_names[s.state],
			    0);
			end_wait(w, s.rank, ns(s.to), &taken, false);
			continue;
		}
		while (i + 1 < n && v[i + 1].rank == s.rank && is_wait(&v[i + 1]))
			s.to = v[++i].to;
		add_wait(w, &s, &taken);
	}
}

/* Writes what a lane does to carry a message. */
static void add_message(struct writer *w, size_t message, uint32_t lane, int64_t since)
{
	const struct message_record *m = &w->t->messages.v[message];
	uint32_t thread = w->ranks + lane;
	int64_t sent = ns(m->sent), ready = ns(m->ready), started = ns(m->started);
	int64_t arrived = ns(m->arrived), alone = ns(m->started + m->quiet);
	char link[2 * TOPOLOGY_NAME], state[2 * TOPOLOGY_NAME + 16] = "contention";

	if (since < sent)
		add(w, since, LEAVES, thread, MARK_WAIT_EMPTY, queue_of("lane", lane), 0);
	add(w, sent, GOES_ON, m->src, MARK_ENQUEUE, queue_of("lane", lane), 1);
	add(w, sent, LEAVES, thread, MARK_DEQUEUE, queue_of("lane", lane), 1);
	if (ready > sent) {
		add(w, sent, LEAVES, thread, MARK_WAIT_EMPTY, queue_of("receive", lane), 0);
		add(w, ready, GOES_ON, m->dst, MARK_ENQUEUE, queue_of("receive", lane), 1);
		add(w, ready, LEAVES, thread, MARK_DEQUEUE, queue_of("receive", lane), 1);
	}
	if (started > ready)
		add(w, ready, LEAVES, thread, MARK_STATE, "behind", 0);
	add(w, started, LEAVES, thread, MARK_STATE, rank_state_names[RANK_WIRE], 0);
	if (arrived > alone) {
		if (m->bottleneck != UINT32_MAX)
			snprintf(state, sizeof(state), "contention %s",
				 topology_link_name(w->topology, m->bottleneck, link));
		add(w, alone, LEAVES, thread, MARK_STATE, state, 0);
	}
	add(w, arrived, ARRIVES, thread, MARK_ENQUEUE, queue_of("rank", m->dst), 1);
	if (w->awaited[message])
		add(w, arrived, ARRIVES, thread, MARK_ENQUEUE, queue_of("rank", m->src), 1);
}

/* Writes all messages in the order of sending, each on the lane that becomes free first. */
static void add_messages(struct writer *w)
{
	struct keyheap lanes = { 0 };

	for (size_t i = 0; i < w->t->messages.n; i++) {
		const struct message_record *m = &w->t->messages.v[i];
		double since = lanes.n ? keyheap_key(&lanes) : INFINITY;
		bool idle = since <= m->sent;
		uint32_t lane = idle ? keyheap_pop(&lanes) : w->lanes++;

		add_message(w, i, lane, idle ? ns(since) : 0);
		keyheap_push(&lanes, m->arrived, lane);
	}
	keyheap_free(&lanes);
}

static int write_steps(struct writer *w, struct ktr_writer *out, struct error *e)
{
	uint32_t network = w->ranks + 1;
	struct event lanes = {
		.type = EVENT_COMM, .pid = network, .tid = network, .comm.name = "network"
	};
	int status = ktr_write(out, &lanes, e);

	for (uint32_t rank = 1; rank <= w->ranks && !status; rank++) {
		struct event process = {
			.type = EVENT_COMM, .pid = rank, .tid = rank, .comm.name = "ranks"
		};

		status = ktr_write(out, &process, e);
	}

	for (size_t i = 0; i < w->steps.n && !status; i++) {
		const struct step *s = &w->steps.v[i];
		struct event event = { .type = s->verb ? EVENT_MARK : EVENT_EXIT,
				       .pid = s->thread < w->ranks ? s->thread + 1 : network,
				       .tid = s->thread + 1,
				       .time = s->time };

		if (s->verb) {
			event.mark.verb = s->verb;
			event.mark.name = w->names.v[s->name];
			event.mark.amount = s->amount;
		}
		status = ktr_write(out, &event, e);
	}
	return status ? -1 : 0;
}

static void collect_instants(struct writer *w)
{
	for (size_t i = 0; i < w->t->messages.n; i++) {
		const struct message_record *m = &w->t->messages.v[i];

		add_instant(&w->sent, m->src, m->sent, i);
		if (ns(m->ready) > ns(m->sent))
			add_instant(&w->sent, m->dst, m->ready, i);
		add_instant(&w->arrived, m->dst, m->arrived, i);
		add_instant(&w->returned, m->src, m->arrived, i);
	}
	sort(&w->sent);
	sort(&w->arrived);
	sort(&w->returned);
}

int timeline_ktr(struct timeline *t, const struct topology *topology, const struct engine_result *r,
		 int fd, struct error *e)
{
	struct writer w = { .t = t, .topology = topology, .ranks = r->ranks };
	struct source_info info = {
		.recorder = "ccmod", .os = &os_linux, .has_time = true, .has_duration = true
	};
	int status;

	timeline_sort_messages(t);
	vec_sort(&t->states, by_rank_and_begin);
	w.awaited = xcalloc(t->messages.n, sizeof(*w.awaited));
	collect_instants(&w);
	add_ranks(&w, t->states.v, t->states.n);
	add_messages(&w);
	for (uint32_t rank = 0; rank < r->ranks; rank++)
		add(&w, ns(r->rank[rank].finish), LEAVES, rank, 0, "", 0);
	vec_sort(&w.steps, by_step);
	struct ktr_writer *out = ktr_writer_new(fd, &info, NULL);
	status = write_steps(&w, out, e);
	if (ktr_writer_free(out, status ? NULL : e))
		status = -1;
	free(w.awaited);
	free(w.steps.v);
	free(w.sent.v);
	free(w.arrived.v);
	free(w.returned.v);
	names_free(&w.names);
	return status;
}
