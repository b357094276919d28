/* SPDX-License-Identifier: MIT */
/* Tests of the graph of what goes through a network: ways, windows, servers. */
#include "graph/derive.h"

#include <math.h>

#include "graph/path.h"
#include "graph/simulate.h"
#include "trace/syscalls.h"

#include "../tap.h"

static struct graph graph;
static struct derive derive;

static void start(void)
{
	derive_free(&derive);
	graph_free(&graph);
	graph = (struct graph){ 0 };
	derive = (struct derive){ .graph = &graph };
	derive_begin(&derive, &(struct source_info){ .command = "demo" });
}

static void take(struct event e)
{
	e.pid = e.tid;
	derive_event(&derive, &e);
}

static void call(uint32_t tid, const char *name, int64_t time, int64_t until, uint32_t object,
		 int64_t result)
{
	take((struct event){ .type = EVENT_SYSCALL,
			     .tid = tid,
			     .time = time,
			     .call = { .id = syscall_by_name(name),
				       .duration = until - time,
				       .result = result,
				       .kind = object > 2 ? FD_EPOLL : FD_TCP,
				       .object = object,
				       .args = { 0, 0, 0, UINT64_MAX } } });
}

/* It leaves the CPU, and is back when an interrupt has woken it. */
static void leave(uint32_t tid, int64_t time)
{
	take((struct event){ .type = EVENT_SWITCH,
			     .tid = tid,
			     .time = time,
			     .change = { .out = true, .state = STATE_SLEEPING } });
}

static void back(uint32_t tid, int64_t time)
{
	take((struct event){ .type = EVENT_WAKE,
			     .time = time,
			     .wake = { .target = tid, .context = WAKE_INTERRUPT } });
	take((struct event){ .type = EVENT_SWITCH, .tid = tid, .time = time });
}

static void connect_both(void)
{
	start();
	take((struct event){
	    .type = EVENT_FD, .tid = 10, .fd = { 1, FD_TCP, "tcp:[10.0.0.1:1->10.0.0.2:2]" } });
	take((struct event){
	    .type = EVENT_FD, .tid = 11, .fd = { 2, FD_TCP, "tcp:[10.0.0.2:2->10.0.0.1:1]" } });
	take((struct event){ .type = EVENT_SWITCH, .tid = 10 });
	take((struct event){ .type = EVENT_SWITCH, .tid = 11 });
}

static int64_t edges;

static void sum_edges(void *arg, const struct path_step *s)
{
	(void)arg;
	edges += s->kind == STEP_EDGE ? s->to - s->from : 0;
}

/* The run time with so much room in the first queue, frozen and simulated. */
static void with_room(double capacity, double frozen, int64_t simulated, const char *what)
{
	double v[2] = { capacity, NAN }, ns;
	struct hypothesis h = { .capacity = v };

	replay(&graph, &h, 1, &ns);
	cmp_near(ns, frozen, 0, "%s", what);
	cmp_int(simulate(&graph, &h, 0).ns, simulated, "also simulated");
}

/* 10 sends two times 8 bytes to 11, which takes 50, and so does the word that there is room. */
static void test_window(const char *waits_in)
{
	bool polls = *waits_in == 'e';

	connect_both();
	leave(11, 2);
	call(10, "write", 10, 11, 1, 8);
	back(11, 61);
	if (polls)
		call(11, waits_in, 1, 61, 3, 1);
	call(11, "read", polls ? 61 : 1, 62, 2, 8);
	leave(10, 22);
	leave(11, 64);
	back(10, 112);
	call(10, "write", 21, 113, 1, 8);
	back(11, 163);
	if (polls)
		call(11, waits_in, 63, 163, 3, 1);
	call(11, "read", polls ? 163 : 63, 164, 2, 8);
	derive_end(&derive);
	edges = 0;
	cmp_int(path_global(&graph, graph.last, graph.begin, sum_edges, NULL), 164,
		"%s: the path is all of the time", waits_in);
	/* Who polls takes out what is there at once, 1 earlier. */
	cmp_int(edges, 150 + polls, "of which three ways were");
	cmp_int(graph.queues.v[0].way, 50, "a message takes 50");
	with_room(NAN, 164, 164 - polls, "with the room that there was");
	/* Frozen, the rest of the call that waited, 1, is done when there is room. */
	with_room(8, 163 - polls, 164 - polls, "and with the same room");
	with_room(16, 74, 74, "with twice as much nobody waits for it");
	double scale[100], slow[100], room = 8;
	for (size_t i = 0; i < graph.states.n; i++) {
		const char *word = graph.words.v[graph.states.v[i].word];

		slow[i] = !strcmp(word, "user") ? 8 : 1;
		scale[i] = !strcmp(word, "peer") || !strcmp(word, "work") ? 0.1 : 1;
	}
	double ns;
	/* The second is ready when the first was read, and before the sender knows. */
	const struct hypothesis slower = { .scale = slow, .capacity = &room };
	replay(&graph, &slower, 1, &ns);
	cmp_near(ns, 233 - polls, 0, "a slow sender waits for the rest of the way");
	cmp_int(simulate(&graph, &slower, 0).ns, 234 - polls, "also simulated");
	replay(&graph, &(struct hypothesis){ .scale = scale }, 1, &ns);
	ok(ns < 164 - 9 * 15 + 9 && ns >= 164 - 9 * 15, "a network 10 times as fast: %g", ns);
}

/* The run time with other lengths of states and so much room, frozen and simulated. */
static void with_lengths(const char *word, double factor, double room, double ns, const char *what)
{
	double scale[100], capacity[2] = { room, NAN }, frozen;
	const struct hypothesis h = { .scale = scale, .capacity = capacity };

	for (size_t i = 0; i < graph.states.n; i++)
		scale[i] = strcmp(graph.words.v[graph.states.v[i].word], word) ? 1 : factor;
	replay(&graph, &h, 1, &frozen);
	cmp_near(frozen, ns, 0, "%s", what);
	cmp_near((double)simulate(&graph, &h, 0).ns, ns, 2 / ns, "also simulated");
}

/* Three messages on a wire on which one takes 10, and the next two come 40 after the one before. */
static void test_wire(void)
{
	connect_both();
	leave(11, 2);
	call(10, "write", 10, 11, 1, 8);
	call(10, "write", 12, 13, 1, 8);
	call(10, "write", 20, 21, 1, 8);
	for (int64_t i = 0; i < 3; i++) {
		back(11, 21 + 40 * i);
		call(11, "read", i ? 40 * i - 17 : 1, 22 + 40 * i, 2, 8);
		if (i < 2)
			leave(11, 24 + 40 * i);
	}
	derive_end(&derive);
	cmp_int(graph.queues.v[0].way, 10, "the fastest message takes 10");
	with_lengths("peer", 1, NAN, 102, "as it is");
	/* Sent at 21, 24 and 39: there at 31, 34 + 38 and 72 + 40. */
	with_lengths("user", 2, NAN, 113,
		     "what is sent later waits less for the message before it");
	/* Sent as before; there at 16, 18 + 19 and 37 + 20. */
	with_lengths("peer", 0.5, NAN, 58, "the wire is twice as fast");
	double half[100], ns;
	for (size_t i = 0; i < graph.states.n; i++)
		half[i] = 0.5;
	replay(&graph, &(struct hypothesis){ .way = half }, 1, &ns);
	cmp_near(ns, 58, 0, "which only changes how long messages are on their way");
	with_room(1000, 102, 102, "a wire is not faster if nobody waits for room");
	/* Sent at 21, 24 and 39, which took 10, 48 and 80. */
	with_lengths("user", 2, 1000, 120, "with another window each message takes its own time");
}

/* A thread that is over was the last to get something, 40 after it was there; the thread that it
 * made waits for what was sent before that. */
static void test_next_thread(void)
{
	double scale[] = { 1, 0.5 }, ns;

	start();
	uint32_t sender = graph_thread(&graph, 1, 1, 0, 0);
	uint16_t user = graph_state(&graph, 0, 0, WAITS_OTHER);
	uint16_t peer =
	    graph_state(&graph, 0, (uint32_t)names_add(&graph.words, "peer"), WAITS_PEER);
	uint32_t q[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	uint64_t by = graph_run(&graph, sender, 1, user, 1, user);
	uint32_t first = graph_thread(&graph, 2, 2, 1, by);
	uint64_t put[2] = { graph_put(&graph, sender, 10, user, q[0], 1, 0),
			    graph_put(&graph, sender, 15, user, q[1], 1, 0) };
	uint64_t wait = graph_wait(&graph, first, 61, peer, put[0], PIECE_WIRE);
	tape_at(&graph.tape, wait - 1)->queue = q[0];
	by = graph_run(&graph, first, 62, user, 62, user);
	uint32_t next = graph_thread(&graph, 2, 3, 62, by);
	wait = graph_wait(&graph, next, 90, peer, put[1], PIECE_WIRE);
	tape_at(&graph.tape, wait - 1)->queue = q[1];
	graph.queues.v[q[0]].way = 51;
	graph.queues.v[q[1]].way = 20;
	/* Sent at 15; there at 15 + 10 and, if nothing was before it, 55 / 2 later. */
	replay(&graph, &(struct hypothesis){ .scale = scale }, 1, &ns);
	cmp_near(ns, 52.5, 0, "messages of a thread do not wait for those of one that is over");
}

/* What came before the thread began to wait, or to read, was not what it waited for. */
static void test_other(void)
{
	connect_both();
	leave(11, 5);
	call(10, "write", 10, 11, 1, 8);
	back(11, 15);
	call(11, "read", 20, 21, 2, 8);
	leave(11, 31);
	back(11, 90);
	call(11, "read", 30, 91, 2, 8);
	call(10, "write", 95, 96, 1, 8);
	derive_end(&derive);
	edges = 0;
	path_global(&graph, graph.threads.v[1].last, graph.begin, sum_edges, NULL);
	cmp_int(edges, 0, "what was not sent yet was not on its way");
	cmp_int(graph.queues.v[0].way, 0, "and took no time");
}

/* It sleeps between the word that there is something to read and the read. */
static void test_slept(void)
{
	connect_both();
	leave(11, 2);
	call(10, "write", 10, 11, 1, 8);
	back(11, 61);
	call(11, "epoll_wait", 1, 62, 3, 1);
	leave(11, 70);
	back(11, 80);
	call(11, "nanosleep", 65, 81, 3, 0);
	call(11, "read", 90, 91, 2, 8);
	derive_end(&derive);
	cmp_int(graph.queues.v[0].way, 0, "only the last wait may be for what is read");
}

static void test_ways(void)
{
	connect_both();
	leave(11, 2);
	call(10, "write", 10, 11, 1, 8);
	back(11, 61);
	call(11, "read", 1, 62, 2, 8);
	leave(11, 64);
	call(10, "write", 70, 71, 1, 8);
	back(11, 111);
	call(11, "read", 63, 112, 2, 8);
	leave(11, 114);
	call(10, "write", 120, 121, 1, 8);
	back(11, 181);
	call(11, "read", 113, 182, 2, 8);
	derive_end(&derive);
	cmp_int(graph.queues.v[0].way, 111 - 71, "the way of the fastest message counts");
}

static void test_attach(void)
{
	start();
	uint32_t a = graph_thread(&graph, 1, 1, 0, 0), b = graph_thread(&graph, 1, 2, 0, 0);
	uint64_t early = graph_run(&graph, a, 30, 0, 30, 0),
		 late = graph_run(&graph, a, 90, 0, 90, 0);
	uint64_t wait = graph_delay(&graph, b, 50, 0, 0);
	ok(!graph_attach(&graph, wait, late), "what ended later did not end it");
	ok(!graph_attach(&graph, wait, 0) && !graph_attach(&graph, wait, wait), "nor it itself");
	ok(graph_attach(&graph, wait, early), "what ended before may have");
	ok(!graph_attach(&graph, wait, early), "once");
}

/* One thread serves the questions of two, 100 each. */
static void test_workers(void)
{
	static uint32_t two[] = { 2, 2, 2 }, one[] = { 1, 1, 1 }, three[] = { 3, 0, 0 };
	uint32_t in[2], out[2], asks[2];

	start();
	uint32_t server = graph_thread(&graph, 1, 1, 0, 0);
	uint16_t state = graph_state(&graph, 0, 0, WAITS_OTHER);
	uint64_t born = graph_run(&graph, server, 1, state, 1, state);
	for (int i = 0; i < 2; i++) {
		in[i] = graph_queue(&graph, "in");
		out[i] = graph_queue(&graph, "out");
		asks[i] = graph_thread(&graph, 2, 2 + (uint32_t)i, 1, born);
		graph_put(&graph, asks[i], 11, state, in[i], 1, 0);
	}
	for (int i = 0; i < 4; i++) {
		int64_t begun = i ? i * 110 + 1 : 11;

		graph_run(&graph, server, begun, state, begun, state);
		graph_get(&graph, server, begun, state, in[i % 2], 1);
		graph_run(&graph, server, begun + 100, state, begun + 100, state);
		uint64_t put = graph_put(&graph, server, begun + 100, state, out[i % 2], 1, 0);
		graph_wait(&graph, asks[i % 2], begun + 100, state, put, PIECE_EMPTY);
		graph_get(&graph, asks[i % 2], begun + 100, state, out[i % 2], 1);
		graph_run(&graph, asks[i % 2], begun + 110, state, begun + 110, state);
		graph_put(&graph, asks[i % 2], begun + 110, state, in[i % 2], 1, 0);
	}
	int64_t alone = simulate(&graph, &(struct hypothesis){ 0 }, 0).ns;
	cmp_int(alone, graph.end, "one worker as it was");
	cmp_int(simulate(&graph, &(struct hypothesis){ .workers = one }, 0).ns, alone,
		"and said to be one");
	int64_t ns = simulate(&graph, &(struct hypothesis){ .workers = two }, 0).ns;
	cmp_int(ns, 231, "two take half as long as %d", (int)alone);
	cmp_int(simulate(&graph, &(struct hypothesis){ .workers = three }, 0).ns, ns,
		"and a third has nothing to do");
	ns = simulate(&graph, &(struct hypothesis){ .workers = two }, 1).ns;
	ok(ns >= 400, "on one CPU they gain little: %d", (int)ns);
}

/* What a server does between an answer and the next question is done by who takes that. */
static void test_own_work(void)
{
	static uint32_t two[] = { 2, 1 };

	start();
	uint32_t server = graph_thread(&graph, 1, 1, 0, 0), asks = graph_thread(&graph, 2, 2, 0, 0);
	uint32_t in[2] = { graph_queue(&graph, "in"), graph_queue(&graph, "in") };
	uint32_t out = graph_queue(&graph, "out");
	uint16_t state = graph_state(&graph, 0, 0, WAITS_OTHER);
	for (int i = 0; i < 2; i++)
		graph_put(&graph, asks, 5, state, in[i], 1, 0);
	graph_get(&graph, server, 5, state, in[0], 1);
	graph_run(&graph, server, 105, state, 105, state);
	graph_put(&graph, server, 105, state, out, 1, 0);
	graph_run(&graph, server, 155, state, 155, state);
	graph_get(&graph, server, 155, state, in[1], 1);
	graph_run(&graph, server, 255, state, 255, state);
	graph_put(&graph, server, 255, state, out, 1, 0);
	cmp_int(simulate(&graph, &(struct hypothesis){ .workers = two }, 0).ns, 50 + 100,
		"the second worker begins with what the first did before it");
}

/* An answer in two parts, such as a head and a body, is that of one worker. */
static void test_two_parts(void)
{
	static uint32_t two[] = { 2, 1 };

	start();
	uint32_t server = graph_thread(&graph, 1, 1, 0, 0), asks = graph_thread(&graph, 2, 2, 0, 0);
	uint32_t in[2] = { graph_queue(&graph, "in"), graph_queue(&graph, "in") };
	uint32_t out = graph_queue(&graph, "out");
	uint16_t state = graph_state(&graph, 0, 0, WAITS_OTHER);
	for (int i = 0; i < 2; i++)
		graph_put(&graph, asks, 5, state, in[i], 1, 0);
	graph_get(&graph, server, 5, state, in[0], 1);
	for (int end = 105; end <= 305; end += 100) {
		graph_run(&graph, server, end, state, end, state);
		graph_put(&graph, server, end, state, out, 1, 0);
	}
	graph_get(&graph, server, 305, state, in[1], 1);
	graph_run(&graph, server, 315, state, 315, state);
	graph_put(&graph, server, 315, state, out, 1, 0);
	cmp_int(simulate(&graph, &(struct hypothesis){ .workers = two }, 0).ns, 305,
		"the next worker does not write the rest of an answer");
}

int main(void)
{
	test_window("read");
	test_window("epoll_wait");
	test_wire();
	test_next_thread();
	test_other();
	test_slept();
	test_ways();
	test_attach();
	test_workers();
	test_own_work();
	test_two_parts();
	derive_free(&derive);
	graph_free(&graph);
	return done_testing();
}
