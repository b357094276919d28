/* SPDX-License-Identifier: MIT */
/*
 * Random small graphs, built through the interface and, beside it, as plain lists of edges, in
 * which a brute force tries every path.
 */
#include "graph/graph.h"

#include "graph/cycles.h"
#include "graph/near.h"
#include "graph/replay.h"
#include "graph/simulate.h"
#include "graph/slack.h"

#include "../tap.h"
#include "graph_walked.h"

/* UNIT: all times are multiples of it, and it is one of all numbers of threads. */
enum { WAY = STATES, NODES = 40, EDGES = 4 * NODES, THREADS = 4, UNIT = 12 };

/* ---- brute force ---- */

struct edge {
	int from, to;
	int64_t length;
	int state; /* that it is in; of the way to the end of a wait, WAY + that */
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

static struct {
	int node; /* where the thread is */
	uint64_t piece;
	int64_t time;
} at[THREADS];
static int64_t times[NODES];
static int node_of[4 * NODES]; /* by piece */

static int node(int64_t time)
{
	times[brute.nodes] = time;
	return brute.nodes++;
}

static void begin(void)
{
	brute.nodes = brute.edges = 0;
	at[0].node = node(0);
	at[0].time = 0;
	at[0].piece = graph_begin();
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
	edge(at[other].node, to, delay, WAY + state);
	at[t].piece = graph_wait(&graph, (uint32_t)t, woken, states[state], at[other].piece, 0);
	at[t].node = to;
	at[t].time = woken;
	node_of[at[t].piece - 1] = to;
}

/* t can run from where it is on, and takes the CPU that the other left `delay` later. */
static void take_cpu(int t, int other, int64_t delay, int state)
{
	int64_t begins = at[other].time + delay, own = begins - at[t].time;
	int to;

	if (own <= 0)
		return;
	to = node(begins);
	edge(at[t].node, to, own < delay ? own : delay, state);
	edge(at[other].node, to, delay, state);
	graph_block(&graph, (uint32_t)t, states[0]);
	graph_wake(&graph, (uint32_t)t, at[t].time, 0, 0);
	graph_resume(&graph, (uint32_t)t, begins, at[other].piece, states[state]);
	at[t].piece = graph.threads.v[t].last;
	at[t].node = to;
	at[t].time = begins;
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

static void make_random(bool shares_cpus)
{
	int threads = 1;

	begin();
	while (brute.nodes < NODES - 2) {
		int t = (int)below(threads), other = (int)below(threads);

		switch (below(shares_cpus ? 7 : 6)) {
		case 0:
			if (threads == THREADS)
				break;
			bear(t, threads++);
			break;
		case 1:
		case 2:
			if (t != other)
				wait_for(t, other, below(3) ? 0 : UNIT * below(20),
					 (int)below(STATES));
			break;
		case 6:
			if (t != other)
				take_cpu(t, other, UNIT * below(20), (int)below(STATES));
			break;
		default: run(t, UNIT * (1 + below(50)), (int)below(STATES));
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
			until[t] = at[t].time + UNIT * (1 + below(50));
	}
}

/* ---- queues ---- */

enum { QUEUES = 3, OPERATIONS = 24, UNITS = OPERATIONS };

static double rooms[QUEUES];

/* Of each queue: who puts and who takes, which nodes did, and how much room it has. */
static struct queue {
	int from, to, puts, gets, room;
	int put[UNITS], got[UNITS];
	uint64_t get[UNITS]; /* pieces */
} queues[QUEUES];

/* t waits from where it is until that node, if it is later, and `piece` is its cause. */
static void wait_in_queue(int t, int other, uint64_t piece, uint32_t q, uint8_t flags, int state)
{
	if (times[other] <= at[t].time)
		return;
	uint64_t wait = graph_wait(&graph, (uint32_t)t, times[other], states[state], piece, flags);
	tape_at(&graph.tape, wait - 1)->queue = q;
	at[t].time = times[other];
}

static void put(int i, int state)
{
	struct queue *q = &queues[i];
	int t = q->from, freed = q->puts - q->room, before = at[t].node;

	if (freed >= 0)
		wait_in_queue(t, q->got[freed], q->get[freed], (uint32_t)i, PIECE_FULL, state);
	at[t].node = node(at[t].time);
	edge(before, at[t].node, 0, 0);
	graph_put(&graph, (uint32_t)t, at[t].time, states[state], (uint32_t)i, 1, 0);
	q->put[q->puts++] = at[t].node;
}

static void get(int i, int state)
{
	struct queue *q = &queues[i];
	int t = q->to, before = at[t].node, by = q->put[q->gets];

	wait_in_queue(t, by, graph_supplier(&graph, (uint32_t)i, 1)->piece, (uint32_t)i,
		      PIECE_EMPTY, state);
	at[t].node = node(at[t].time);
	edge(before, at[t].node, 0, 0);
	edge(by, at[t].node, 0, 0);
	q->get[q->gets] = graph_get(&graph, (uint32_t)t, at[t].time, states[state], (uint32_t)i, 1);
	q->got[q->gets++] = at[t].node;
}

/* Threads that run, and put into queues that others take from, in an order in which the queues let
 * them. */
static void make_queues(void)
{
	begin();
	for (int t = 1; t < THREADS; t++)
		bear(0, t);
	for (int i = 0; i < QUEUES; i++) {
		int from = (int)below(THREADS), to = (from + 1 + (int)below(THREADS - 1)) % THREADS;

		queues[i] = (struct queue){ .from = from, .to = to, .room = 1 + (int)below(3) };
		graph_queue(&graph, "q");
		graph.queues.v[i].capacity = (uint64_t)queues[i].room;
		graph.queues.v[i].bounded = true;
	}
	while (brute.nodes < OPERATIONS) {
		int i = (int)below(QUEUES);
		struct queue *q = &queues[i];

		if (below(3) == 0)
			run((int)below(THREADS), 1 + below(50), (int)below(STATES));
		else if (below(2) && q->puts - q->gets < q->room)
			put(i, (int)below(STATES));
		else if (q->gets < q->puts)
			get(i, (int)below(STATES));
	}
}

/* The longest way to any node if the queues had so much room more. */
static double longest_with(const double *scale, int more)
{
	int edges = brute.edges;
	double most = 0;

	for (int i = 0; i < QUEUES; i++)
		for (int k = queues[i].room + more; k < queues[i].puts; k++)
			if (k - queues[i].room - more < queues[i].gets)
				edge(queues[i].got[k - queues[i].room - more], queues[i].put[k], 0,
				     0);
	for (int i = 0; i < brute.nodes; i++)
		most = fmax(most, longest(i, scale));
	brute.edges = edges;
	return most;
}

static void test_queues(void)
{
	enum { GRAPHS = 300, MORE = 3 };
	int paths = 0, frozen = 0, simulated = 0;

	for (int n = 0; n < GRAPHS; n++) {
		double scale[STATES] = { 1, 1, 1, 1 }, by_number[STATES + 1] = { 0 }, ns;
		bool all = true, each = true;

		make_queues();
		paths += is_path();
		for (int more = 0; more < MORE; more++) {
			struct hypothesis h = { .scale = by_number,
						.capacity = more ? rooms : NULL };

			for (int i = 0; i < QUEUES; i++)
				rooms[i] = queues[i].room + more;
			for (int i = 0; i < STATES; i++)
				by_number[states[i]] = scale[i];
			double want = longest_with(scale, more);
			replay(&graph, &h, 1, &ns);
			all &= ns == want;
			each &= simulate(&graph, &h, 0).ns == (int64_t)want;
			for (int i = 0; i < STATES; i++)
				scale[i] = (double)below(4);
		}
		frozen += all;
		simulated += each;
	}
	cmp_int(paths, GRAPHS, "global paths lead through queues");
	cmp_int(frozen, GRAPHS, "replays with more room in queues are those of the brute force");
	cmp_int(simulated, GRAPHS, "so are simulations");
}

/* ---- the global path ---- */

/* What the path spends in states, which is_path summed up, is as long as the longest chain. */
static bool is_longest(void)
{
	double scale[WAY + STATES] = { 1, 1, 1, 1, 1, 1, 1, 1 }, last = 0;
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

/* ---- the longest chains ---- */

enum { CHAINS = 20 };

static struct {
	double length[CHAINS]; /* of those from the first node to the end of a thread, in order */
	int64_t slack, sum;
	int n, right;
} chain;

static void try_chain(int node, double length)
{
	int i = CHAINS - 1;

	for (int e = 0; e < brute.edges; e++)
		if (brute.edge[e].to == node)
			try_chain(brute.edge[e].from, length + (double)brute.edge[e].length);
	if (node || length <= chain.length[i])
		return;
	for (; i > 0 && chain.length[i - 1] < length; i--)
		chain.length[i] = chain.length[i - 1];
	chain.length[i] = length;
}

static void begin_chain(void *arg, int64_t slack)
{
	(void)arg;
	chain.slack = slack;
	chain.sum = 0;
}

static void take_chain(void *arg, const struct path_step *s)
{
	(void)arg;
	chain.sum += s->to - s->from;
}

static void end_chain(void *arg)
{
	(void)arg;
	chain.right +=
	    (double)chain.sum == chain.length[chain.n] && chain.sum + chain.slack == graph.end;
	chain.n++;
}

/* Whether these are the longest ones, or all. */
static bool are_chains(int threads)
{
	int want = 0;

	memset(&chain, 0, sizeof(chain));
	for (int i = 0; i < CHAINS; i++)
		chain.length[i] = -1;
	for (int t = 0; t < threads; t++)
		try_chain(at[t].node, 0);
	while (want < CHAINS && chain.length[want] >= 0)
		want++;
	near_paths(&graph, CHAINS,
		   &(struct near_taker){ begin_chain, take_chain, end_chain, NULL });
	return chain.n == want && chain.right == want;
}

/* ---- cycles ---- */

/* By UNIT of time and thread: its category plus 1, and whether it ran. */
static struct {
	uint8_t category, runs;
} moments[NODES * 50 * 2][THREADS];

static void note_moments(void *arg, const struct category_span *s)
{
	(void)arg;
	for (int64_t i = s->from / UNIT; i < s->to / UNIT; i++) {
		moments[i][s->thread].category = (uint8_t)(s->category + 1);
		moments[i][s->thread].runs = s->runs;
	}
}

/* Adds a UNIT of each of the processors, shared by those threads that run, or that wait.  Returns
 * how many processors are left. */
static int share(int64_t moment, bool runs, int processors, int64_t *ns)
{
	int n = 0, used;

	for (int t = 0; t < THREADS; t++)
		n += moments[moment][t].category && moments[moment][t].runs == runs;
	used = n < processors ? n : processors;
	for (int t = 0; t < THREADS; t++)
		if (moments[moment][t].category && moments[moment][t].runs == runs)
			ns[moments[moment][t].category - 1] += UNIT * used / n;
	return processors - used;
}

/* Whether the time of each number of processors is spent as it is moment by moment. */
static bool are_cycles(void)
{
	bool all = true;

	memset(moments, 0, sizeof(moments));
	categories_each(&graph, 0, note_moments, NULL);
	for (int processors = 1; processors <= THREADS; processors++) {
		int64_t want[CYCLES] = { 0 }, got[CYCLES];

		for (int64_t i = 0; i < graph.end / UNIT; i++) {
			int left = share(i, false, share(i, true, processors, want), want);

			want[TOO_FEW_THREADS] += UNIT * left;
		}
		cycles(&graph, 0, (unsigned)processors, GRAPH_NOBODY, got);
		all &= !memcmp(got, want, sizeof(want));
	}
	return all;
}

static void test_random(void)
{
	enum { GRAPHS = 300 };
	int paths = 0, whole = 0, observed = 0, right = 0, anchored = 0, chains = 0, simulated = 0,
	    loose = 0, nearly = 0, cycled = 0;
	int anchored_paths = 0, wrong_nodes = 0;

	for (int n = 0; n < GRAPHS; n++) {
		double same[WAY + STATES] = { 1, 1, 1, 1, 1, 1, 1, 1 }, ns[REPLAY_LANES + 1];
		double scales[REPLAY_LANES + 1][WAY + STATES];
		struct hypothesis h[REPLAY_LANES + 1];
		/* By the graph's number of a state, which is that of the brute force plus one. */
		double by_number[REPLAY_LANES + 1][STATES + 1] = { { 0 } };
		double ways[REPLAY_LANES + 1][STATES + 1] = { { 0 } };

		bool shares_cpus = n % 2;
		make_random(shares_cpus);
		for (int i = 0; i < brute.nodes; i++)
			wrong_nodes += longest(i, same) != (double)times[i];
		paths += is_path();
		whole += is_longest();
		loose += is_slack();
		cycled += are_cycles();
		nearly += are_chains((int)graph.threads.n);
		for (int l = 0; l <= REPLAY_LANES; l++) {
			bool has_way = l % 2;
			h[l] = (struct hypothesis){ .scale = by_number[l],
						    .way = has_way ? ways[l] : NULL };
			for (int s = 0; s < STATES; s++) {
				scales[l][s] = l ? (double)below(9) / 4 : 1;
				scales[l][WAY + s] = has_way ? (double)below(9) / 4 : scales[l][s];
				by_number[l][states[s]] = scales[l][s];
				ways[l][states[s]] = scales[l][WAY + s];
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
			real &= h[l].way || length <= want;
		}
		right += all;
		chains += real;
		for (int l = 0; l < 4 && !shares_cpus; l++) {
			for (int i = 0; i < STATES; i++)
				scales[l][i] = scales[l][WAY + i] = by_number[l][states[i]] =
				    l ? (double)below(4) : 1;
			h[l].way = NULL;
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
	cmp_int(simulated, 4 * GRAPHS / 2,
		"so are simulations where nobody shares a queue or a CPU");
	cmp_int(loose, GRAPHS, "slacks are what the longest ways on leave");
	cmp_int(cycled, GRAPHS, "processors spend their time as they do moment by moment");
	cmp_int(nearly, GRAPHS, "the %d longest chains are those of the brute force", CHAINS);
	cmp_int(anchored_paths, GRAPHS, "global paths of graphs in order of time");
	cmp_int(anchored, GRAPHS, "anchored paths tile the interval");
}

int main(void)
{
	test_random();
	test_queues();
	graph_free(&graph);
	return done_testing();
}
