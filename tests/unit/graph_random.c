/* SPDX-License-Identifier: MIT */
/* Random small graphs against a brute force. */
#include "graph/graph.h"

#include "graph/cycles.h"
#include "graph/replay.h"
#include "graph/simulate.h"

#include "../tap.h"
#include "graph_brute.h"

/* All times are multiples of it, and it is one of all numbers of threads. */
enum { UNIT = 12 };

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
	graph_free(&graph);
	return done_testing();
}
