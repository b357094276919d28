/* SPDX-License-Identifier: MIT */
#include "network/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "network/engine_state.h"

enum { MESSAGES = 1 << 26 }; /* messages in flight at most */
#define BACKGROUND_OWNER UINT32_MAX

const char *const rank_state_names[RANK_STATES] = { "compute", "overhead", "wire", "contention",
						    "peer" };

void engine_account(struct engine *en, uint32_t rank, enum rank_state state, double to)
{
	struct process *p = &en->processes[rank];
	const struct observer *ob = en->o->observer;

	if (to <= p->since)
		return;
	en->r->rank[rank].seconds[state] += to - p->since;
	if (ob && ob->state)
		ob->state(ob->arg, rank, state, p->since, to);
	p->since = to;
}

void engine_busy(struct engine *en, uint32_t rank, enum rank_state state, double seconds)
{
	en->processes[rank].state = state;
	if (seconds > 0)
		keyheap_push(&en->events, en->now + seconds, rank);
	else
		vec_push(&en->ready, rank);
}

/* This message completes a request of the process.  If the process waited for it, its waiting time
 * is split into the causes of delay, and it continues. */
static void complete(struct engine *en, uint32_t rank, uint32_t request,
		     const struct message_record *m)
{
	struct process *p = &en->processes[rank];

	if (!process_complete(p, request))
		return;
	engine_account(en, rank, RANK_PEER, m->ready);
	engine_account(en, rank, RANK_CONTENTION, m->started);
	engine_account(en, rank, RANK_WIRE, fmin(m->started + m->quiet, en->now));
	engine_account(en, rank, RANK_CONTENTION, en->now);
	double debt = p->debt;
	p->debt = 0;
	engine_busy(en, rank, RANK_OVERHEAD, debt);
}

static void deliver(struct engine *en, uint32_t id)
{
	struct message *m = &en->messages.v[id];
	struct message_record record = m->record;
	const struct observer *ob = en->o->observer;
	struct engine_result *r = en->r;
	double delay = record.arrived - record.started;

	r->messages++;
	r->bytes += (double)record.bytes;
	r->delay += delay;
	r->quiet += record.quiet;
	r->lost += record.lost;
	if (r->messages == 1 ||
	    delay * r->worst.quiet > (r->worst.arrived - r->worst.started) * record.quiet)
		r->worst = record;
	if (ob && ob->message)
		ob->message(ob->arg, &record);
	struct process *p = &en->processes[record.dst];
	p->debt += overhead_seconds(&en->net->receive, (double)record.bytes);
	p->last = record.src;
	uint32_t request = m->receive_request;
	vec_push(&en->free_messages, id);
	complete(en, record.dst, request, &record);
}

/* Starts the transfer of a message. */
static void leave(struct engine *en, uint32_t id)
{
	struct message *m = &en->messages.v[id];
	size_t n = topology_route(&en->net->topology, network_host(en->net, m->record.src),
				  network_host(en->net, m->record.dst), en->sequence++, en->path);
	struct passage p = network_passage(en->net, (double)m->record.bytes, en->path, n);

	m->record.started = en->now;
	m->record.quiet = p.seconds;
	m->latency = p.latency;
	if (en->o->alone || n == 0) {
		keyheap_push(&en->events, en->now + p.seconds, en->w->ranks + id);
		return;
	}
	struct flow_demand demand = { p.rate, p.wire, p.wire };
	if (en->o->rule == SHARING_ARTICLE) {
		demand.rate = 1;
		demand.work = p.seconds;
		m->latency = 0;
	}
	sharing_start(en->sharing, en->now, en->path, n, &demand, id);
}

static uint64_t stream_key(const struct message *m)
{
	return (uint64_t)m->record.src << 32 | m->record.dst;
}

/* Makes a message ready to leave; it queues behind earlier messages between the same two ranks. */
static void start(struct engine *en, uint32_t id)
{
	struct message *m = &en->messages.v[id];

	m->started = true;
	m->record.ready = en->now;
	m->next = MATCH_NONE;
	if (!en->o->alone) {
		uint64_t *last = map_at(&en->streams, stream_key(m));
		uint64_t before = *last;

		*last = (uint64_t)id + 1;
		if (before) {
			en->messages.v[before - 1].next = id;
			return;
		}
	}
	leave(en, id);
}

/* Starts the next message between the same two ranks. */
static void leave_next(struct engine *en, uint32_t id)
{
	const struct message *m = &en->messages.v[id];

	if (m->next != MATCH_NONE)
		leave(en, m->next);
	else
		map_remove(&en->streams, stream_key(m));
}

static void arrive(struct engine *en, uint32_t id)
{
	struct message *m = &en->messages.v[id];
	uint32_t other, request;

	m->arrived = true;
	m->record.arrived = en->now;
	if (!m->passed && !en->o->alone)
		leave_next(en, id);
	if (!m->eager)
		complete(en, m->record.src, m->send_request, &m->record);
	if (m->matched) {
		deliver(en, id);
		return;
	}
	if (!matching_announce(en->matching, m->waiting, &other, &request))
		return;
	m = &en->messages.v[other];
	m->matched = true;
	m->receive_request = request;
	if (m->arrived)
		deliver(en, other);
}

/* The last byte of a message has left the links; it arrives after the latency. */
static void passed(struct engine *en, uint32_t id, const struct flow_account *account)
{
	struct message *m = &en->messages.v[id];

	m->record.lost = account->lost;
	m->record.bottleneck = account->bottleneck;
	m->passed = true;
	leave_next(en, id);
	if (m->latency > 0)
		keyheap_push(&en->events, en->now + m->latency, en->w->ranks + id);
	else
		arrive(en, id);
}

bool engine_send(struct engine *en, uint32_t rank, uint32_t dst, uint64_t bytes, uint32_t tag,
		 uint32_t request, bool synchronous)
{
	uint32_t id;

	if (en->free_messages.n)
		id = en->free_messages.v[--en->free_messages.n];
	else {
		id = (uint32_t)en->messages.n;
		vec_push(&en->messages, (struct message){ 0 });
	}
	if (id >= MESSAGES) {
		error_set(en->e,
			  "at %.6g s: %d messages are on their way at once: the last from "
			  "rank %u to %u",
			  en->now, MESSAGES, rank, dst);
		en->failed = true;
		return false;
	}
	struct message *m = &en->messages.v[id];
	*m = (struct message){ .record = { .src = rank,
					   .dst = dst,
					   .tag = tag,
					   .bytes = bytes,
					   .sent = en->now,
					   .bottleneck = UINT32_MAX },
			       .send_request = request,
			       .eager = !synchronous && (double)bytes <= en->net->eager };
	bool eager = m->eager;
	m->receive_request = matching_send(en->matching, dst, rank, tag, !eager, id, &m->waiting);
	m->matched = m->receive_request != MATCH_NONE;
	if (m->matched || eager)
		start(en, id);
	return eager;
}

void engine_receive(struct engine *en, uint32_t rank, uint32_t src, uint32_t tag, uint32_t request)
{
	uint32_t id = matching_receive(en->matching, rank, src, tag, request);

	if (id == MATCH_NONE)
		return;
	struct message *m = &en->messages.v[id];
	m->matched = true;
	m->receive_request = request;
	if (m->arrived)
		deliver(en, id);
	else if (!m->started)
		start(en, id);
}

/* In the article, messages share availability, whatever the speed of the link, which is in their
 * quiet delay. */
static double link_rate(const struct engine *en, uint32_t link)
{
	const struct link *l = &en->net->topology.links.v[link];

	return en->o->rule == SHARING_ARTICLE ? 1 : l->rate * l->speedup;
}

/* Sets the background load of every link. */
static void load_links(struct engine *en)
{
	const struct background *b = &en->o->background;

	for (uint32_t l = 0; l < en->net->topology.links.n; l++) {
		double share = b->kind == BACKGROUND_CONSTANT ? b->share : 0;

		if (b->kind == BACKGROUND_EXPONENTIAL)
			share = fmin(-log1p(-random_uniform(&en->random)) * b->share, 0.99);
		sharing_set_capacity(en->sharing, en->now, l, link_rate(en, l) * (1 - share));
	}
	en->next_background = INFINITY;
	if (b->kind == BACKGROUND_EXPONENTIAL) /* later, however long ago the start was */
		en->next_background = fmax(en->now + b->interval, nextafter(en->now, INFINITY));
}

/* Starts an endless flow from each host to another one. */
static void start_background_flows(struct engine *en)
{
	const struct topology *t = &en->net->topology;

	for (uint32_t h = 0; h < t->hosts; h++) {
		uint32_t to = (uint32_t)random_below(&en->random, t->hosts - 1);
		size_t n;
		double rate = INFINITY;

		to += to >= h;
		n = topology_route(t, h, to, en->sequence++, en->path);
		for (size_t i = 0; i < n; i++)
			rate = fmin(rate, link_rate(en, en->path[i]));
		struct flow_demand demand = { rate * en->o->background.share, INFINITY, 0 };
		sharing_start(en->sharing, 0, en->path, n, &demand, BACKGROUND_OWNER);
	}
}

static void begin(struct engine *en)
{
	const struct topology *t = &en->net->topology;
	double *rates = xmalloc(t->links.n * sizeof(*rates));

	en->processes = xcalloc(en->w->ranks, sizeof(*en->processes));
	en->path = xmalloc((t->longest + 1) * sizeof(*en->path));
	en->running = en->w->ranks;
	en->matching = matching_new(en->w->ranks);
	random_seed(&en->random, en->o->load_seed);
	for (uint32_t l = 0; l < t->links.n; l++)
		rates[l] = link_rate(en, l);
	en->sharing = sharing_new(en->o->rule, rates, t->links.n, t->longest);
	free(rates);
	if (en->o->observer && en->o->observer->load)
		sharing_watch(en->sharing, en->o->observer->load, en->o->observer->arg);
	load_links(en);
	if (en->o->background.kind == BACKGROUND_FLOWS)
		start_background_flows(en);
	for (uint32_t rank = en->w->ranks; rank-- > 0;) {
		cursor_start(&en->processes[rank].cursor, en->w, rank, en->o->seed);
		en->processes[rank].last = PEER_LAST;
		vec_push(&en->ready, rank);
	}
}

/* Processes everything that happens at the present time. */
static void do_events(struct engine *en)
{
	struct flow_account account;
	uint32_t owner;

	while (sharing_finish(en->sharing, en->now, &owner, &account))
		passed(en, owner, &account);
	while (en->events.n && keyheap_key(&en->events) <= en->now) {
		uint32_t id = keyheap_pop(&en->events);

		if (id < en->w->ranks)
			vec_push(&en->ready, id);
		else
			arrive(en, id - en->w->ranks);
	}
}

/* Advances from one event horizon to the next. */
static void loop(struct engine *en)
{
	while (!en->failed) {
		while (en->ready.n && !en->failed)
			engine_go_on(en, en->ready.v[--en->ready.n]);
		if (en->failed || !en->running)
			return;
		double flow = sharing_next(en->sharing);
		double event = en->events.n ? keyheap_key(&en->events) : INFINITY;
		double next = fmin(flow, event);

		if (en->o->check) {
			en->r->checks++;
			if (sharing_check(en->sharing, en->e))
				en->failed = true;
		}
		if (isinf(next))
			return;
		if (en->next_background < next) {
			/* Nothing depends on what is drawn while no flow is under way. */
			if (isinf(flow))
				en->next_background += floor((next - en->next_background) /
							     en->o->background.interval) *
						       en->o->background.interval;
			en->now = en->next_background;
			load_links(en);
			continue;
		}
		en->now = fmax(next, en->now);
		do_events(en);
	}
}

/* Keeps the message that was sent first of those that no receive took. */
static void note_stray(void *arg, uint32_t dst, uint32_t src, bool receives, uint32_t what)
{
	struct engine *en = arg;
	struct message_record *first = &en->r->stray;

	(void)dst;
	if (receives)
		return;
	const struct message_record *m = &en->messages.v[what].record;
	if (m->sent < first->sent || (m->sent == first->sent && src < first->src))
		*first = *m;
}

static void find_stray(struct engine *en)
{
	en->r->unreceived = matching_unreceived(en->matching);
	en->r->stray.sent = INFINITY;
	matching_each(en->matching, note_stray, en);
}

const char *message_name(const struct message_record *m, char out[MESSAGE_NAME])
{
	int n = snprintf(out, MESSAGE_NAME, "from rank %u to %u, %llu bytes", m->src, m->dst,
			 (unsigned long long)m->bytes);

	if (m->tag >= TAG_COLLECTIVE)
		snprintf(out + n, MESSAGE_NAME - (size_t)n, ", part of %s",
			 op_forms[m->tag - TAG_COLLECTIVE].word);
	else if (m->tag)
		snprintf(out + n, MESSAGE_NAME - (size_t)n, ", tag %u", m->tag);
	return out;
}

static void finish(struct engine *en)
{
	struct engine_result *r = en->r;

	for (uint32_t rank = 0; rank < r->ranks; rank++)
		if (r->rank[rank].finish > r->rank[r->slowest].finish)
			r->slowest = rank;
	r->seconds = r->rank[r->slowest].finish;
	memcpy(r->link, sharing_accounts(en->sharing, en->now), r->links * sizeof(*r->link));
	find_stray(en);
}

/* Notes the other rank of a waiting request as the one that blocks its process. */
static void note_blocker(void *arg, uint32_t dst, uint32_t src, bool receives, uint32_t what)
{
	struct engine *en = arg;
	struct process *p = &en->processes[receives ? dst : src];
	uint32_t request = receives ? what : en->messages.v[what].send_request;

	if (p->waiting == WAITING_ALL || (p->waiting == WAITING_REQUEST && p->awaited == request))
		p->blocker = receives ? src : dst;
}

/* Describes which ranks wait for which, and which message nobody took. */
static void report_deadlock(struct engine *en)
{
	struct error e;
	char name[MESSAGE_NAME];

	for (uint32_t rank = 0; rank < en->w->ranks; rank++)
		en->processes[rank].blocker = PEER_ANY;
	matching_each(en->matching, note_blocker, en);
	en->failed = true;
	process_deadlock(en->processes, en->w->ranks, en->now, &e);
	find_stray(en);
	if (en->r->unreceived)
		error_set(en->e, "%s; messages not received: %llu, the first %s", e.text,
			  (unsigned long long)en->r->unreceived, message_name(&en->r->stray, name));
	else
		error_set(en->e, "%s", e.text);
}

int engine_run(const struct network *net, const struct workload *w,
	       const struct engine_options *options, struct engine_result *r, struct error *e)
{
	struct engine en = { .net = net, .w = w, .o = options, .r = r, .e = e };

	*r = (struct engine_result){ .ranks = w->ranks, .links = net->topology.links.n };
	r->rank = xcalloc(w->ranks, sizeof(*r->rank));
	r->link = xcalloc(r->links, sizeof(*r->link));
	if (w->ranks > network_room(net))
		return error_set(e, "%u ranks do not fit: there is room for %llu, %u on a host",
				 w->ranks, (unsigned long long)network_room(net),
				 net->ranks_per_host);
	begin(&en);
	loop(&en);
	if (!en.failed && en.running)
		report_deadlock(&en);
	if (!en.failed)
		finish(&en);
	for (uint32_t rank = 0; rank < w->ranks; rank++)
		process_free(&en.processes[rank]);
	free(en.processes);
	free(en.ready.v);
	keyheap_free(&en.events);
	free(en.messages.v);
	free(en.free_messages.v);
	map_free(&en.streams);
	matching_free(en.matching);
	sharing_free(en.sharing);
	free(en.path);
	return en.failed ? -1 : 0;
}

void engine_result_free(struct engine_result *r)
{
	free(r->rank);
	free(r->link);
}
