/* SPDX-License-Identifier: MIT */
/* graph_lived.h - for tests of graphs: one graph, whose threads run and wait for CPUs. */
#ifndef UNIT_GRAPH_LIVED_H
#define UNIT_GRAPH_LIVED_H

#include "graph_named.h"

static struct graph graph;
static uint16_t user, call, runnable, work, disk, timer;

static inline uint16_t state(const char *word)
{
	return graph_named(&graph, 0, word);
}

static inline void begin(uint32_t threads)
{
	graph_free(&graph);
	graph = (struct graph){ 0 };
	for (uint32_t t = 0; t < threads; t++)
		graph_thread(&graph, 1, t + 1, 0, 0);
	user = state("user");
	call = state("write pipe");
	runnable = state("runnable");
	work = state("work");
	disk = state("disk");
	timer = state("timer");
}

static inline uint64_t run(uint32_t t, int64_t until, uint16_t cpu)
{
	graph.threads.v[t].cpu = cpu;
	return graph_run(&graph, t, until, user, until, user);
}

/* t waits until then for a CPU, which it then has.  next: who took it from the last one. */
static inline void take_cpu(uint32_t t, int64_t until, uint16_t cpu, uint32_t next)
{
	graph.threads.v[t].cpu = cpu;
	graph_block(&graph, t, user);
	graph_wake(&graph, t, graph.threads.v[t].at, 0, 0);
	graph_resume(&graph, t, until, 0, runnable);
	tape_at(&graph.tape, graph.threads.v[t].last - 1)->next = next;
}

#endif
