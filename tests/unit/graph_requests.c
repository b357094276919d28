/* SPDX-License-Identifier: MIT */
/* Tests of the paths of requests. */
#include "graph/requests.h"

#include "../tap.h"
#include "graph_derived.h"

static struct {
	unsigned n;
	int64_t sum[2], others[2]; /* the last request first */
	uint32_t thread, queue;
} served;

static void *begin_request(void *arg, const struct request *r)
{
	(void)arg;
	served.thread = r->thread;
	served.queue = served.n ? served.queue : r->queue;
	return served.n++ < 2 ? &served.sum[served.n - 1] : NULL;
}

static void take_request(void *one, const struct path_step *s)
{
	if (one)
		*(int64_t *)one += s->to - s->from;
}

static void end_request(void *arg, void *one, const struct request *r)
{
	(void)arg;
	if (one)
		served.others[(int64_t *)one - served.sum] = r->others;
}

static void test_requests(void)
{
	const struct request_taker taker = { begin_request, take_request, end_request, NULL };

	start_connection();
	leave(11, 50, STATE_SLEEPING, 0);
	call(10, "read", 100, 110, FD_TCP, 1, 5);
	call(10, "read", 200, 210, FD_TCP, 2, 5);
	wake(10, 300, WAKE_THREAD, 11);
	come(11, 310);
	leave(10, 320, STATE_SLEEPING, 0);
	wake(11, 500, WAKE_THREAD, 10);
	come(10, 510);
	call(10, "write", 600, 610, FD_TCP, 1, 5);
	call(10, "write", 700, 710, FD_TCP, 2, 5);
	call(10, "write", 720, 730, FD_TCP, 2, 5);
	derive_end(&derive);
	cmp_int((int64_t)requests(&graph, 0, &taker), 0, "no request is left out");
	cmp_int(served.n, 2, "each connection had one, the second with an answer in two parts");
	cmp_int(served.sum[1], 610 - 100, "the path of the first is from its read to its answer");
	cmp_int(served.sum[0], 710 - 200, "and so is that of the second");
	cmp_int(served.others[1], 0, "the first is answered first");
	cmp_int(served.others[0], 610 - 200, "for which the second waits");
	cmp_int(graph.threads.v[served.thread].tid, 10, "the one that read has answered");
	served.n = 0;
	requests(&graph, served.queue + 1, &taker);
	cmp_int(served.n, 1, "of one queue, there is one");
	cmp_int(served.others[0], 0, "and no other to work for");
}

static void *no_request(void *arg, const struct request *r)
{
	(void)r;
	return arg;
}

static void no_end(void *arg, void *one, const struct request *r)
{
	(void)one;
	(void)r;
	++*(int *)arg;
}

static void no_request_step(void *one, const struct path_step *s)
{
	(void)one;
	(void)s;
}

/* An answer in two parts, and one that took no time. */
static void test_parts(void)
{
	const struct request_taker taker = { begin_request, take_request, end_request, NULL };

	start();
	uint32_t t = graph_thread(&graph, 1, 1, 0, 0), q = graph_queue(&graph, "q");
	uint64_t asked = graph_get(&graph, t, 10, 0, q, 1);
	graph_put(&graph, t, 20, 0, q, 1, 0);
	graph_put(&graph, t, 30, 0, q, 1, asked);
	asked = graph_get(&graph, t, 40, 0, q, 1);
	graph_put(&graph, t, 40, 0, q, 1, asked);
	served.n = 0;
	requests(&graph, 0, &taker);
	cmp_int(served.n, 1, "what takes no time is no request");
	cmp_int(served.others[0], 0, "the first part of an answer is not for others");
}

/* More requests than can be followed at a time. */
static void test_many_requests(void)
{
	enum { MANY = 5000 };
	static uint64_t asked[MANY];
	int ended = 0;
	const struct request_taker taker = { no_request, no_request_step, no_end, &ended };

	start();
	uint32_t t = graph_thread(&graph, 1, 1, 0, 0), q = graph_queue(&graph, "q");
	/*
	 * Requests are followed backward.  That asked last is over when that answered first comes,
	 * which takes its place; so does one that was over before all the others.
	 */
	uint64_t one = graph_get(&graph, t, 0, 0, q, 1);
	graph_put(&graph, t, 1, 0, q, 1, one);
	for (int i = 0; i < MANY; i++)
		asked[i] = graph_get(&graph, t, 1 + i, 0, q, 1);
	for (int i = 0; i < MANY; i++)
		graph_put(&graph, t, MANY + 1 + i, 0, q, 1, asked[i]);
	cmp_int((int64_t)requests(&graph, 0, &taker), MANY - 4097, "those beyond 4096 are counted");
	cmp_int(ended, 4098, "and the others are followed");
}

int main(void)
{
	test_requests();
	test_parts();
	test_many_requests();
	derive_free(&derive);
	graph_free(&graph);
	return done_testing();
}
