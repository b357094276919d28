/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the graph that is derived from events: whatever they say, paths tile the time, a replay
 * without changes takes the observed one, and explanations of waits, charges, categories and
 * the time of processors add up.
 */
#include "graph/categories.h"
#include "graph/contention.h"
#include "graph/cycles.h"
#include "graph/derive.h"
#include "graph/explain.h"
#include "graph/loops.h"
#include "graph/near.h"
#include "graph/path.h"
#include "graph/replay.h"
#include "graph/requests.h"
#include "graph/simulate.h"
#include "graph/slack.h"
#include "trace/syscalls.h"

#include "fuzz.h"

enum { RECORD = 8 };

static void no_step(void *arg, const struct path_step *s)
{
	int64_t *at = arg;

	if (s->to != *at || s->from >= s->to)
		abort();
	*at = s->from;
}

static void check_slack(void *arg, const struct piece *p, int64_t ns)
{
	(void)arg;
	if (ns < 0 || p->start > p->end)
		abort();
}

/* Both accounts of a wait add up to it. */
static void check_wait(void *arg, const struct explanation *e)
{
	int64_t left = e->until - e->from, held = left;

	(void)arg;
	for (size_t i = 0; i < e->n; i++) {
		left -= e->items[i].ns;
		if (e->indirect[i] < 0 || (e->indirect[i] && e->indirect[i] > e->items[i].ns))
			abort();
	}
	for (size_t i = 0; i < e->nholders; i++)
		held -= e->holders[i].ns;
	if (left || held)
		abort();
}

static void check_charges(void *arg, const struct contention *c)
{
	int64_t left = c->until - c->from;

	(void)arg;
	for (size_t i = 0; i < c->n; i++) {
		left -= c->charges[i].ns;
		if (c->charges[i].ns <= 0)
			abort();
	}
	if (left)
		abort();
}

static void check_categories(struct graph *g)
{
	int64_t(*ns)[CATEGORIES] = xcalloc(g->threads.n + 1, sizeof(*ns));

	categories(g, 5, ns, NULL);
	for (size_t t = 0; t < g->threads.n; t++) {
		int64_t left = g->threads.v[t].at - g->threads.v[t].begin;

		for (int c = 0; c < CATEGORIES; c++) {
			left -= ns[t][c];
			if (ns[t][c] < 0)
				abort();
		}
		if (left)
			abort();
	}
	free(ns);
}

static void begin_chain(void *at, int64_t slack)
{
	if (slack < 0)
		abort();
	*(int64_t *)at = INT64_MAX;
}

/* Where a chain turns, it leaves out what it does not contain. */
static void check_step(void *arg, const struct path_step *s)
{
	int64_t *at = arg;

	if (s->to > *at || s->from >= s->to)
		abort();
	*at = s->from;
}

static void end_chain(void *at)
{
	(void)at;
}

/* Chains go back in time, loops are as many as there is room for, and the time of processors adds
 * up. */
static void check_whole(struct graph *g)
{
	enum { LOOPS = 4, PROCESSORS = 2 };
	struct loop v[LOOPS];
	int64_t at, cycle[CYCLES], left = PROCESSORS * (g->end - g->begin);

	near_paths(g, 5, &(struct near_taker){ begin_chain, check_step, end_chain, &at });
	if (loops(g, v, LOOPS) > LOOPS)
		abort();
	cycles(g, 5, PROCESSORS, GRAPH_NOBODY, cycle);
	for (int i = 0; i < CYCLES; i++) {
		left -= cycle[i];
		if (cycle[i] < 0)
			abort();
	}
	if (left)
		abort();
}

/* How far back a request is explained. */
static void *begin_request(void *arg, const struct request *r)
{
	int64_t *at = xmalloc(sizeof(*at));

	(void)arg;
	*at = r->until;
	return at;
}

static void end_request(void *arg, void *at, const struct request *r)
{
	(void)arg;
	if (*(int64_t *)at != r->from || r->others < 0 || r->others > r->until - r->from)
		abort();
	free(at);
}

/* An event of few threads, objects and times, so that they meet. */
static struct event event_of(const uint8_t *b)
{
	static const char *const calls[] = { "read",	 "write",  "futex",	"wait4",
					     "recvfrom", "sendto", "nanosleep", "fsync" };
	static const enum fd_kind kinds[] = { FD_UNKNOWN, FD_PIPE, FD_TCP, FD_FILE };
	static const char *const names[] = { "", "pipe:[1]", "tcp:[1->2]", "tcp:[2->1]" };
	static const enum event_type types[] = { EVENT_SYSCALL, EVENT_SYSCALL, EVENT_SYSCALL,
						 EVENT_SYSCALL, EVENT_SWITCH,  EVENT_WAKE,
						 EVENT_FORK,	EVENT_EXIT,    EVENT_FD,
						 EVENT_LOST,	EVENT_MARK,    EVENT_FAULT,
						 EVENT_BLOCK,	EVENT_URING };
	struct event e = { .type = types[b[0] % (sizeof(types) / sizeof(*types))],
			   .pid = 1 + b[1] % 4,
			   .tid = 1 + b[1] % 8,
			   .time = b[2] * 16 + b[3] };

	if (b[0] == 255)
		e.time = (int64_t)((uint64_t)b[2] << 56 | b[3]);
	switch (e.type) {
	case EVENT_SYSCALL:
		e.call.id = syscall_by_name(calls[b[4] % 8]);
		e.call.duration = b[5] == 255 ? -1 : b[5] * 4;
		e.call.flags = e.call.duration < 0 && b[6] & 1 ? CALL_UNFINISHED : 0;
		e.call.kind = b[7] == 255 ? FD_IOURING : kinds[b[6] % 4];
		e.call.object = b[6] / 4 % 5;
		e.call.args[1] = b[7] & 1;
		e.call.result = b[7] - 20;
		break;
	case EVENT_SWITCH:
		e.change.cpu = b[4] % 3;
		e.change.out = b[5] & 1;
		e.change.preempted = b[5] & 2;
		e.change.state = b[5] / 4 % STATES;
		e.change.next = 1 + b[6] % 8;
		break;
	case EVENT_WAKE:
		e.wake.target = 1 + b[4] % 8;
		e.wake.context = b[5] % WAKE_CONTEXTS;
		e.wake.from = b[6] % 3;
		break;
	case EVENT_FORK:
		e.fork.child_pid = 1 + b[4] % 4;
		e.fork.child_tid = 1 + b[4] % 8;
		break;
	case EVENT_BLOCK:
		e.block.complete = b[4] & 1;
		e.block.sector = b[5] % 4;
		e.block.cpu = b[6] % 3;
		break;
	case EVENT_URING:
		e.uring.complete = b[4] & 1;
		e.uring.opcode = 22 + b[4] / 2 % 2;
		e.uring.duration = b[5] * 4;
		e.uring.kind = kinds[b[6] % 4];
		e.uring.file = b[6] / 4 % 5;
		e.uring.result = b[7] - 20;
		break;
	case EVENT_EXIT: e.exit.last = b[4] & 1; break;
	case EVENT_FD:
		e.fd.object = b[4] % 5;
		e.fd.kind = kinds[b[5] % 4];
		e.fd.name = names[b[6] % 4];
		break;
	case EVENT_LOST:
		e.lost.count = b[4];
		e.lost.until = e.time + b[5];
		break;
	case EVENT_MARK:
		e.mark.verb = b[4] % 12;
		e.mark.name = names[b[5] % 4];
		e.mark.amount = b[6] == 255 ? UINT64_MAX : b[6] % 4;
		e.mark.tag = b[7] % 4;
		break;
	default: break;
	}
	return e;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	struct graph g = { 0 };
	struct derive d = { .graph = &g, .shortest = 20 };
	double ns = 0;

	derive_begin(&d, &(struct source_info){ .command = "x" });
	for (; n >= RECORD; data += RECORD, n -= RECORD) {
		struct event e = event_of(data);

		derive_event(&d, &e);
	}
	derive_end(&d);
	int64_t at = g.end, elapsed = g.end - g.begin;
	if (path_global(&g, g.last, g.begin, no_step, &at) != elapsed)
		abort();
	replay(&g, &(struct hypothesis){ 0 }, 1, &ns);
	if (ns != (double)elapsed)
		abort();
	double *capacity = xcalloc(g.queues.n + 1, sizeof(*capacity));
	for (size_t q = 0; q < g.queues.n; q++)
		capacity[q] = 1 + (double)(q * 7 % 40);
	uint32_t *workers = xcalloc(g.threads.n + 1, sizeof(*workers));
	for (size_t t = 0; t < g.threads.n; t++)
		workers[t] = (uint32_t)(t + n) % 4;
	const struct hypothesis small = { .capacity = capacity, .workers = workers };
	replay(&g, &small, 1, &ns);
	if (ns < 0)
		abort();
	struct simulation s = simulate(&g, &small, 1 + n % 2);
	if (s.ns < 0 && !s.forced)
		abort();
	free(capacity);
	free(workers);
	slack(&g, check_slack, NULL);
	explain(&g, check_wait, NULL);
	contention(&g, check_charges, NULL);
	check_categories(&g);
	if (g.tape.n % 8 == 0) /* of some inputs only: the time of a seed's mutants is limited */
		check_whole(&g);
	requests(&g, 0, &(struct request_taker){ begin_request, no_step, end_request, NULL });
	for (uint32_t t = 0; t < g.threads.n && t < 4; t++) {
		at = g.end;
		if (path_anchored(&g, t, g.begin, g.end, no_step, &at) != elapsed)
			abort();
	}
	derive_free(&d);
	graph_free(&g);
	return 0;
}

/* clang-format off */
static const uint8_t scheduler[] = {
	8, 0, 0, 0, 1, 1, 1, 0,		8, 0, 0, 0, 2, 1, 1, 0,		4, 0, 0, 0, 0, 0, 0, 0,
	6, 0, 1, 0, 1, 0, 0, 0,		4, 1, 2, 0, 1, 0, 0, 0,		4, 1, 3, 0, 1, 9, 0, 0,
	5, 0, 9, 0, 1, 1, 0, 0,		0, 0, 8, 0, 1, 8, 9, 84,	4, 1, 9, 8, 1, 0, 0, 0,
	0, 1, 2, 4, 0, 50, 5, 84,	4, 0, 11, 0, 0, 9, 1, 0,	4, 1, 12, 0, 0, 1, 1, 0,
	10, 1, 13, 0, 2, 0, 1, 0,	10, 0, 14, 0, 4, 0, 1, 0,	10, 0, 15, 0, 3, 0, 1, 0,
	7, 1, 16, 0, 1, 0, 0, 0,	9, 0, 16, 0, 1, 9, 0, 0,	4, 1, 17, 0, 0, 21, 0, 0,
};
static const uint8_t alone[] = {
	8, 0, 0, 0, 1, 1, 1, 0,		8, 0, 0, 0, 2, 1, 1, 0,		0, 0, 0, 0, 6, 0, 0, 0,
	6, 0, 1, 0, 1, 0, 0, 0,		0, 1, 2, 0, 0, 20, 5, 84,	0, 0, 4, 0, 1, 10, 9, 84,
	0, 0, 8, 0, 3, 90, 0, 22,	7, 1, 13, 0, 1, 0, 0, 0,	0, 0, 20, 0, 2, 9, 0, 1,
};
/* clang-format on */

static const struct fuzz_seed seeds[] = { { scheduler, sizeof(scheduler) },
					  { alone, sizeof(alone) } };

FUZZ_MAIN(seeds)
