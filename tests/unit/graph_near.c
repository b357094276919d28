/* SPDX-License-Identifier: MIT */
/* Chains of which there are few. */
#include "graph/near.h"

#include "../tap.h"
#include "graph_walked.h"

static int chains, unknown;

static void begin_chain(void *arg, int64_t slack)
{
	(void)arg;
	(void)slack;
	chains++;
}

static void take_chain(void *arg, const struct path_step *s)
{
	(void)arg;
	unknown += s->kind == STEP_UNKNOWN;
}

static void end_chain(void *arg)
{
	(void)arg;
}

static void are_chains(int n, const char *what)
{
	chains = unknown = 0;
	near_paths(&graph, 8, &(struct near_taker){ begin_chain, take_chain, end_chain, NULL });
	cmp_int(chains, n, "%s", what);
	ok(is_path() && !unknown, "and all of it is known");
}

/* The second thread has its turn at 10, from when on a switch takes 5. */
static void test_turn(void)
{
	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);

	graph_block(&graph, two, states[3]);
	graph_wake(&graph, two, 0, 0, 0);
	uint64_t left = graph_run(&graph, 0, 10, states[0], 0, states[0]);
	graph_resume(&graph, two, 15, left, states[2]);
	graph_run(&graph, two, 30, states[1], 0, states[1]);
	are_chains(3, "a chain that waits for no turn takes the CPU, too");
}

/* The second thread is first seen when it waits for the first one. */
static void test_unborn(void)
{
	graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 5, 0);
	uint64_t by = graph_run(&graph, 0, 30, states[0], 0, states[0]);
	graph_wait(&graph, two, 30, states[3], by, 0);
	are_chains(2, "what a thread did before it was seen is on no chain");
}

/* A link: the second thread does not wait for what it would have to wait for. */
static void test_link(void)
{
	uint32_t two = graph_thread(&graph, 1, 2, 0, graph_begin());
	uint64_t by = graph_run(&graph, 0, 10, states[0], 0, states[0]);

	graph_run(&graph, two, 20, states[1], 0, states[1]);
	graph_wait(&graph, two, 20, states[3], by, 0);
	are_chains(2, "a wait that takes no time has one way");
}

int main(void)
{
	test_turn();
	test_unborn();
	test_link();
	graph_free(&graph);
	return done_testing();
}
