/* SPDX-License-Identifier: MIT */
#include "graph/wakecost.h"

#include <stdlib.h>

#include "graph/simulate.h"

#include "../tap.h"
#include "graph_walked.h"

enum { ROUNDS = 20, WAKING = 30, PLAIN = 10 /* ns of the call */ };

static uint32_t reader, queue;

/* Thread 0 works for 100 and puts a unit.  If it wakes the reader, that happens in the middle of
 * the call, and the reader then works for 50. */
static void put(bool wakes)
{
	int64_t begin = graph.threads.v[0].at, enter = begin + 100;

	if (wakes) {
		graph_block(&graph, reader, states[3]);
		uint64_t by = graph_run(&graph, 0, enter + WAKING / 2, states[0], enter, states[1]);
		graph_wake(&graph, reader, enter + WAKING / 2, by, 0);
		uint64_t wait = graph_resume(&graph, reader, enter + WAKING / 2, 0, states[3]);
		tape_at(&graph.tape, wait - 1)->queue = queue;
		tape_at(&graph.tape, wait - 1)->flags |= PIECE_EMPTY;
	}
	int64_t end = enter + (wakes ? WAKING : PLAIN);
	graph_run(&graph, 0, end, states[0], enter, states[1]);
	graph_put(&graph, 0, end, states[1], queue, 1, 0);
	if (wakes) {
		graph_get(&graph, reader, end, states[2], queue, 1);
		graph_run(&graph, reader, end + 50, states[2], end + 50, states[2]);
	}
}

/* The reader waits for each of the first units, and for none of the others, because it works for
 * 2400 then. */
static void make(int woken, int others)
{
	uint64_t first = graph_begin();

	reader = graph_thread(&graph, 1, 2, 0, first);
	queue = graph_queue(&graph, "pipe");
	for (int i = 0; i < woken; i++)
		put(true);
	for (int i = 0; i < others; i++)
		put(false);
	int64_t at = graph.threads.v[reader].at + 2400;
	graph_run(&graph, reader, at, states[3], at, states[3]);
	for (int i = 0; i < others; i++)
		graph_get(&graph, reader, at, states[2], queue, 1);
	at = graph.threads.v[0].at + 20000;
	graph_run(&graph, 0, at, states[1], at, states[1]);
}

static double cost_of(int woken, int others)
{
	make(woken, others);
	double *all = wakecost_find(&graph), cost = all[graph.states.v[states[1]].word];

	free(all);
	return cost;
}

static int64_t simulated(double a, double c, double d)
{
	double scale[STATES + 1] = { 1, 1, 1, 1, 1 };

	scale[states[0]] = a;
	scale[states[2]] = c;
	scale[states[3]] = d;
	return simulate(&graph, &(struct hypothesis){ .scale = scale }, 2).ns;
}

int main(void)
{
	cmp_near(cost_of(ROUNDS, 15), 0, 0, "nothing is known from a few calls that woke nobody");
	cmp_near(cost_of(15, ROUNDS), 0, 0, "nor from a few that did");
	cmp_near(cost_of(ROUNDS, ROUNDS), WAKING - PLAIN, 0, "what it takes longer to wake");
	ok(is_path(), "all of the run is known");
	const int64_t all = graph.end - graph.begin;
	cmp_int(simulated(1, 1, 1), all, "unchanged, it wakes whom it woke");
	cmp_int(simulated(1, 1, 0), all + ROUNDS * (WAKING - PLAIN),
		"a faster reader sleeps, and has to be woken");
	cmp_int(simulated(1, 10, 1), all - (ROUNDS - 1) * (WAKING - PLAIN),
		"a slower one is awake, but for the first time");
	cmp_int(simulated(0, 10, 1), all - 2 * ROUNDS * 100 - (ROUNDS - 1) * (WAKING - PLAIN),
		"and what a call takes less is more than what comes between two calls");
	return done_testing();
}
