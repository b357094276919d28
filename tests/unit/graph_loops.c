/* SPDX-License-Identifier: MIT */
/* Loops that limit a run: random small marked graphs, and pipelines with known answers. */
#include "graph/loops.h"

#include <math.h>

#include "graph/cycleratio.h"
#include "graph/simulate.h"

#include "../random.h"
#include "../tap.h"
#include "graph_walked.h"

/* ---- the maximum cycle ratio, by trying every cycle ---- */

enum { NODES = 6, EDGES = 14 };

static struct {
	struct cycle_edge edge[EDGES];
	int n;
	double best;
} brute;

/* Goes on from a node, back to the first one, over nodes beyond that which were not seen. */
static void try_from(uint32_t first, uint32_t at, unsigned seen, double delay, double tokens)
{
	for (int i = 0; i < brute.n; i++) {
		const struct cycle_edge *e = &brute.edge[i];
		double d = delay + e->delay, t = tokens + e->tokens;

		if (e->from != at || e->to < first || seen >> e->to & 1)
			continue;
		if (e->to != first)
			try_from(first, e->to, seen | 1u << e->to, d, t);
		else if (d > 0)
			brute.best = fmax(brute.best, t > 0 ? d / t : INFINITY);
	}
}

/* Its edges follow each other and have that ratio. */
static bool is_cycle(const uint32_t *cycle, size_t length, double ratio)
{
	double delay = 0, tokens = 0;

	for (size_t i = 0; i < length; i++) {
		const struct cycle_edge *e = &brute.edge[cycle[i]];

		if (e->to != brute.edge[cycle[(i + 1) % length]].from)
			return false;
		delay += e->delay;
		tokens += e->tokens;
	}
	return ratio == 0 ? length == 0 : isinf(ratio) ? tokens <= 0 : delay / tokens == ratio;
}

static void test_random(void)
{
	enum { GRAPHS = 3000 };
	int right = 0, cycles = 0, finite = 0;

	for (int n = 0; n < GRAPHS; n++) {
		uint32_t cycle[EDGES], slip[NODES];
		size_t length;

		/* Moving a token from all ways into a node to all ways out of it changes no cycle,
		 * but leaves edges with fewer than none. */
		for (int i = 0; i < NODES; i++)
			slip[i] = below(4);
		brute.n = 1 + (int)below(EDGES);
		for (int i = 0; i < brute.n; i++) {
			struct cycle_edge *e = &brute.edge[i];

			*e = (struct cycle_edge){ below(NODES), below(NODES), below(9), 0 };
			e->tokens = (double)(below(6) ? 1 + below(3) : 0) + slip[e->to] -
				    (double)slip[e->from];
		}
		brute.best = 0;
		for (uint32_t i = 0; i < NODES; i++)
			try_from(i, i, 0, 0, 0);
		double ratio = cycle_ratio(NODES, brute.edge, (size_t)brute.n, cycle, &length);
		right += ratio == brute.best;
		cycles += is_cycle(cycle, length, ratio);
		finite += ratio > 0 && isfinite(ratio);
	}
	cmp_int(right, GRAPHS, "the largest ratio is that of all cycles of random graphs");
	cmp_int(cycles, GRAPHS, "and the cycle that has it is given");
	ok(finite > GRAPHS / 4 && finite < GRAPHS, "of all kinds: %d have a ratio", finite);
}

/* ---- pipelines ---- */

enum { UNITS = 400 };

/*
 * One puts units into a queue, working `make` for each; they are `way` under way to another one,
 * who takes `use` for each after it took it.  That there is room is known `way` later.
 */
static void make_pipeline(uint64_t room, int64_t make, int64_t way, int64_t use)
{
	uint64_t got[UNITS];
	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	uint32_t q = graph_queue(&graph, "q");
	const struct graph_thread *t = graph.threads.v;

	for (uint64_t i = 0; i < UNITS; i++) {
		graph_run(&graph, 0, t[0].at + make, states[0], 0, states[0]);
		if (i >= room) {
			int64_t known = tape_read(&graph.tape, got[i - room] - 1)->end + way;

			if (known > t[0].at) {
				uint64_t wait = graph_wait(&graph, 0, known, states[3],
							   got[i - room], PIECE_FULL);
				tape_at(&graph.tape, wait - 1)->queue = q;
			}
		}
		uint64_t put = graph_put(&graph, 0, t[0].at, states[0], q, 1, 0);
		if (t[0].at + way > t[1].at)
			graph_wait(&graph, two, t[0].at + way, states[3], put, 0);
		got[i] = graph_get(&graph, two, t[1].at, states[1], q, 1);
		graph_run(&graph, two, t[1].at + use, states[1], 0, states[1]);
	}
}

/* A pipeline with other room takes as long as one that is made with that room.  Its reader waits
 * for each unit, so that the way of each one is known. */
static void test_room(void)
{
	static const uint64_t rooms[] = { 8, 3, 9, 16 };
	enum { ROOMS = sizeof(rooms) / sizeof(*rooms) };
	double capacity[ROOMS], ns[ROOMS];
	struct hypothesis h[ROOMS];
	int64_t real[ROOMS];

	for (int i = ROOMS; i-- > 0;) {
		make_pipeline(rooms[i], 10, 100, 5);
		real[i] = graph.end;
		capacity[i] = (double)rooms[i];
		h[i] = (struct hypothesis){ .capacity = &capacity[i] };
	}
	graph.queues.v[0].way = 100;
	replay(&graph, h, ROOMS, ns);
	for (int i = 0; i < ROOMS; i++) {
		int64_t simulated = simulate(&graph, &h[i], 0).ns;

		/* In the recorded order there cannot be less room than was used. */
		if (rooms[i] >= rooms[0])
			cmp_near(ns[i], (double)real[i], 0, "room for %d", (int)rooms[i]);
		cmp_int(simulated, real[i], "room for %d, simulated", (int)rooms[i]);
	}
}

/* Where nobody waited for room, a faster first one is not held up by what was in the queue before.
 */
static void test_no_bound(void)
{
	enum { TAIL = 20000 };
	double scale[2 * STATES];

	make_pipeline(UNITS, 30, 0, 20);
	for (size_t i = 0; i < graph.states.n && i < 2 * STATES; i++)
		scale[i] = i != states[0];
	graph_run(&graph, 0, graph.threads.v[0].at + TAIL, states[2], 0, states[2]);
	cmp_int(simulate(&graph, &(struct hypothesis){ .scale = scale }, 0).ns, TAIL,
		"a queue in which nobody waited for room has no bound");
}

static void test_pipelines(void)
{
	struct loop v[4];

	/* Eight units in 100 there and 100 back: one in 25, beside 10 and 20 of work. */
	make_pipeline(8, 10, 100, 20);
	ok(is_path(), "a path goes through the queue");
	cmp_int((int64_t)loops(&graph, v, 4), 2, "a window that limits, and what is behind it");
	cmp_int(v[0].queue, 0, "the queue");
	cmp_near(v[0].units, 8, 0.02, "its room");
	cmp_near(v[0].lap, 200, 0.02, "there and back");
	cmp_near(v[0].bound, 25.0 * UNITS, 0.02, "so long it takes");
	cmp_near(v[0].bound, (double)graph.end, 0.03, "which is what it took");
	ok(v[0].laps > UNITS / 8 - 3 && v[0].laps <= UNITS / 8, "the path goes round: %llu",
	   (unsigned long long)v[0].laps);
	ok(v[1].queue == GRAPH_NOBODY, "then it is the work of the second");
	cmp_near(v[1].bound, 20.0 * UNITS, 0.01, "for each unit");
	make_pipeline(16, 10, 100, 20);
	cmp_near((double)graph.end, 20.0 * UNITS, 0.03, "twice the room gives that");
	cmp_int((int64_t)loops(&graph, v, 4), 1, "and then the size limits nothing");
	ok(v[0].queue == GRAPH_NOBODY, "but the work");
	cmp_int((int64_t)loops(&graph, v, 0), 0, "no more than asked for");
	/* The start of the run is no loop, and a slow first one waits for no room. */
	make_pipeline(2, 10, 0, 5);
	cmp_int((int64_t)loops(&graph, v, 4), 1, "only the work");
	cmp_near(v[0].bound, 10.0 * UNITS, 0.01, "of the first limits");
	/* Too few laps to make a loop of them. */
	make_pipeline(UNITS - 2, 10, 100, 20);
	cmp_int((int64_t)loops(&graph, v, 4), 1, "a few waits are no loop");
	make_pipeline(UNITS - 2, 10, 5000, 20);
	cmp_int((int64_t)loops(&graph, v, 4), 2, "but named if the path waits");
	ok(v[1].queue == 0 && isnan(v[1].bound), "without what they would limit");
	graph.queues.v[0].capacity = 1000;
	loops(&graph, v, 4);
	cmp_near(v[1].units, 1000, 0, "with the room that a mark told");
	graph_begin();
	cmp_int((int64_t)loops(&graph, v, 4), 0, "nothing goes round in a run without queues");
	graph_free(&graph);
	graph = (struct graph){ 0 };
	cmp_int((int64_t)loops(&graph, v, 4), 0, "nor in none");
}

/* A thread fills a queue whose reader is not in the trace: 10 of work, and 90 of waiting for room.
 */
static void test_unseen_reader(void)
{
	struct loop v[4];

	graph_begin();
	uint32_t queue = graph_queue(&graph, "pipe");
	for (int at = 0; at < 100 * UNITS; at += 100) {
		uint64_t wait = graph_delay(&graph, 0, at + 90, states[1], PIECE_FULL);
		tape_at(&graph.tape, wait - 1)->queue = queue;
		graph_run(&graph, 0, at + 100, states[0], at + 100, states[0]);
		graph_put(&graph, 0, at + 100, states[0], queue, 1, 0);
	}
	cmp_int((int64_t)loops(&graph, v, 4), 1, "a writer whose reader is unseen is a loop");
	cmp_near(v[0].bound, 10.0 * UNITS, 0.01, "of its own work, without waits for room");
}

/*
 * Two that answer each other, with 10 and 20 of work.  A few times the first one waits for room as
 * if there were none, much longer than a loop can take that goes round all the time.
 */
static void test_rare_loop(void)
{
	struct loop v[4];

	uint32_t two = graph_thread(&graph, 1, 2, 0, graph_begin());
	uint32_t other = (uint32_t)names_add(&graph.programs, "other");
	uint32_t there = graph_queue(&graph, "there"), back = graph_queue(&graph, "back");
	const struct graph_thread *t = graph.threads.v;
	graph.threads.v[two].program = other;
	for (uint64_t i = 0, got = 0; i < UNITS; i++) {
		graph_run(&graph, 0, t[0].at + 10, states[0], 0, states[0]);
		if (i && i % 40 == 0) {
			uint64_t wait =
			    graph_wait(&graph, 0, t[0].at + 500, states[3], got, PIECE_FULL);
			tape_at(&graph.tape, wait - 1)->queue = there;
		}
		uint64_t put = graph_put(&graph, 0, t[0].at, states[0], there, 1, 0);
		graph_wait(&graph, two, t[0].at, states[3], put, 0);
		got = graph_get(&graph, two, t[1].at, states[1], there, 1);
		graph_run(&graph, two, t[1].at + 20, states[1], 0, states[1]);
		put = graph_put(&graph, two, t[1].at, states[1], back, 1, 0);
		graph_wait(&graph, 0, t[1].at, states[3], put, 0);
		graph_get(&graph, 0, t[0].at, states[0], back, 1);
	}
	cmp_int((int64_t)loops(&graph, v, 4), 2, "two loops");
	ok(v[0].queue == GRAPH_NOBODY, "that through the queue that was full binds seldom");
	cmp_near(v[0].bound, 30.0 * UNITS, 0.01, "the other one always does");
	ok(v[0].from == other && v[0].to == other, "most of which is the work of the second");
	ok(v[1].queue == there && v[1].laps == 9, "the path waits a few times for room");
}

/* The thread waits until then for the room that `got` made, puts a unit and works until `done`. */
static void put_when_room(uint32_t t, uint32_t queue, uint64_t got, int64_t until, int64_t done)
{
	uint64_t wait = graph_wait(&graph, t, until, states[3], got, PIECE_FULL);

	tape_at(&graph.tape, wait - 1)->queue = queue;
	graph_put(&graph, t, until, states[0], queue, 1, 0);
	graph_run(&graph, t, done, states[0], 0, states[0]);
}

/* There is room for one unit each way: who has put one waits until it was taken, before it takes.
 */
static void test_two_rooms(void)
{
	struct loop v[4];

	uint32_t two = graph_thread(&graph, 1, 2, 0, graph_begin());
	uint32_t there = graph_queue(&graph, "there"), back = graph_queue(&graph, "back");
	graph_put(&graph, 0, 0, states[0], there, 1, 0);
	graph_put(&graph, two, 0, states[1], back, 1, 0);
	for (int64_t at = 0; at < 200 * UNITS; at += 200) {
		uint64_t got = graph_get(&graph, two, at, states[1], there, 1);
		put_when_room(0, there, got, at + 50, at + 100);
		got = graph_get(&graph, 0, at + 100, states[0], back, 1);
		put_when_room(two, back, got, at + 150, at + 200);
	}
	loops(&graph, v, 4);
	cmp_near(v[0].bound, 200.0 * UNITS, 0.01, "a loop through two full queues");
	cmp_int(v[0].queue, back, "is named for one of them");
}

int main(void)
{
	test_random();
	test_pipelines();
	test_room();
	test_unseen_reader();
	test_no_bound();
	test_rare_loop();
	test_two_rooms();
	graph_free(&graph);
	return done_testing();
}
