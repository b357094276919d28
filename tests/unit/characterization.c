/* SPDX-License-Identifier: MIT */
/* Tests of what cea merges: waits and their causes by place, and what was lost to whom. */
#include "../../predict/common/load.c"

#include "../../predict/cea/findings.c"
#include "../../predict/cea/places.c"

#include "../tap.h"
#include "graph_named.h"

static struct load load;
static struct graph graph;
static struct findings findings;
static char text[1024];

static uint16_t state(uint32_t thread, const char *word)
{
	return graph_named(&graph, graph.threads.v[thread].program, word);
}

/* The graph has a process of each of these programs: 1, 2, ... */
static void start(const char *const *programs)
{
	free_all(&findings);
	graph_free(&graph);
	findings = (struct findings){ .load = &load };
	graph = (struct graph){ 0 };
	for (; *programs; programs++) {
		uint32_t pid = (uint32_t)graph.threads.n + 1,
			 t = graph_thread(&graph, pid, pid, 0, 0);

		graph.threads.v[t].program = (uint32_t)names_add(&graph.programs, *programs);
		state(t, "user");
	}
}

/* t runs until then, in a state that is marked, or in "user". */
static uint64_t run(uint32_t t, int64_t until, const char *word)
{
	return graph_run(&graph, t, until, state(t, word), until, state(t, word));
}

static __attribute__((format(printf, 1, 2))) void put(const char *format, ...)
{
	size_t n = strlen(text);
	va_list arg;

	va_start(arg, format);
	vsnprintf(text + n, sizeof(text) - n, format, arg);
	va_end(arg);
}

/* "a waits (lock) for b: a user -5 x1, b user +15 x1. " */
static void is_waits(const char *want, const char *what)
{
	*text = '\0';
	merge(&findings, &graph, contention);
	for (size_t i = 0; i < findings.waits.n; i++) {
		const struct characterization *c = &findings.waits.v[i];
		char *name = wait_name(&graph, c);

		put("%s:", name);
		free(name);
		for (size_t k = 0; k < c->causes.n; k++) {
			name = cause_name(&graph, c->causes.v[k].key);
			put("%s %s %+d x%d", k ? "," : "", name, (int)c->causes.v[k].ns,
			    (int)c->causes.v[k].count);
			free(name);
		}
		put(". ");
	}
	is_string(text, want, "%s", what);
	cmp_int(findings.waits.residual, 0, "which add up");
}

/* ---- servers ---- */

/* A client of that server (thread 2) is served first, another one (3) after it. */
static void serve(uint32_t server, int64_t at, int64_t first, int64_t second)
{
	uint32_t ask[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	uint64_t asked = graph_put(&graph, 2, at, state(2, "user"), ask[0], 1, 0);

	graph_put(&graph, 3, at, state(3, "user"), ask[1], 1, 0);
	graph_wait(&graph, server, at, state(server, "work"), asked, 0);
	graph_get(&graph, server, at, state(server, "user"), ask[0], 1);
	run(server, at + first, "user");
	graph_get(&graph, server, at + first, state(server, "user"), ask[1], 1);
	run(server, at + first + second, "user");
	uint64_t by = graph_put(&graph, server, at + first + second, state(server, "user"),
				graph_queue(&graph, "tcp"), 1, 0);
	graph_wait(&graph, 3, at + first + second, state(3, "peer"), by, PIECE_EMPTY);
}

static void test_servers(void)
{
	start((const char *const[]){ "alpha", "alpha", "client", "client", NULL });
	serve(0, 10, 20, 30);
	serve(1, 100, 5, 40);
	serve(0, 200, 1, 2);
	merge(&findings, &graph, contention);
	*text = '\0';
	for (size_t i = 0; i < findings.lost.n; i++) {
		const struct interference *x = &findings.lost.v[i];

		put("%s %s: %s to %s %d x%d. ", resource_name(x->resource),
		    x->server ? findings.classes[x->server] : "?", findings.classes[x->waiter],
		    findings.classes[x->user], (int)x->ns, (int)x->count);
	}
	is_string(
	    text,
	    "server alpha 2: client to (itself) 40 x1. server alpha 1: client to (itself) 32 x2. "
	    "server alpha 1: client to client 21 x2. server alpha 2: client to client 5 x1. ",
	    "each process that serves has rows of its own, in which waits are summed up");
	cmp_int(findings.lost.ns[RESOURCE_CPU], 0, "none of which are for a CPU");
	cmp_int(findings.lost.waits.n, 1, "of one class of requests");
	const struct class_waits *r = findings.lost.waits.v;
	ok(r->count == 3 && r->ns == 98 && r->lost[CLASS_ITSELF] == 72 &&
	       r->lost[CLASS_OTHERS] == 26 && !r->lost[CLASS_NOBODY],
	   "whose time is its own and that of others");
}

static void test_processes(void)
{
	start((const char *const[]){ "alpha", "alpha", "client", "client", NULL });
	findings.lost.by_process = true;
	serve(0, 10, 20, 30);
	merge(&findings, &graph, contention);
	*text = '\0';
	for (size_t i = 0; i < findings.lost.n; i++)
		put("%s to %s. ", findings.classes[findings.lost.v[i].waiter],
		    findings.classes[findings.lost.v[i].user]);
	is_string(text, "client 4 to (itself). client 4 to client 3. ",
		  "requests of two processes can be told apart");
}

/* ---- locks ---- */

/* A futex has the value of a lock or not; what waits for it at a place of libosvec-sites is known.
 * A wait for a condition may end with one for its mutex. */
static void test_locks(void)
{
	static const struct {
		const char *place, *woken, *futex, *is;
	} cases[] = {
		{ "user", "hold", "lock", "lock" },
		{ "user", "hold", "condition", "condition" },
		{ "barrier /a+0x1", "hold", "lock", "condition" },
		{ "wait /a+0x1", "signal /a+0x2", "lock", "condition" },
		{ "wait /a+0x1", "broadcast /a+0x2", "lock", "condition" },
		{ "wait /a+0x1", "lock /a+0x2", "lock", "lock" },
		{ "wait /a+0x1", "wait /a+0x1", "lock", "lock" },
		{ "wait /a+0x1", "hold", "condition", "condition" },
		{ "sem_wait /a+0x1", "hold", "lock", "condition" },
		{ "join /a+0x1", "hold", "lock", "condition" },
		{ "lock /a+0x1", "hold", "condition", "lock" },
		{ "rdlock /a+0x1", "hold", "condition", "lock" },
		{ "wrlock /a+0x1", "hold", "condition", "lock" },
		{ "lock /a+0x1", "hold", "pipe", "pipe" },
		{ "lock it", "hold", "condition", "condition" },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		start((const char *const[]){ "a", "b", NULL });
		run(1, 5, cases[i].place);
		graph_wait(&graph, 1, 20, state(1, cases[i].futex), run(0, 20, cases[i].woken), 0);
		merge(&findings, &graph, contention);
		is_string(findings.waits.v[0].word, cases[i].is, "%s in %s, woken by %s",
			  cases[i].futex, cases[i].place, cases[i].woken);
		bool lost = findings.lost.n == 1 && findings.lost.v[0].ns == 15;
		ok(lost == !strcmp(cases[i].is, "lock"), "is %scontention", lost ? "" : "no ");
	}
}

/* ---- waits ---- */

/* 1 waits for 0 until 30, where events are missing, and until 100. */
static void test_unknown(void)
{
	start((const char *const[]){ "a", "b", NULL });
	run(1, 2, "user");
	graph_wait(&graph, 1, 30, state(1, "pipe"), run(0, 30, "user"), 0);
	run(1, 40, "user");
	graph_wait(&graph, 1, 100, state(1, "pipe"), run(0, 100, "user"), 0);
	graph_lost(&graph, 20, 35);
	merge(&findings, &graph, contention);
	cmp_int(findings.waits.count, 2, "of two waits");
	cmp_int(findings.waits.ns, 88, "that took 88 ns");
	cmp_int(findings.waits.unknown, 28, "the waker of the first is unknown");
	ok(findings.waits.n == 2 && findings.waits.v[0].known && !findings.waits.v[1].known,
	   "so they are two rows");
}

/* 2 waits for 1, which waited for the disk twice: for what 0 had asked for, and for its own. */
static void test_disk(void)
{
	start((const char *const[]){ "writer", "reader", "third", NULL });
	run(1, 2, "user");
	graph_wait(&graph, 1, 50, state(1, "disk"), run(0, 10, "user"), 0);
	run(1, 60, "user");
	graph_delay(&graph, 1, 80, state(1, "disk"), 0);
	run(2, 5, "user");
	graph_wait(&graph, 2, 85, state(2, "lock"), run(1, 85, "user"), 0);
	is_waits("third waits (lock) for reader: reader disk +60 x1, reader user +15 x1, "
		 "writer user +10 x1, third user -5 x1. "
		 "reader waits (disk) for a request by writer: reader disk +40 x1, "
		 "writer user +10 x1, reader user -2 x1. "
		 "reader waits (disk) for a request by reader: reader disk +20 x1. ",
		 "the time of a disk is one cause");
}

/* 0 sleeps where it holds something, and where it rests. */
static void test_places(void)
{
	start((const char *const[]){ "a", "b", NULL });
	run(0, 12, "hold");
	graph_delay(&graph, 0, 40, state(0, "timer"), 0);
	run(0, 43, "rest");
	graph_delay(&graph, 0, 57, state(0, "timer"), 0);
	run(1, 5, "user");
	graph_wait(&graph, 1, 62, state(1, "lock"), run(0, 62, "rest"), 0);
	is_waits("b waits (lock) for a rest: a hold: timer +28 x1, a rest: timer +14 x1, "
		 "a hold +12 x1, a rest +8 x1, b user -5 x1. ",
		 "a timer has a place");
	cmp_int(findings.waits.v[0].causes.v[0].indirect, 0, "which the waker was at itself");
	for (size_t i = 0; i < findings.waits.causes.n; i++)
		if ((uint16_t)findings.waits.causes.v[i].key == state(0, "timer")) {
			cmp_int(findings.waits.causes.v[i].ns, 42, "but is one cause of all waits");
			cmp_int(findings.waits.causes.v[i].count, 1, "and of one wait once");
		}
	cmp_int(findings.waits.causes.n, 4, "of which there are four");
}

/* 0 makes 1 wait, and through it 2. */
static void test_indirect(void)
{
	start((const char *const[]){ "a", "b", "c", NULL });
	run(0, 100, "user");
	run(1, 5, "user");
	graph_wait(&graph, 1, 100, state(1, "pipe"), run(0, 100, "user"), 0);
	run(2, 5, "user");
	graph_wait(&graph, 2, 130, state(2, "pipe"), run(1, 130, "user"), 0);
	is_waits("c waits (pipe) for b: a user +100 x1, b user +30 x1, c user -5 x1. "
		 "b waits (pipe) for a: a user +100 x1, b user -5 x1. ",
		 "what delays a waker delays who waits for it");
	cmp_int(findings.waits.v[0].causes.v[0].indirect, 100, "indirectly");
	cmp_int(findings.waits.v[0].causes.v[1].indirect, 0, "unlike its own work");
	cmp_int(findings.waits.causes.v[0].ns, 200, "so a makes them wait for twice its time,");
	cmp_int(findings.waits.causes.v[0].indirect, 100, "half of it indirectly");
}

/* 1 is killed while it waits for a CPU, so that it is not seen in which call it waited before. */
static void test_killed(void)
{
	start((const char *const[]){ "a", "b", NULL });
	run(1, 2, "hold");
	graph_wait(&graph, 1, 50, state(1, "hold"), run(0, 50, "user"), 0);
	is_waits("b hold waits (user) for a: a user +50 x1, b hold -2 x1. ",
		 "a mark does not say what a thread waits for");
}

/* 0 has the CPU until 20, and 1 gets it at 30. */
static void test_nobody(void)
{
	int64_t ns = 0;

	start((const char *const[]){ "a", "b", NULL });
	graph.threads.v[0].cpu = graph.threads.v[1].cpu = 1;
	run(0, 20, "user");
	graph_block(&graph, 1, state(1, "user"));
	graph_wake(&graph, 1, 0, 0, 0);
	graph_resume(&graph, 1, 30, 0, state(1, "runnable"));
	merge(&findings, &graph, contention);
	for (size_t i = 0; i < findings.lost.n; i++)
		ns += findings.lost.v[i].user == CLASS_NOBODY ? findings.lost.v[i].ns : 0;
	cmp_int(ns, 10, "a CPU that is free is lost to nobody");
}

int main(void)
{
	test_killed();
	test_nobody();
	test_indirect();
	test_servers();
	test_processes();
	test_locks();
	test_unknown();
	test_disk();
	test_places();
	free_all(&findings);
	graph_free(&graph);
	return done_testing();
}
