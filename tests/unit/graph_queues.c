/* SPDX-License-Identifier: MIT */
/* Random small graphs of threads that pass units through queues, against a brute force. */
#include "graph/replay.h"
#include "graph/simulate.h"

#include "../tap.h"
#include "graph_brute.h"

enum { QUEUES = 3, OPERATIONS = 24, UNITS = OPERATIONS };

static double rooms[QUEUES];

/* Of each queue: who puts and who takes, which nodes did, and how much room it has. */
static struct queue {
	int from, to, puts, gets, room;
	int put[UNITS], got[UNITS];
	uint64_t get[UNITS]; /* pieces */
} queues[QUEUES];

/* The ends of waits: with more room they may be elsewhere. */
static struct edge ended[OPERATIONS];
static int nended;

/* t waits from where it is until that node, if it is later, and `piece` is its cause; then it is at
 * a node of its own. */
static void wait_in_queue(int t, int other, uint64_t piece, uint32_t q, uint8_t flags, int state)
{
	int before = at[t].node, to;
	bool waits = piece && times[other] > at[t].time;

	at[t].time = waits ? times[other] : at[t].time;
	at[t].node = to = node(at[t].time);
	edge(before, to, 0, 0);
	if (!waits)
		return;
	uint64_t wait = graph_wait(&graph, (uint32_t)t, at[t].time, states[state], piece, flags);
	tape_at(&graph.tape, wait - 1)->queue = q;
	node_of[wait - 1] = to;
	ended[nended++] = (struct edge){ other, to, 0, 0 };
}

static void put(int i, int state)
{
	struct queue *q = &queues[i];
	int t = q->from, freed = q->puts - q->room;

	wait_in_queue(t, freed < 0 ? 0 : q->got[freed], freed < 0 ? 0 : q->get[freed], (uint32_t)i,
		      PIECE_FULL, state);
	uint64_t piece =
	    graph_put(&graph, (uint32_t)t, at[t].time, states[state], (uint32_t)i, 1, 0);
	node_of[piece - 1] = q->put[q->puts++] = at[t].node;
}

static void get(int i, int state)
{
	struct queue *q = &queues[i];
	int t = q->to, by = q->put[q->gets];

	wait_in_queue(t, by, graph_supplier(&graph, (uint32_t)i, 1)->piece, (uint32_t)i,
		      PIECE_EMPTY, state);
	edge(by, at[t].node, 0, 0);
	uint64_t piece = graph_get(&graph, (uint32_t)t, at[t].time, states[state], (uint32_t)i, 1);
	q->get[q->gets] = piece;
	node_of[piece - 1] = q->got[q->gets++] = at[t].node;
}

/* Threads that run, and put into queues that others take from, in an order in which the queues let
 * them. */
static void make_queues(void)
{
	begin();
	nended = 0;
	for (int t = 1; t < THREADS; t++)
		bear(0, t);
	/* A chain ends where the time begins, whatever happens there. */
	for (int t = 0; t < THREADS; t++)
		run(t, 1 + below(50), (int)below(STATES));
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
	int paths = 0, frozen = 0, simulated = 0, loose = 0, nearly = 0;

	for (int n = 0; n < GRAPHS; n++) {
		double scale[STATES] = { 1, 1, 1, 1 }, by_number[STATES + 1] = { 0 }, ns;
		bool all = true, each = true;

		make_queues();
		paths += is_path();
		int edges = brute.edges;
		for (int i = 0; i < nended; i++)
			brute.edge[brute.edges++] = ended[i];
		loose += is_slack();
		nearly += are_chains(THREADS);
		brute.edges = edges;
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
	cmp_int(loose, GRAPHS, "slacks are what the longest ways on leave");
	cmp_int(nearly, GRAPHS, "and so are chains");
}

int main(void)
{
	test_queues();
	graph_free(&graph);
	return done_testing();
}
