/* SPDX-License-Identifier: MIT */
/* Tests of what time was lost to whom. */
#include "graph/contention.h"

#include <string.h>

#include "trace/event.h"

#include "../random.h"
#include "../tap.h"
#include "graph_lived.h"

/* "cpu 2 10-40: 1:20 idle:10. " */
static char text[1024];

static void take_text(void *arg, const struct contention *c)
{
	static const char *const names[] = { "cpu", "lock", "server", "disk", "link" };
	size_t n = strlen(text);

	(void)arg;
	n += (size_t)snprintf(text + n, sizeof(text) - n, "%s %u %d-%d:", names[c->resource],
			      graph.threads.v[c->waiter.thread].tid, (int)c->from, (int)c->until);
	for (size_t i = 0; i < c->n; i++) {
		uint32_t by = c->charges[i].user.thread;

		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s%.0u:%d",
				      by == USER_IDLE	   ? "idle"
				      : by == USER_OUTSIDE ? "outside"
				      : by == USER_UNKNOWN ? "unknown"
							   : "",
				      by < graph.threads.n ? graph.threads.v[by].tid : 0,
				      (int)c->charges[i].ns);
	}
	snprintf(text + n, sizeof(text) - n, ". ");
}

static void is_contention(const char *want, const char *what)
{
	*text = '\0';
	contention(&graph, take_text, NULL);
	is_string(text, want, "%s", what);
}

/* Two CPUs: 3 waits for the one that 1 and then 2 have. */
static void test_cpu(void)
{
	begin(4);
	run(2, 5, 0);
	run(0, 20, 1);
	run(3, 30, 2);
	take_cpu(1, 20, 1, 2);
	run(1, 32, 1);
	take_cpu(2, 40, 1, 0);
	is_contention("cpu 2 0-20: 1:20. cpu 3 5-40: idle:8 2:12 1:15. ",
		      "a CPU is lost to who had it, and what nobody had is its wake-up");
	take_cpu(3, 50, 1, 77);
	is_contention("cpu 2 0-20: 1:20. cpu 3 5-40: idle:8 2:12 1:15. cpu 4 30-50: outside:18 "
		      "2:2. ",
		      "or another program's");
	take_cpu(0, 60, 0, 0);
	graph_lost(&graph, 10, 25);
	is_contention("cpu 2 0-20: unknown:20. cpu 3 5-40: unknown:20 idle:8 2:7. cpu 4 30-50: "
		      "outside:18 2:2. cpu 1 20-60: unknown:40. ",
		      "what is not known, or was before the end of a gap, is nobody's");
	begin(2);
	run(0, 10, 1);
	graph_delay(&graph, 0, 20, timer, 0);
	run(0, 30, 1);
	take_cpu(1, 40, 1, 0);
	is_contention("cpu 2 0-40: idle:10 1:20 outside:10. ",
		      "who followed is known of the last turn only");
}

/* Somebody has had 5000 turns since. */
static void test_many_turns(void)
{
	int64_t lost = 0;

	begin(3);
	run(2, 1, 0);
	for (int64_t i = 1; i <= 5000; i++)
		run(i % 2, 10 * i, 1);
	take_cpu(2, 50000, 1, 0);
	*text = '\0';
	contention(&graph, take_text, NULL);
	ok(strstr(text, "unknown:"), "what was too long ago is unknown: %s", text);
	sscanf(strstr(text, "unknown:") ? strstr(text, "unknown:") : "unknown:0",
	       "unknown:%" SCNd64, &lost);
	ok(lost > 8000 && lost < 10000, "and no more than that");
}

/* 1 serves 2 and 3: both ask at 10, and it answers 2 at 30, 3 at 50. */
static void test_server(void)
{
	begin(3);
	uint32_t ask[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	uint32_t answer[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	graph_put(&graph, 1, 10, user, ask[0], 1, 0);
	graph_put(&graph, 2, 10, user, ask[1], 1, 0);
	graph_wait(&graph, 0, 12, work, graph.threads.v[1].last, 0);
	graph_get(&graph, 0, 12, user, ask[0], 1);
	run(0, 30, 0);
	uint64_t by = graph_put(&graph, 0, 30, user, answer[0], 1, 0);
	run(0, 35, 0);
	graph_get(&graph, 0, 35, user, ask[1], 1);
	/* Its end is before the present turn. */
	graph_wait(&graph, 1, 31, state("peer"), by, PIECE_EMPTY);
	run(0, 50, 0);
	by = graph_put(&graph, 0, 50, user, answer[1], 1, 0);
	graph_delay(&graph, 0, 60, work, 0);
	graph_wait(&graph, 2, 55, state("peer"), by, PIECE_EMPTY);
	/* A request of its own is done. */
	graph_wait(&graph, 0, 70, work, graph.threads.v[0].last, 0);
	/* That it serves several is known from the second on. */
	is_contention("server 2 10-31: 2:19 idle:2. server 3 10-55: idle:7 3:15 2:23. ",
		      "who is served first takes the time of the next, and one that waits for work "
		      "serves nobody, nor itself");
}

/* 1 took data from 2 and 3, as a shell does from its substitutions, and is then another program. */
static void test_next_program(void)
{
	begin(3);
	uint32_t ask[2] = { graph_queue(&graph, "pipe"), graph_queue(&graph, "pipe") };
	uint32_t answer = graph_queue(&graph, "pipe");
	for (uint32_t i = 0; i < 2; i++) {
		graph_put(&graph, 1 + i, 10, user, ask[i], 2, 0);
		graph_get(&graph, 0, 12 + i, user, ask[i], 1);
	}
	uint16_t exec = state("execve");
	graph_run(&graph, 0, 20, user, 15, exec);
	graph_get(&graph, 0, 20, user, ask[0], 1);
	run(0, 30, 0);
	uint64_t by = graph_put(&graph, 0, 30, user, answer, 1, 0);
	graph_wait(&graph, 2, 31, state("peer"), by, PIECE_EMPTY);
	is_contention("", "a program is no server because the one before it was");
}

/* Where waiters and users were: "order: pay 8 idle 7". */
static void take_classes(void *arg, const struct contention *c)
{
	size_t n = strlen(text);
	uint16_t at = c->waiter.at.user, in = c->waiter.at.call;

	if (c->resource != *(const enum resource *)arg)
		return;
	n += (size_t)snprintf(
	    text + n, sizeof(text) - n, "%s%s%s:", graph.words.v[graph.states.v[at].word],
	    at == in ? "" : " ", at == in ? "" : graph.words.v[graph.states.v[in].word]);
	for (size_t i = 0; i < c->n; i++) {
		struct party by = c->charges[i].user;

		n += (size_t)snprintf(text + n, sizeof(text) - n, " %s %d",
				      by.thread == USER_IDLE
					  ? "idle"
					  : graph.words.v[graph.states.v[by.at.call].word],
				      (int)c->charges[i].ns);
	}
	snprintf(text + n, sizeof(text) - n, ". ");
}

static void run_as(uint32_t t, int64_t until, uint16_t as, uint16_t in)
{
	graph_run(&graph, t, until, as, graph.threads.v[t].at, in);
}

/* 1 serves 2, which orders and then pays, and 3, which looks. */
static void test_classes(void)
{
	static const enum resource cpu = RESOURCE_CPU, server = RESOURCE_SERVER,
				   device = RESOURCE_DISK;

	begin(3);
	uint16_t order = state("order"), pay = state("pay"), look = state("look");
	uint32_t ask[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	uint32_t answer = graph_queue(&graph, "tcp");
	run_as(1, 10, order, call);
	run_as(2, 10, look, call);
	uint64_t first = graph_put(&graph, 1, 10, call, ask[0], 1, 0);
	tape_at(&graph.tape, first - 1)->before = order;
	graph_put(&graph, 2, 10, look, ask[1], 1, 0);
	/* It goes on to the next request before the first is taken. */
	run_as(1, 12, pay, call);
	graph_get(&graph, 0, 12, user, ask[1], 1);
	run(0, 20, 0);
	graph_get(&graph, 0, 20, user, ask[0], 1);
	run(0, 50, 0);
	uint64_t by = graph_put(&graph, 0, 50, user, answer, 1, 0);
	graph_wait(&graph, 2, 55, state("peer"), by, PIECE_EMPTY);
	*text = '\0';
	contention(&graph, take_classes, (void *)&server);
	is_string(text, "look: order 35 look 8 idle 2. ",
		  "a request is of the class that its client was in when it sent it");

	begin(2);
	order = state("order");
	pay = state("pay");
	graph.threads.v[1].cpu = 1;
	run_as(1, 10, order, call);
	run_as(1, 30, pay, call);
	take_cpu(0, 30, 1, 0);
	*text = '\0';
	contention(&graph, take_classes, (void *)&cpu);
	is_string(text, "user: pay 20 order 10. ", "and so is who has a CPU");

	begin(2);
	look = state("look");
	pay = state("pay");
	uint16_t sync = state("fsync"), read = state("read");
	run_as(0, 10, look, sync);
	run_as(1, 10, pay, read);
	graph_delay(&graph, 0, 50, disk, 0);
	graph_delay(&graph, 1, 50, disk, 0);
	run_as(0, 60, look, sync);
	run_as(1, 60, pay, read);
	*text = '\0';
	contention(&graph, take_classes, (void *)&device);
	is_string(text, "pay read: fsync 20 read 20. look fsync: read 20 fsync 20. ",
		  "and waits for a disk are told apart by their calls, too");

	begin(1);
	graph_delay(&graph, 0, 50, disk, 0);
	graph_run(&graph, 0, 60, state("look"), 55, state("read"));
	*text = '\0';
	contention(&graph, take_classes, (void *)&device);
	is_string(text, "look: look 50. ", "but for one before the next call");

	begin(1);
	graph_delay(&graph, 0, 50, disk, 0);
	*text = '\0';
	contention(&graph, take_classes, (void *)&device);
	is_string(text, "user: user 50. ", "unless the thread was not seen to run");
}

/* The same where clients wait for any of their descriptors, by poll() or the like. */
static void test_polling_client(void)
{
	begin(3);
	uint32_t ask[2] = { graph_queue(&graph, "tcp"), graph_queue(&graph, "tcp") };
	graph_put(&graph, 1, 10, user, ask[0], 1, 0);
	graph_put(&graph, 2, 10, user, ask[1], 1, 0);
	graph_wait(&graph, 0, 12, work, graph.threads.v[1].last, 0);
	graph_get(&graph, 0, 12, user, ask[0], 1);
	run(0, 30, 0);
	graph_get(&graph, 0, 30, user, ask[1], 1);
	run(0, 50, 0);
	uint64_t by = graph_put(&graph, 0, 50, user, graph_queue(&graph, "tcp"), 1, 0);
	graph_wait(&graph, 2, 51, work, by, 0);
	is_contention("server 3 10-51: 3:21 2:18 idle:2. ",
		      "who polls loses what the server does for the other one, too");
}

/* Three wait for the disk, one of them alone at first, and a fourth not at all. */
static void test_disk(void)
{
	begin(4);
	graph_delay(&graph, 3, 10, timer, 0);
	run(1, 40, 0);
	run(2, 60, 0);
	graph_delay(&graph, 1, 70, disk, 0);
	graph_delay(&graph, 0, 100, disk, 0);
	graph_delay(&graph, 2, 103, disk, 0);
	is_contention("disk 3 60-103: 3:22 1:18 2:3. disk 2 40-70: 3:3 1:13 2:14. "
		      "disk 1 0-100: 3:18 1:69 2:13. ",
		      "a disk is shared by those who wait for one");
	graph_lost(&graph, 50, 65);
	graph_lost(&graph, 99, 101);
	is_contention("disk 3 60-103: unknown:41 3:2. disk 1 0-100: unknown:100. disk 2 40-70: "
		      "unknown:25 2:5. ",
		      "as far as that is known");
	begin(2);
	run(0, 10, 0);
	run(1, 20, 1);
	graph_wait(&graph, 1, 50, disk, graph.threads.v[0].last, 0);
	run(0, 60, 0);
	graph_wait(&graph, 1, 60, disk, graph.threads.v[0].last, 0);
	is_contention("disk 2 20-50: 2:30. ",
		      "also for a request that was made before, but not for a thread");
}

/* More wait for the disk at once than are told apart, or one begins after it ends on the tape. */
static void take_unknown(void *arg, const struct contention *c)
{
	int64_t *ns = arg;

	for (size_t i = 0; i < c->n; i++)
		ns[c->charges[i].user.thread == USER_UNKNOWN] += c->charges[i].ns;
}

static void test_many_disks(void)
{
	int64_t ns[2] = { 0, 0 };

	begin(CONTENTION_PARTS + 6);
	for (uint32_t t = 0; t < CONTENTION_PARTS + 6; t++)
		graph_delay(&graph, t, 64, disk, 0);
	contention(&graph, take_unknown, ns);
	cmp_int(ns[0], 64 * CONTENTION_PARTS, "of many waits, that many are shared");
	cmp_int(ns[1], 64 * 6, "and the others unknown");
	begin(2);
	graph_delay(&graph, 0, 50, disk, 0);
	graph_delay(&graph, 1, 40, disk, 0);
	is_contention("disk 2 0-40: 1:20 2:20. disk 1 0-50: unknown:10 2:20 1:20. ",
		      "what is behind a wait that is later on the tape is unknown");
}

/* The same for turns on a CPU. */
static void test_many_users(void)
{
	int64_t ns[2] = { 0, 0 };
	uint32_t n = CONTENTION_PARTS + 6;

	begin(n + 1);
	run(0, 10, 0);
	for (uint32_t t = 1; t <= n; t++) {
		graph_delay(&graph, t, 10 * t, timer, 0);
		run(t, 10 * t + 10, 1);
	}
	take_cpu(0, 10 * n + 10, 1, 0);
	contention(&graph, take_unknown, ns);
	cmp_int(ns[0], 10 * (CONTENTION_PARTS - 1), "of many users, almost that many are known");
	cmp_int(ns[1], 10 * 7, "and the earliest are not");
}

/* A thread of the network carries what the sender puts at `sent` and 1 is ready for, alone until
 * `alone`. */
static void carry(uint32_t sender, uint32_t carrier, int64_t sent, int64_t alone, int64_t until,
		  const char *link)
{
	uint32_t out = graph_queue(&graph, "out"), in = graph_queue(&graph, "in");
	uint32_t ready = graph_queue(&graph, "ready");

	graph_put(&graph, sender, sent, user, out, 1, 0);
	graph_wait(&graph, carrier, sent, work, graph.threads.v[sender].last, 0);
	graph_get(&graph, carrier, sent, user, out, 1);
	graph_put(&graph, 0, sent, user, ready, 1, 0);
	graph_get(&graph, carrier, sent, user, ready, 1);
	run_as(carrier, alone, state("wire"), state("wire"));
	run_as(carrier, until, state(link), state(link));
	graph_put(&graph, carrier, until, state(link), in, 1, 0);
	graph_get(&graph, 0, until, user, in, 1);
}

/* 2 and 3 send to 1 over one link, 4 over another one. */
static void test_link(void)
{
	begin(7);
	carry(1, 4, 10, 40, 60, "contention a");
	carry(3, 6, 10, 40, 60, "contention b");
	carry(2, 5, 30, 50, 71, "contention a");
	carry(1, 4, 80, 90, 90, "wire");
	carry(1, 4, 100, 130, 160, "contention a");
	is_contention("link 2 100-160: 2:60. link 3 30-71: 3:26 2:15. link 2 10-60: 3:15 2:35. "
		      "link 4 10-60: 4:50. ",
		      "the time of messages is shared by the senders of those on the same link");

	begin(4);
	graph.threads.v[2].tid = graph.threads.v[3].tid = 1 << HOST_SHIFT | 9;
	uint32_t way = graph_queue(&graph, "tcp"), back = graph_queue(&graph, "tcp");
	graph.queues.v[way].way = graph.queues.v[back].way = 5;
	static const struct {
		uint32_t from, to;
		int64_t sent, until;
	} v[] = { { 0, 2, 10, 15 },
		  { 0, 2, 20, 65 },
		  { 1, 3, 30, 75 },
		  { 3, 1, 80, 90 },
		  { 0, 1, 80, 90 } };
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		uint64_t put = graph_put(&graph, v[i].from, v[i].sent, user,
					 v[i].from == 3 ? back : way, 1, 0);
		uint64_t wait = graph_wait(&graph, v[i].to, v[i].until, work, put, PIECE_WIRE);

		tape_at(&graph.tape, wait - 1)->queue = v[i].from == 3 ? back : way;
	}
	is_contention("link 4194313 85-90: 4194313:5. link 2 35-75: 2:25 1:15. "
		      "link 1 25-65: 2:15 1:25. ",
		      "so is that between two hosts, in each direction, but for how long it is");
}

/* ---- by brute force ---- */

enum { THREADS = 6, CPUS = 2, ROUNDS = 60 };

static int wrong, checked;

/* Who had the CPU of that wait, instant by instant. */
static void check(void *arg, const struct contention *c)
{
	const uint8_t(*had)[CPUS][ROUNDS * 10] = arg;
	int64_t want[THREADS] = { 0 }, sum = 0;

	for (int64_t t = c->from; t < c->until; t++)
		if ((*had)[c->waiter.thread % CPUS][t])
			want[(*had)[c->waiter.thread % CPUS][t] - 1]++;
	for (size_t i = 0; i < c->n; i++) {
		sum += c->charges[i].ns;
		if (c->charges[i].user.thread < THREADS) {
			wrong += c->charges[i].ns != want[c->charges[i].user.thread];
			want[c->charges[i].user.thread] = 0;
		}
	}
	for (int t = 0; t < THREADS; t++)
		wrong += want[t] != 0;
	wrong += sum != c->until - c->from;
	checked++;
}

/* Threads of the same parity take turns on a CPU, for as long as they like. */
static void test_random(void)
{
	static uint8_t had[CPUS][ROUNDS * 10];

	for (int n = 0; n < 300; n++) {
		int64_t now[CPUS] = { 0 };

		begin(THREADS);
		memset(had, 0, sizeof(had));
		for (int i = 0; i < ROUNDS; i++) {
			uint32_t t = (uint32_t)below(THREADS);
			int64_t *at = &now[t % CPUS], length = below(8);

			*at += below(3);
			if (graph.threads.v[t].at < *at)
				take_cpu(t, *at, (uint16_t)(1 + t % CPUS), 0);
			memset(&had[t % CPUS][*at], (int)t + 1, (size_t)length);
			*at += length;
			run(t, *at, (uint16_t)(1 + t % CPUS));
		}
		contention(&graph, check, had);
	}
	ok(checked > 5000, "%d waits for a CPU of random turns", checked);
	cmp_int(wrong, 0, "are charged to those who had it");
}

int main(void)
{
	test_cpu();
	test_many_turns();
	test_server();
	test_next_program();
	test_classes();
	test_polling_client();
	test_disk();
	test_many_disks();
	test_many_users();
	test_link();
	test_random();
	graph_free(&graph);
	return done_testing();
}
