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
static void take_round(struct derive *d, uint32_t pair, int64_t time, unsigned read, unsigned write)
{
	uint32_t reader = 2 * pair + 2, writer = 2 * pair + 1, cpu = pair % CPUS;
	struct event events[ROUND] = {
		{ .type = EVENT_WAKE,
		  .pid = writer,
		  .tid = writer,
		  .time = time + 20,
		  .wake = { .target = reader, .context = WAKE_THREAD } },
		call(writer, write, time + 10, 20, 2 * pair + 1),
		change(reader, time + 40, cpu, false),
		call(reader, read, time - 100, 150, 2 * pair + 2),
		call(reader, write, time + 60, 5, 2 * pair + 2),
		change(reader, time + 90, cpu, true),
	};

	for (int i = 0; i < ROUND; i++)
		derive_event(d, &events[i]);
}

int main(int argc, char **argv)
{
	uint64_t events = (argc > 1 ? (uint64_t)atoll(argv[1]) : 10) * 1000000, n, steps = 0;
	unsigned read = syscall_by_name("read"), write = syscall_by_name("write");
	struct graph g = { 0 };
	struct derive d = { .graph = &g };
	struct hypothesis h[REPLAY_LANES] = { { 0 } };
	double ns[REPLAY_LANES], start = seconds(), time;
	struct rusage usage;
	char name[32];

	derive_begin(&d, &(struct source_info){ .command = "x" });
	for (uint32_t i = 0; i < 2 * PAIRS; i++) {
		struct event e = { .type = EVENT_FD, .pid = 1, .tid = 1 };

		snprintf(name, sizeof(name), "pipe:[%u]", i / 2);
		e.fd.object = i + 1;
		e.fd.kind = FD_PIPE;
		e.fd.name = name;
		derive_event(&d, &e);
	}
	for (n = 0; n < events; n += ROUND)
		take_round(&d, (uint32_t)(n / ROUND % PAIRS), (int64_t)n * 10, read, write);
	derive_end(&d);
	time = seconds() - start;
	printf("events to graph     %6.1f million events/s, %.2f pieces an event\n",
	       (double)n / time * 1e-6, (double)g.tape.n / (double)n);
	start = seconds();
	path_global(&g, g.last, g.begin, count, &steps);
	time = seconds() - start;
	printf("global path         %6.1f million events/s, %llu steps\n", (double)n / time * 1e-6,
	       (unsigned long long)steps);
	start = seconds();
	replay(&g, h, REPLAY_LANES, ns);
	time = seconds() - start;
	printf("replay, %d lanes    %6.1f million events/s, %.1f in sum\n", REPLAY_LANES,
	       (double)n / time * 1e-6, REPLAY_LANES * (double)n / time * 1e-6);
	start = seconds();
	steps = 0;
	explain(&g, count_wait, &steps);
	time = seconds() - start;
	printf("explanations        %6.1f million events/s, %llu waits\n", (double)n / time * 1e-6,
	       (unsigned long long)steps);
	start = seconds();
	steps = 0;
	contention(&g, count_charges, &steps);
	time = seconds() - start;
	printf("contention          %6.1f million events/s, %llu waits\n", (double)n / time * 1e-6,
	       (unsigned long long)steps);
	getrusage(RUSAGE_SELF, &usage);
	printf("memory              %6.1f MB\n", (double)usage.ru_maxrss / 1024);
	derive_free(&d);
	graph_free(&g);
	return ns[0] != (double)(g.end - g.begin);
}
