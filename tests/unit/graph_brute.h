/* SPDX-License-Identifier: MIT */
/* graph_brute.h - for tests of graphs: builds them through the interface and, beside it, as plain
 * lists of edges, in which a brute force tries every path. */
#ifndef UNIT_GRAPH_BRUTE_H
#define UNIT_GRAPH_BRUTE_H

#include <math.h>

#include "graph/near.h"
#include "graph/slack.h"

#include "../random.h"
#include "graph_walked.h"

enum { WAY = STATES, NODES = 40, EDGES = 4 * NODES, THREADS = 4 };

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

/* ---- graphs ---- */

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

/* A thread that is born where t is. */
static void bear(int t, int child)
{
	graph_thread(&graph, 1, 1 + (uint32_t)child, at[t].time, at[t].piece);
	at[child] = at[t];
	at[child].piece = graph.threads.v[child].last;
	node_of[at[child].piece - 1] = at[t].node;
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

#endif
