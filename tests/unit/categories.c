/* SPDX-License-Identifier: MIT */
/* Tests of what the time of threads went into. */
#include "graph/categories.h"

#include "../tap.h"
#include "graph_lived.h"

static void test_categories(void)
{
	int64_t ns[3][CATEGORIES], sum = 0;

	begin(3);
	graph_run(&graph, 0, 30, user, 20, call);
	graph_run(&graph, 0, 40, user, 30, call);
	graph_wait(&graph, 1, 45, state("lock"), graph.threads.v[0].last, 0);
	graph_delay(&graph, 1, 50, disk, 0);
	graph_delay(&graph, 1, 70, timer, 0);
	take_cpu(1, 71, 0, 0);
	graph_run(&graph, 1, 80, user, 75, state("futex"));
	graph_delay(&graph, 2, 90, state("lock"), 0);
	graph_delay(&graph, 2, 95, state("child"), 0);
	graph_run(&graph, 2, 97, call, 95, call);
	categories(&graph, 3, ns, NULL);
	cmp_int(ns[0][COMPUTATION], 20, "outside of calls it computes");
	cmp_int(ns[0][COMMUNICATION], 17, "in a call on a pipe it communicates");
	cmp_int(ns[0][TRACING], 3, "less what recording it took, once");
	cmp_int(ns[1][SYNCHRONIZATION], 40, "it waits for another");
	cmp_int(ns[1][COMMUNICATION], 5, "and for what that one did to arrive");
	cmp_int(ns[1][SYSTEM], 5 + 2, "the disk, and other calls");
	cmp_int(ns[1][IDLE], 20, "a timer");
	cmp_int(ns[1][CONTENTION], 1, "a CPU");
	cmp_int(ns[2][SYNCHRONIZATION], 95, "a lock, whoever had it, and a child");
	graph_lost(&graph, 25, 35);
	int64_t scopes[16][CATEGORIES];
	categories(&graph, 0, ns, scopes);
	cmp_int(ns[0][UNKNOWN], 10, "where events are missing nothing is known");
	for (int t = 0; t < 3; t++)
		for (int c = 0; c < CATEGORIES; c++)
			sum += ns[t][c];
	cmp_int(sum, 40 + 80 + 97, "the categories of all threads are all of their time");
	for (size_t i = 0; i < graph.states.n; i++)
		for (int c = 0; c < CATEGORIES; c++)
			sum -= scopes[i][c];
	cmp_int(sum, 0, "and so are those of all scopes");
	graph_wait(&graph, 2, 100, disk, graph.threads.v[1].last, 0);
	categories(&graph, 0, ns, NULL);
	cmp_int(ns[2][SYSTEM], 3, "a disk takes the time behind a request, not its way");
	cmp_int(scopes[user][COMPUTATION], ns[0][COMPUTATION] + ns[1][COMPUTATION],
		"what is done outside of calls is in the scope around them");
	cmp_int(scopes[user][COMMUNICATION], ns[0][COMMUNICATION] + ns[1][COMMUNICATION] + 2,
		"and so is a call of which only a part is seen");
	begin(2);
	graph_delay(&graph, 0, 10, state("queue"), 0);
	graph_run(&graph, 1, 10, user, 8, call);
	categories(&graph, 5, ns, NULL);
	cmp_int(ns[0][SYNCHRONIZATION], 10, "a queue, whoever filled it");
	cmp_int(ns[1][TRACING], 2, "recording takes no more than the call did");
	cmp_int(ns[1][COMPUTATION], 8, "and nothing of what was before");
}

int main(void)
{
	test_categories();
	graph_free(&graph);
	return done_testing();
}
