/* SPDX-License-Identifier: MIT */
/*
 * Tests of the graph of who waited for whom.  Random small graphs are built through the interface
 * and, beside it, as plain lists of edges, in which a brute force tries every path.
 */
#include "graph/graph.h"

#include <string.h>

#include "graph/loops.h"
#include "graph/path.h"
#include "graph/replay.h"
#include "graph/simulate.h"
#include "graph/slack.h"

#include "../tap.h"

enum { NODES = 40, EDGES = 4 * NODES, STATES = 4, THREADS = 4 };

/* ---- brute force ---- */

struct edge {
	int from, to;
	int64_t length;
	int state; /* that it is in */
};

static struct {
	int nodes, edges;
	struct edge edge[EDGES];
} brute;

static uint64_t seed = 1;

static int64_t below(int64_t n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (int64_t)(seed % (uint64_t)n);
}

static void edge(int from, int to, int64_t length, int state)
{
	brute.edge[brute.edges++] = (struct edge){ from, to, length, state };
}

/* The longest way from node 0 to `node` when each state takes scale[] times as long. */
static double longest(int node, const double *scale)
{
	double best = node ? -1e300 : 0;

	for (int i = 0; i < brute.edges; i++)
		if (brute.edge[i].to == node)
			best = fmax(best,
				    longest(brute.edge[i].from, scale) +
					(double)brute.edge[i].length * scale[brute.edge[i].state]);
	return best;
}

/* ---- random graphs ---- */

static struct graph graph;
static struct {
	int node; /* where the thread is */
	uint64_t piece;
	int64_t time;
} at[THREADS];
static uint16_t states[STATES];
static int64_t times[NODES];
static int node_of[4 * NODES]; /* by piece */

static int node(int64_t time)
{
	times[brute.nodes] = time;
	return brute.nodes++;
}

static void begin(void)
{
	static const char *const words[STATES] = { "a", "b", "c", "d" };

	graph_free(&graph);
	graph = (struct graph){ 0 };
	brute.nodes = brute.edges = 0;
	node(0);
	graph_thread(&graph, 1, 1, 0, 0);
	for (int s = 0; s < STATES; s++)
		states[s] = graph_state(&graph, 0, (uint32_t)names_add(&graph.words, words[s]));
	at[0].node = 0;
	at[0].time = 0;
	at[0].piece = graph_run(&graph, 0, 0, states[0], 0, states[0]);
	node_of[0] = 0;
}

static void run(int t, int64_t length, int state)
{
	int to = node(at[t].time + length);

	edge(at[t].node, to, length, state);
	at[t].node = to;
	at[t].time += length;
	at[t].piece =
	    graph_run(&graph, (uint32_t)t, at[t].time, states[state], at[t].time, states[state]);
	node_of[at[t].piece - 1] = to;
}

/* t waits from where it is until the other, which has gone on, is there and `delay` later. */
static void wait_for(int t, int other, int64_t delay, int state)
{
	int64_t woken = at[other].time + delay;
	int to;

	if (woken <= at[t].time)
		return;
	to = node(woken);
	edge(at[t].node, to, 0, 0);
	edge(at[other].node, to, delay, state);
	at[t].piece = graph_wait(&graph, (uint32_t)t, woken, states[state], at[other].piece, 0);
	at[t].node = to;
	at[t].time = woken;
	node_of[at[t].piece - 1] = to;
}

/* A thread that is born where t is. */
static void bear(int t, int child)
{
	graph_thread(&graph, 1, 1 + (uint32_t)child, at[t].time, at[t].piece);
	at[child] = at[t];
	at[child].piece = graph.threads.v[child].last;
	node_of[at[child].piece - 1] = at[t].node;
}

static void make_random(void)
{
	int threads = 1;

	begin();
	while (brute.nodes < NODES - 2) {
		int t = (int)below(threads), other = (int)below(threads);

		switch (below(6)) {
		case 0:
			if (threads == THREADS)
				break;
			bear(t, threads++);
			break;
		case 1:
		case 2:
			if (t != other)
				wait_for(t, other, below(3) ? 0 : below(20), (int)below(STATES));
			break;
		default: run(t, 1 + below(50), (int)below(STATES));
		}
	}
}

/* The same with the pieces in order of their ends, as in a trace. */
static void make_ordered(void)
{
	int64_t until[THREADS] = { 0 };
	int waits_for[THREADS];
	int threads = 1;

	begin();
	memset(waits_for, -1, sizeof(waits_for));
	while (brute.nodes < NODES - 2 * THREADS) {
		int t = -1;

		for (int i = 0; i < threads; i++)
			if (waits_for[i] < 0 && (t < 0 || until[i] < until[t]))
				t = i;
		if (until[t] > at[t].time)
			run(t, until[t] - at[t].time, (int)below(STATES));
		for (int i = 0; i < threads; i++)
			if (waits_for[i] == t && below(2)) {
				wait_for(i, t, 0, (int)below(STATES));
				until[i] = at[i].time;
				waits_for[i] = -1;
			}
		if (threads < THREADS && !below(4)) {
			until[threads] = at[t].time;
			bear(t, threads++);
		}
		int other = (int)below(threads);
		if (other != t && waits_for[other] < 0 && below(2))
			waits_for[t] = other;
		else
			until[t] = at[t].time + 1 + below(50);
	}
}

/* ---- the global path ---- */

static struct {
	int64_t sum, at, unknown;
	int64_t by_state[STATES];
	bool gaps;
} walked;

static void take(void *arg, const struct path_step *s)
{
	(void)arg;
	walked.gaps |= s->to != walked.at || s->from >= s->to;
	walked.at = s->from;
	walked.sum += s->to - s->from;
	if (s->kind == STEP_UNKNOWN)
		walked.unknown += s->to - s->from;
	for (int i = 0; i < STATES; i++)
		if (s->kind != STEP_UNKNOWN && s->state == states[i])
			walked.by_state[i] += s->to - s->from;
}

static bool is_path(void)
{
	int64_t sum;

	memset(&walked, 0, sizeof(walked));
	walked.at = graph.end;
	sum = path_global(&graph, graph.last, 0, take, NULL);
	return sum == graph.end && walked.sum == sum && walked.at == 0 && !walked.gaps &&
	       !walked.unknown;
}

/* What the path spends in states, which is_path summed up, is as long as the longest chain. */
static bool is_longest(void)
{
	double scale[STATES] = { 1, 1, 1, 1 }, last = 0;
	int64_t sum = 0;

	for (int i = 0; i < STATES; i++)
		sum += walked.by_state[i];
	for (int i = 0; i < brute.nodes; i++)
		last = fmax(last, longest(i, scale));
	return (double)sum == last;
}

/* ---- slack ---- */

static struct {
	uint64_t number; /* of the piece before which it comes */
	int64_t least[NODES];
} slacks;

static void take_slack(void *arg, const struct piece *p, int64_t ns)
{
	int64_t *least = &slacks.least[node_of[--slacks.number]];

	(void)arg;
	(void)p;
	*least = ns < *least ? ns : *least;
}

/* The longest way on from a node. */
static int64_t tail(int from)
{
	int64_t best = 0;

	for (int i = 0; i < brute.edges; i++)
		if (brute.edge[i].from == from) {
			int64_t length = brute.edge[i].length + tail(brute.edge[i].to);

			best = length > best ? length : best;
		}
	return best;
}

static bool is_slack(void)
{
	bool all = true;

	slacks.number = graph.tape.n;
	for (int i = 0; i < NODES; i++)
		slacks.least[i] = INT64_MAX;
	slack(&graph, take_slack, NULL);
	for (int i = 0; i < brute.nodes; i++)
		all &= slacks.least[i] == graph.end - times[i] - tail(i);
	return all;
}

static void test_random(void)
{
	enum { GRAPHS = 300 };
	int paths = 0, whole = 0, observed = 0, right = 0, anchored = 0, chains = 0, simulated = 0,
	    loose = 0;
	int anchored_paths = 0, wrong_nodes = 0;

	for (int n = 0; n < GRAPHS; n++) {
		double same[STATES] = { 1, 1, 1, 1 }, ns[REPLAY_LANES + 1];
		double scales[REPLAY_LANES + 1][STATES];
		struct hypothesis h[REPLAY_LANES + 1];
		/* By the graph's number of a state, which is that of the brute force plus one. */
		double by_number[REPLAY_LANES + 1][STATES + 1] = { { 0 } };

		make_random();
		for (int i = 0; i < brute.nodes; i++)
			wrong_nodes += longest(i, same) != (double)times[i];
		paths += is_path();
		whole += is_longest();
		loose += is_slack();
		for (int l = 0; l <= REPLAY_LANES; l++) {
			h[l] = (struct hypothesis){ .scale = by_number[l] };
			for (int s = 0; s < STATES; s++) {
				scales[l][s] = l ? (double)below(9) / 4 : 1;
				by_number[l][states[s]] = scales[l][s];
			}
		}
		replay(&graph, h, REPLAY_LANES + 1, ns);
		observed += ns[0] == (double)graph.end;
		bool all = true, real = true;
		for (int l = 0; l <= REPLAY_LANES; l++) {
			double want = 0;

			for (int i = 0; i < brute.nodes; i++)
				want = fmax(want, longest(i, scales[l]));
			all &= ns[l] == want;
			double length = 0;
			for (int i = 0; i < STATES; i++)
				length += (double)walked.by_state[i] * scales[l][i];
			real &= length <= want;
		}
		right += all;
		chains += real;
		for (int l = 0; l < 4; l++) {
			for (int i = 0; i < STATES; i++)
				scales[l][i] = by_number[l][states[i]] = l ? (double)below(4) : 1;
			double want = 0;
			for (int i = 0; i < brute.nodes; i++)
				want = fmax(want, longest(i, scales[l]));
			simulated += simulate(&graph, &h[l], 0).ns == (int64_t)want;
		}
		make_ordered();
		anchored_paths += is_path();
		if (!graph.threads.v[0].at) {
			anchored++;
			continue;
		}
		int64_t from = below(graph.threads.v[0].at), until;
		until = from + below(graph.threads.v[0].at - from) + 1;
		memset(&walked, 0, sizeof(walked));
		walked.at = until;
		anchored += path_anchored(&graph, 0, from, until, take, NULL) == until - from &&
			    walked.at == from && !walked.gaps && !walked.unknown;
	}
	cmp_int(wrong_nodes, 0, "the brute force agrees with the times of the random graphs");
	cmp_int(paths, GRAPHS, "global paths tile the time from the first to the last event");
	cmp_int(whole, GRAPHS, "and are the longest ones");
	cmp_int(chains, GRAPHS,
		"and chains of edges: no change makes them longer than the longest");
	cmp_int(observed, GRAPHS, "replays of unchanged graphs give the observed time");
	cmp_int(right, GRAPHS, "replays of %d hypotheses are those of the brute force",
		REPLAY_LANES + 1);
	cmp_int(simulated, 4 * GRAPHS, "so are simulations where nobody shares a queue or a CPU");
	cmp_int(loose, GRAPHS, "slacks are what the longest ways on leave");
	cmp_int(anchored_paths, GRAPHS, "global paths of graphs in order of time");
	cmp_int(anchored, GRAPHS, "anchored paths tile the interval");
}

/* ---- worked examples ---- */

/* Thread 1 runs 10 in a, waits for thread 2 until 30, runs to 50 in b; 2 is born at 0, runs in c.
 */
static void make_wait(void)
{
	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, at[0].piece);
	graph_run(&graph, 0, 10, states[0], 10, states[0]);
	graph_block(&graph, 0, states[3]);
	uint64_t by = graph_run(&graph, two, 30, states[2], 30, states[2]);
	ok(graph_wake(&graph, 0, 30, by, 0), "a thread that waits is woken");
	ok(!graph_wake(&graph, 0, 31, by, 0), "but not twice");
	ok(graph_resume(&graph, 0, 30, 0, states[0]), "and has waited");
	graph_run(&graph, 0, 50, states[1], 50, states[1]);
}

static void test_definitions(void)
{
	make_wait();
	ok(is_path(), "a wait is explained");
	cmp_int(walked.by_state[2], 30,
		"globally all of the time before the wake-up is the waker's");
	memset(&walked, 0, sizeof(walked));
	walked.at = 50;
	cmp_int(path_anchored(&graph, 0, 0, 50, take, NULL), 50, "anchored: all of the interval");
	cmp_int(walked.by_state[0], 10, "the thread's own time before the wait");
	cmp_int(walked.by_state[2], 20, "the waker's during the wait");
	cmp_int(walked.by_state[1], 20, "the thread's own time behind it");
}

static void test_removed(void)
{
	bool removed[STATES + 1] = { false };
	struct hypothesis h = { .removed = removed };
	double ns;

	make_wait();
	removed[states[3]] = true;
	replay(&graph, &h, 1, &ns);
	cmp_near(ns, 30, 0, "nobody waits any more, but the other still runs for as long");
}

/* A queue of one place: 1 puts three units, 10 each, 2 takes 30 each to work at one. */
static void make_queue(void)
{
	uint64_t piece[3];

	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, at[0].piece);
	uint32_t q = graph_queue(&graph, "q", 0);
	graph_put(&graph, 0, 10, states[0], q, 1, 0);
	graph_wait(&graph, two, 10, states[3], graph.threads.v[0].last, PIECE_EMPTY);
	piece[0] = graph_get(&graph, two, 10, states[1], q, 1);
	graph_put(&graph, 0, 20, states[0], q, 1, 0);
	graph_run(&graph, 0, 30, states[0], 30, states[0]);
	graph_run(&graph, two, 40, states[1], 40, states[1]);
	piece[1] = graph_get(&graph, two, 40, states[1], q, 1);
	uint64_t wait = graph_wait(&graph, 0, 40, states[3], piece[1], PIECE_FULL);
	tape_at(&graph.tape, wait - 1)->queue = q;
	graph_put(&graph, 0, 40, states[0], q, 1, 0);
	graph_run(&graph, two, 70, states[1], 70, states[1]);
	piece[2] = graph_get(&graph, two, 70, states[1], q, 1);
	graph_run(&graph, two, 100, states[1], 100, states[1]);
	graph_run(&graph, 0, 90, states[2], 90, states[2]);
}

static void test_queue(void)
{
	static const double capacities[] = { NAN, 1, 2, INFINITY };
	double slow[STATES + 1] = { 1, 1, 1, 1, 1 };
	struct hypothesis h[8];
	double ns[8];

	make_queue();
	cmp_int(graph.faults.unmatched, 0, "each unit was put before it was taken");
	cmp_int(graph.queues.v[0].most, 1, "one unit at a time was in the queue");
	ok(is_path(), "a path goes through the queue");
	cmp_int(walked.by_state[1], 90, "which is the consumer's from the first unit on");
	for (int i = 0; i < 8; i++)
		h[i] = (struct hypothesis){ .capacity = &capacities[i % 4],
					    .scale = i < 4 ? NULL : slow };
	slow[states[2]] = 10;
	replay(&graph, h, 8, ns);
	cmp_near(ns[0], 100, 0, "as it is");
	cmp_near(ns[1], 100, 0, "with its one place");
	cmp_near(ns[2], 100, 0, "with two: the consumer is still the bottleneck");
	cmp_near(ns[4], 540, 0, "what the producer does last takes ten times as long");
	cmp_near(ns[5], 540, 0, "with one place it begins when the second unit was taken");
	cmp_near(ns[7], 530, 0, "with any number it need not wait for that");
	/* Less room than was used: nothing more can be said than that it takes as long at least. */
	static const double half = 0.5;
	replay(&graph, &(struct hypothesis){ .capacity = &half }, 1, ns);
	ok(ns[0] >= 100, "with less room than was used it is not faster");
	static const int64_t simulated[] = { 100, 100, 100, 100, 540, 540, 530, 530 };
	graph.queues.v[0].bounded = true;
	for (int i = 0; i < 8; i++)
		cmp_int(simulate(&graph, &h[i], 0).ns, simulated[i], "simulated: case %d", i);
	struct loop loop;
	loops(&graph, &loop);
	cmp_int(loop.laps, 0, "the path to the end of the consumer never waits for room");
	graph_run(&graph, 0, 200, states[2], 200, states[2]);
	loops(&graph, &loop);
	cmp_int(loop.laps, 1, "that to a later end of the producer does, once");
}

/* Two threads of 40 ms each, which took turns on one CPU. */
static void test_cpus(void)
{
	enum { MS = 1000000 };
	struct hypothesis h = { .scale = NULL };

	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, at[0].piece);
	for (int64_t i = 0; i < 8; i++) {
		uint32_t t = i % 2 ? two : 0;

		graph_block(&graph, t, states[3]);
		graph_wake(&graph, t, graph.threads.v[t].at, 0, 0);
		graph_resume(&graph, t, i * 10 * MS, 0, states[2]);
		graph_run(&graph, t, (i + 1) * 10 * MS, states[t], 0, states[t]);
	}
	graph_block(&graph, 0, states[3]);
	cmp_int(simulate(&graph, &h, 1).ns / MS, 80, "on one CPU as it was");
	int64_t ns = simulate(&graph, &h, 2).ns;
	ok(ns >= 40 * MS && ns < 41 * MS, "with another CPU half of that, and wake-ups");
	double ns_frozen;
	replay(&graph, &h, 1, &ns_frozen);
	cmp_near(ns_frozen, 80 * MS, 0, "which a frozen order cannot tell");
}

/* A consumer that wants more than is ever put. */
static void test_starved(void)
{
	begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, at[0].piece);
	uint32_t q = graph_queue(&graph, "q", 0);
	graph_put(&graph, 0, 10, states[0], q, 5, 0);
	uint64_t get = graph_get(&graph, two, 20, states[1], q, 5);
	tape_at(&graph.tape, get - 1)->amount = 6;
	struct simulation s = simulate(&graph, &(struct hypothesis){ 0 }, 1);
	cmp_int((int64_t)s.forced, 1, "a wait that nothing ends is cut short");
	ok(s.ns >= 20, "and it goes on");
}

/* ---- what is broken ---- */

static void test_broken(void)
{
	make_wait();
	uint64_t late = graph_run(&graph, 1, 80, states[2], 80, states[2]);
	graph_wait(&graph, 0, 60, states[3], late, 0);
	cmp_int(graph.faults.inverted, 1, "a cause behind its effect is left out");
	graph_delay(&graph, 0, 20, states[3], 0);
	cmp_int(graph.faults.moved, 1, "a time that goes back stands still");
	ok(is_path(), "and a path tiles the time all the same");
	graph_lost(&graph, 5, 8);
	graph_lost(&graph, 7, 10);
	graph_lost(&graph, 40, 45);
	cmp_int(graph.gaps.n, 2, "losses that overlap are one");
	cmp_int(graph_missing(&graph, 6, 42), 4 + 2, "events are missing in 6 ns of these");
	begin();
	graph_get(&graph, 0, 5, states[0], graph_queue(&graph, "q", 0), 7);
	cmp_int(graph.faults.unmatched, 7, "units that nobody put");
	/* A thread whose beginning nobody saw. */
	uint32_t two = graph_thread(&graph, 2, 2, 20, 0);
	graph_run(&graph, two, 30, states[0], 30, states[0]);
	memset(&walked, 0, sizeof(walked));
	cmp_int(path_global(&graph, graph.last, 0, take, NULL), 30, "what was before it counts");
	cmp_int(walked.unknown, 20, "as unknown");
	graph_free(&graph);
	graph = (struct graph){ 0 };
	cmp_int(path_global(&graph, 0, 0, take, NULL), 0, "an empty graph has no path");
	double ns = 1;
	replay(&graph, &(struct hypothesis){ 0 }, 1, &ns);
	cmp_near(ns, 0, 0, "and takes no time");
}

/* More pieces than fit into the memory that the tape is given. */
static void test_tape(void)
{
	enum { MANY = 300000 };
	uint64_t pieces[2] = { 0 };

	begin();
	graph.tape.most = 3;
	graph_thread(&graph, 1, 2, 0, at[0].piece);
	for (int64_t i = 1; i <= MANY; i++) {
		uint32_t t = i % 2;

		graph_wait(&graph, t, 10 * i, states[3], pieces[!t], 0);
		pieces[t] = graph_run(&graph, t, 10 * i + 10, states[t], 10 * i + 10, states[t]);
	}
	tape_at(&graph.tape, 5)->flags |= PIECE_GUESS;
	struct error e;
	ok(!tape_check(&graph.tape, &e), "a temporary file takes what does not fit");
	ok(is_path(), "the path is whole");
	cmp_int(walked.by_state[0] + walked.by_state[1], 10 * (int64_t)MANY, "all of its steps");
	double ns;
	replay(&graph, &(struct hypothesis){ 0 }, 1, &ns);
	cmp_near(ns, (double)graph.end, 0, "and so is the replay");
	size_t n;
	ok(tape_from(&graph.tape, 5, &n)->flags & PIECE_GUESS, "a change of an early piece stays");
	graph_free(&graph);
}

int main(void)
{
	test_definitions();
	test_removed();
	test_queue();
	test_cpus();
	test_starved();
	test_random();
	test_broken();
	test_tape();
	return done_testing();
}
