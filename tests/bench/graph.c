/* SPDX-License-Identifier: MIT */
/*
 * graph [MILLIONS] - how many events a second the graph takes, in CPU time, on a generated trace:
 * 64 pairs of threads on 8 CPUs that wake each other through pipes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

#include "graph/contention.h"
#include "graph/derive.h"
#include "graph/explain.h"
#include "graph/path.h"
#include "graph/replay.h"
#include "graph/simulate.h"
#include "trace/syscalls.h"

enum { PAIRS = 64, CPUS = 8, ROUND = 6 /* events */ };

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void count(void *arg, const struct path_step *s)
{
	(void)s;
	++*(uint64_t *)arg;
}

static void count_wait(void *arg, const struct explanation *e)
{
	(void)e;
	++*(uint64_t *)arg;
}

static void count_charges(void *arg, const struct contention *c)
{
	(void)c;
	++*(uint64_t *)arg;
}

static struct event call(uint32_t tid, unsigned id, int64_t time, int64_t duration, uint32_t object)
{
	return (struct event){ .type = EVENT_SYSCALL,
			       .pid = tid,
			       .tid = tid,
			       .time = time,
			       .call = { .id = id,
					 .duration = duration,
					 .result = 64,
					 .kind = FD_PIPE,
					 .object = object } };
}

static struct event change(uint32_t tid, int64_t time, uint32_t cpu, bool out)
{
	return (struct event){ .type = EVENT_SWITCH,
			       .pid = tid,
			       .tid = tid,
			       .time = time,
			       .change = { .cpu = cpu, .out = out, .state = STATE_SLEEPING } };
}

/* The writer of a pair wakes the reader, who reads, looks for more and sleeps again. */
static void make_round(struct event events[ROUND], uint32_t pair, unsigned read, unsigned write)
{
	uint32_t reader = 2 * pair + 2, writer = 2 * pair + 1, cpu = pair % CPUS;

	events[0] = (struct event){ .type = EVENT_WAKE,
				    .pid = writer,
				    .tid = writer,
				    .time = 20,
				    .wake = { .target = reader, .context = WAKE_THREAD } };
	events[1] = call(writer, write, 10, 20, 2 * pair + 1);
	events[2] = change(reader, 40, cpu, false);
	events[3] = call(reader, read, -100, 150, 2 * pair + 2);
	events[4] = call(reader, write, 60, 5, 2 * pair + 2);
	events[5] = change(reader, 90, cpu, true);
}

static double start;

/* Prints how many events were handled since the last call. */
static void report(const char *what, uint64_t n)
{
	double time = seconds() - start;

	printf("%-20s %6.1f million events/s\n", what, (double)n / time * 1e-6);
	start = seconds();
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? (uint64_t)atoll(argv[1]) : 10) * 1000000, n, steps = 0,
		 waits = 0, turns = 0;
	unsigned read = syscall_by_name("read"), write = syscall_by_name("write");
	struct graph g = { 0 };
	struct derive d = { .graph = &g };
	static struct event rounds[PAIRS][ROUND];
	struct hypothesis h[REPLAY_LANES] = { { 0 } };
	double ns[REPLAY_LANES];
	struct rusage usage;
	char name[32];

	start = seconds();
	derive_begin(&d, &(struct source_info){ .command = "x" });
	for (uint32_t i = 0; i < 2 * PAIRS; i++) {
		struct event e = { .type = EVENT_FD, .pid = 1, .tid = 1 };

		snprintf(name, sizeof(name), "pipe:[%u]", i / 2);
		e.fd.object = i + 1;
		e.fd.kind = FD_PIPE;
		e.fd.name = name;
		derive_event(&d, &e);
	}
	for (uint32_t i = 0; i < PAIRS; i++)
		make_round(rounds[i], i, read, write);
	for (n = 0; n < events; n++) {
		struct event *e = &rounds[n / ROUND % PAIRS][n % ROUND];

		e->time += (int64_t)(n / ROUND < PAIRS ? n / ROUND : PAIRS) * ROUND * 10;
		derive_event(&d, e);
	}
	derive_end(&d);
	report("events to graph", n);
	path_global(&g, g.last, g.begin, count, &steps);
	report("global path", n);
	replay(&g, h, REPLAY_LANES, ns);
	report("replay, each of 32", REPLAY_LANES * n);
	explain(&g, count_wait, &waits);
	report("explanations", n);
	contention(&g, count_charges, &turns);
	report("contention", n);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-20s %6.1f MB; %.2f pieces an event, %llu steps, %llu waits, %llu for turns\n",
	       "memory", (double)usage.ru_maxrss / 1024, (double)g.tape.n / (double)n,
	       (unsigned long long)steps, (unsigned long long)waits, (unsigned long long)turns);
	start = seconds();
	struct simulation s = simulate(&g, h, CPUS);
	report("re-simulation of one", n);
	getrusage(RUSAGE_SELF, &usage);
	printf("%-20s %6.1f MB\n", "memory", (double)usage.ru_maxrss / 1024);
	derive_free(&d);
	graph_free(&g);
	return ns[0] != (double)(g.end - g.begin) || s.ns < 0;
}
