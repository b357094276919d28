/* SPDX-License-Identifier: MIT */
/* Worked examples of the graph of who waited for whom, and what is broken. */
#include "graph/graph.h"

#include <math.h>

#include "graph/forward.h"
#include "graph/replay.h"
#include "graph/simulate_parts.h"

#include "../tap.h"
#include "graph_walked.h"

/* Thread 1 runs 10 in a, waits for thread 2 until 30, runs to 50 in b; 2 is born at 0, runs in c.
 */
static void make_wait(void)
{
	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	graph_run(&graph, 0, 10, states[0], 10, states[0]);
	graph_block(&graph, 0, states[3]);
	uint64_t by = graph_run(&graph, two, 30, states[2], 30, states[2]);
	ok(graph_wake(&graph, 0, 30, by, 0), "a thread that waits is woken");
	ok(!graph_wake(&graph, 0, 31, by, 0), "but not twice");
	ok(graph_resume(&graph, 0, 30, 0, states[0]), "and has waited");
	graph_run(&graph, 0, 50, states[1], 50, states[1]);
}

static void test_late_wake(void)
{
	make_wait();
	graph_block(&graph, 0, states[3]);
	ok(!graph_wake(&graph, 0, 40, 0, 0), "no wake-up ends a wait that begins later");
	graph_wake(&graph, 0, 70, 0, 0);
	graph_resume(&graph, 0, 60, 0, states[0]);
	cmp_int(graph.threads.v[0].at, 60, "who runs again waits no longer, whenever it was woken");
}

static void test_definitions(void)
{
	make_wait();
	ok(is_path(), "a wait is explained");
	cmp_int(walked.by_state[2], 30,
		"globally all of the time before the wake-up is the waker's");
	memset(&walked, 0, sizeof(walked));
	walked.at = 50;
	cmp_int(path_anchored(&graph, 0, 0, 50, take, NULL), 50, "anchored: all of the interval");
	cmp_int(walked.by_state[0], 10, "the thread's own time before the wait");
	cmp_int(walked.by_state[2], 20, "the waker's during the wait");
	cmp_int(walked.by_state[1], 20, "the thread's own time behind it");
}

static void test_removed(void)
{
	bool removed[STATES + 1] = { false };
	struct hypothesis h = { .removed = removed };
	double ns;

	make_wait();
	removed[states[3]] = true;
	replay(&graph, &h, 1, &ns);
	cmp_near(ns, 30, 0, "nobody waits any more, but the other still runs for as long");
}

/* A queue of one place: 1 puts three units, 10 each, 2 takes 30 each to work at one. */
static void make_queue(void)
{
	uint64_t piece[3];

	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	uint32_t q = graph_queue(&graph, "q");
	graph_put(&graph, 0, 10, states[0], q, 1, 0);
	graph_wait(&graph, two, 10, states[3], graph.threads.v[0].last, PIECE_EMPTY);
	piece[0] = graph_get(&graph, two, 10, states[1], q, 1);
	graph_put(&graph, 0, 20, states[0], q, 1, 0);
	graph_run(&graph, 0, 30, states[0], 30, states[0]);
	graph_run(&graph, two, 40, states[1], 40, states[1]);
	piece[1] = graph_get(&graph, two, 40, states[1], q, 1);
	uint64_t wait = graph_wait(&graph, 0, 40, states[3], piece[1], PIECE_FULL);
	tape_at(&graph.tape, wait - 1)->queue = q;
	graph_put(&graph, 0, 40, states[0], q, 1, 0);
	graph_run(&graph, two, 70, states[1], 70, states[1]);
	piece[2] = graph_get(&graph, two, 70, states[1], q, 1);
	graph_run(&graph, two, 100, states[1], 100, states[1]);
	graph_run(&graph, 0, 90, states[2], 90, states[2]);
}

static void test_queue(void)
{
	static double capacities[] = { NAN, 1, 2, INFINITY };
	double slow[STATES + 1] = { 1, 1, 1, 1, 1 };
	struct hypothesis h[8];
	double ns[8];

	make_queue();
	cmp_int(graph_unmatched(&graph), 0, "each unit was put before it was taken");
	cmp_int(graph.queues.v[0].most, 1, "one unit at a time was in the queue");
	ok(is_path(), "a path goes through the queue");
	cmp_int(walked.by_state[1], 90, "which is the consumer's from the first unit on");
	for (int i = 0; i < 8; i++)
		h[i] = (struct hypothesis){ .capacity = &capacities[i % 4],
					    .scale = i < 4 ? NULL : slow };
	slow[states[2]] = 10;
	replay(&graph, h, 8, ns);
	cmp_near(ns[0], 100, 0, "as it is");
	cmp_near(ns[1], 100, 0, "with its one place");
	cmp_near(ns[2], 100, 0, "with two: the consumer is still the bottleneck");
	cmp_near(ns[4], 540, 0, "what the producer does last takes ten times as long");
	cmp_near(ns[5], 540, 0, "with one place it begins when the second unit was taken");
	cmp_near(ns[7], 530, 0, "with any number it need not wait for that");
	/* Less room than was used: nothing more can be said than that it takes as long at least. */
	static double half = 0.5;
	replay(&graph, &(struct hypothesis){ .capacity = &half }, 1, ns);
	ok(ns[0] >= 100, "with less room than was used it is not faster");
	static const int64_t simulated[] = { 100, 100, 100, 100, 540, 540, 530, 530 };
	graph.queues.v[0].bounded = true;
	for (int i = 0; i < 8; i++)
		cmp_int(simulate(&graph, &h[i], 0).ns, simulated[i], "simulated: case %d", i);
}

/* A wait for room that nobody was seen to make. */
static void test_delay(void)
{
	double capacity = INFINITY, ns[2];
	const struct hypothesis h[2] = { { 0 }, { .capacity = &capacity } };

	graph_begin();
	uint32_t q = graph_queue(&graph, "q");
	graph_put(&graph, 0, 10, states[0], q, 1, 0);
	uint64_t wait = graph_delay(&graph, 0, 40, states[3], PIECE_FULL);
	tape_at(&graph.tape, wait - 1)->queue = q;
	graph_put(&graph, 0, 45, states[0], q, 1, 0);
	replay(&graph, h, 2, ns);
	cmp_near(ns[0], 45, 0, "a wait for room has the length that it had");
	cmp_near(ns[1], 15, 0, "and none if there is room");
}

/* A thread works, waits for a disk and then for an idle CPU, works, and is without a CPU for 8. */
static void test_resume(void)
{
	bool gone[STATES + 1] = { false };
	double faster[STATES + 1] = { 1, 1, 1, 1, 1 }, ns[3];
	const struct hypothesis h[3] = { { 0 },
					 { .scale = faster },
					 { .scale = faster, .removed = gone } };

	graph_begin();
	gone[states[3]] = true;
	faster[states[3]] = 0;
	graph_run(&graph, 0, 10, states[0], 10, states[0]);
	graph_block(&graph, 0, states[3]);
	graph_wake(&graph, 0, 40, 0, 0);
	graph_resume(&graph, 0, 47, 0, states[2]);
	graph_run(&graph, 0, 60, states[0], 60, states[0]);
	graph_block(&graph, 0, states[1]);
	graph_wake(&graph, 0, 60, 0, 0);
	graph_resume(&graph, 0, 68, 0, states[2]);
	replay(&graph, h, 3, ns);
	cmp_near(ns[0], 68, 0, "a wait for a disk and for an idle CPU");
	cmp_near(ns[1], 38, 0, "however fast the disk is, the thread has to resume");
	cmp_near(ns[2], 31, 0, "who does not wait for the disk does not have to, after this wait");
	for (int i = 0; i < 3; i++)
		cmp_int(simulate(&graph, &h[i], 1).ns, (int64_t)ns[i], "re-simulated, too");
}

/* A thread that waits for another one and then for an idle CPU. */
static void test_stays(void)
{
	double slower[STATES + 1] = { 1, 4, 1, 1, 1 };

	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	uint64_t by = graph_run(&graph, 0, 30, states[0], 30, states[0]);
	graph_run(&graph, two, 10, states[1], 10, states[1]);
	graph_block(&graph, two, states[3]);
	graph_wake(&graph, two, 30, by, 0);
	graph_resume(&graph, two, 37, 0, states[2]);
	graph_run(&graph, two, 60, states[1], 60, states[1]);
	cmp_int(simulate(&graph, &(struct hypothesis){ 0 }, 2).ns, 60, "a wait and a resume");
	cmp_int(simulate(&graph, &(struct hypothesis){ .scale = slower }, 2).ns, 4 * (10 + 23),
		"who comes too late to have to wait keeps its CPU");
}

/* Two threads of 40 ms each, which took turns on one CPU.  `handed`: each leaves it to the other.
 */
static void test_cpus(bool handed)
{
	enum { MS = 1000000 };
	struct hypothesis h = { .scale = NULL };
	uint64_t left = 0;

	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	for (int64_t i = 0; i < 8; i++) {
		uint32_t t = i % 2 ? two : 0;

		graph_block(&graph, t, states[3]);
		graph_wake(&graph, t, graph.threads.v[t].at, 0, 0);
		graph_resume(&graph, t, i * 10 * MS, handed ? left : 0, states[2]);
		left = graph_run(&graph, t, (i + 1) * 10 * MS, states[t], 0, states[t]);
	}
	graph_block(&graph, 0, states[3]);
	cmp_int(simulate(&graph, &h, 1).ns / MS, 80, "on one CPU as it was");
	int64_t ns = simulate(&graph, &h, 2).ns;
	if (handed)
		cmp_int(ns, 40 * MS, "with another CPU half of that");
	else
		ok(ns > 40 * MS && ns < 41 * MS, "and wake-ups");
	double ns_frozen;
	replay(&graph, &h, 1, &ns_frozen);
	cmp_near(ns_frozen, 80 * MS, 0, "which a frozen order cannot tell");
	graph.cpus = 4;
	cmp_int(simulate_unchanged(&graph).ns / MS, 80, "of four CPUs, it used as many");
	cmp_int(graph.cpus, 1, "as explain the time it took");
}

/* Threads of 20 ms each, which had no CPU for 10 ms though no other thread used it. */
static void test_others(unsigned threads)
{
	enum { MS = 1000000 };

	uint64_t first = graph_begin();
	for (uint32_t t = 0; t < threads; t++) {
		if (t)
			graph_thread(&graph, 1, 1 + t, 0, first);
		graph_run(&graph, t, 10 * MS, states[0], 0, states[0]);
		graph_block(&graph, t, states[3]);
		graph_wake(&graph, t, 10 * MS, 0, 0);
		graph_resume(&graph, t, 20 * MS, 0, states[2]);
		graph_run(&graph, t, 30 * MS, states[0], 0, states[0]);
	}
	graph.cpus = 2;
	cmp_int(simulate_unchanged(&graph).ns / MS, 20, "other programs used the CPUs");
	cmp_int(graph.cpus, 2, "which no number of them explains");
}

/* On one CPU, the short one of two threads does not wait until the long one is done. */
static void test_slices(void)
{
	enum { MS = 1000000 };

	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	graph_run(&graph, 0, 40 * MS, states[0], 0, states[0]);
	graph_run(&graph, two, 2 * MS, states[1], 0, states[1]);
	graph_delay(&graph, two, 52 * MS, states[2], 0);
	cmp_int(simulate(&graph, &(struct hypothesis){ 0 }, 1).ns / MS, 3 + 2 + 50,
		"it runs after one slice");
}

/*
 * 1 reads, with 10 of work before it, twice 3 to take a unit and 5 to use it, and a timer of 100
 * behind it.  2 writes: 20 of work, a unit, 7, a unit, 30.  Whoever waits leaves its CPU; an empty
 * queue takes any unit.
 */
static void test_hand_over(void)
{
	static const struct {
		double room;
		unsigned cpus;
		int64_t ns;
		const char *what;
	} cases[] = {
		{ 0.5, 1, 10 + 20 + 7 + 2 * (3 + 5) + 100,
		  "both wait, and leave it to each other" },
		{ 2, 1, 10 + 20 + 7 + 30 + 2 * (3 + 5) + 100, "who has room does not wait" },
		{ 1, 2, 20 + 2 * (3 + 5) + 100, "nor for a CPU if there is another one" },
	};
	uint32_t two = graph_thread(&graph, 1, 2, 0, graph_begin());
	uint32_t q = graph_queue(&graph, "q");

	graph_run(&graph, 0, 10, states[0], 0, states[0]);
	for (int64_t put = 20, got = 23, i = 0; i < 2; i++, put += 7, got += 8) {
		graph_run(&graph, two, put, states[1], 0, states[1]);
		uint64_t by = graph_put(&graph, two, put, states[1], q, 1, 0);
		uint64_t wait = graph_wait(&graph, 0, got - 3, states[3], by, PIECE_EMPTY);
		tape_at(&graph.tape, wait - 1)->queue = q;
		graph_get(&graph, 0, got, states[0], q, 1);
		graph_run(&graph, 0, got + 5, states[0], 0, states[0]);
	}
	graph_delay(&graph, 0, 136, states[2], 0);
	graph_run(&graph, two, 57, states[1], 0, states[1]);
	for (int i = 0; i < 3; i++) {
		struct simulation s = simulate(
		    &graph, &(struct hypothesis){ .capacity = (double[]){ cases[i].room } },
		    cases[i].cpus);

		cmp_int(s.ns, cases[i].ns, "re-simulated: %s", cases[i].what);
		cmp_int((int64_t)s.forced, 0, "of their own accord");
	}
}

static void finish_some(struct simulator *s, uint32_t thread, int most)
{
	while (most-- && simulator_next(s, thread)) {
		const struct piece p = *tape_read(&graph.tape, s->actors.v[thread].piece - 1);

		simulator_finish(s, thread, &p, 0);
	}
}

/* While a thread is far behind, its pieces are kept, and what it still waits for. */
static void test_spans(void)
{
	struct simulator s = { .graph = &graph, .h = &(struct hypothesis){ 0 } };
	size_t kept = 0;

	graph_thread(&graph, 1, 2, 0, graph_begin());
	uint64_t cause = graph_run(&graph, 0, 1, states[0], 0, states[0]);
	for (int64_t i = 2; i < 4 * SPAN; i++)
		graph_run(&graph, 0, i, states[0], 0, states[0]);
	uint64_t wait = graph_wait(&graph, 1, 4 * SPAN, states[3], cause, 0);
	simulator_read(&s);
	finish_some(&s, 1, 1);
	finish_some(&s, 0, 4 * SPAN);
	ok(simulator_at(&s, cause - 1) && *simulator_at(&s, cause - 1) == 0 &&
	       simulator_at(&s, wait - 1),
	   "a cause is remembered until it has been used");
	ok(!simulator_at(&s, SPAN) && !simulator_at(&s, 2 * SPAN), "others are not");
	finish_some(&s, 1, 1);
	for (size_t i = 0; i < s.spans.n; i++)
		kept += s.spans.v[i] != NULL;
	cmp_int(kept, 0, "in the end nothing is");
	vec_free(&s.actors);
	vec_free(&s.spans);
	reorder_free(&s.events);
}

/* A consumer that wants more than is ever put. */
static void test_starved(void)
{
	uint64_t first = graph_begin();
	uint32_t two = graph_thread(&graph, 1, 2, 0, first);
	uint32_t q = graph_queue(&graph, "q");
	graph_put(&graph, 0, 10, states[0], q, 5, 0);
	uint64_t get = graph_get(&graph, two, 20, states[1], q, 5);
	tape_at(&graph.tape, get - 1)->amount = 6;
	struct simulation s = simulate(&graph, &(struct hypothesis){ 0 }, 1);
	cmp_int((int64_t)s.forced, 1, "a wait that nothing ends is cut short");
	ok(s.ns >= 20, "and it goes on");
}

/* ---- what is broken ---- */

static void test_broken(void)
{
	make_wait();
	uint64_t late = graph_run(&graph, 1, 80, states[2], 80, states[2]);
	graph_wait(&graph, 0, 60, states[3], late, 0);
	cmp_int(graph.faults.inverted, 1, "a cause behind its effect is left out");
	graph_delay(&graph, 0, 20, states[3], 0);
	cmp_int(graph.faults.moved, 1, "a time that goes back stands still");
	ok(is_path(), "and a path tiles the time all the same");
	uint64_t by = graph_run(&graph, 1, 90, states[2], 90, states[2]);
	uint64_t wait = graph_wait(&graph, 0, 95, states[3], by, 0);
	graph_retract(&graph, wait);
	cmp_int(tape_at(&graph.tape, by - 1)->uses, 0, "a cause that is taken back has no use");
	graph_lost(&graph, 5, 8);
	graph_lost(&graph, 7, 10);
	graph_lost(&graph, 40, 45);
	cmp_int(graph.gaps.n, 2, "losses that overlap are one");
	cmp_int(graph_missing(&graph, 6, 42), 4 + 2, "events are missing in 6 ns of these");
	graph_lost(&graph, 6, 41);
	cmp_int(graph.gaps.n, 1, "and one that joins two");
	cmp_int(graph_missing(&graph, 0, 100), 45 - 5, "covers both");
	graph_lost(&graph, 3, 4);
	cmp_int(graph_missing(&graph, 0, 100), 45 - 3, "as does one that is known late");
	graph_begin();
	graph_get(&graph, 0, 5, states[0], graph_queue(&graph, "q"), 7);
	cmp_int(graph_unmatched(&graph), 7, "units that nobody put");
	graph_put(&graph, 0, 5, states[0], 0, 4, 0);
	cmp_int(graph_unmatched(&graph), 3, "are fewer when some are put later");
	cmp_int(graph.queues.v[0].most, 0, "which never were in the queue");
	for (uint64_t i = 0; i < 2; i++) {
		uint32_t read = graph_queue(&graph, "read");
		graph_put(&graph, 0, 5, states[0], read, 1, 0);
		if (!i)
			graph_get(&graph, 0, 5, states[0], read, 1);
		graph_queue_end(&graph, read);
		cmp_int(graph.faults.unread, i, "what was taken is not left in a queue");
	}
	uint32_t unread = graph_queue(&graph, "unread");
	for (int i = 0; i < 1000; i++)
		graph_put(&graph, 0, 5, states[0], unread, 1, 0);
	ok(graph.faults.unread > 500, "of messages that nobody reads few are kept");
	uint32_t q = graph_queue(&graph, "full");
	graph_put(&graph, 0, 6, states[0], q, 3, 0);
	graph_get(&graph, 0, 7, states[0], q, 2);
	graph_put(&graph, 0, 8, states[0], q, 1, 0);
	cmp_int(graph.queues.v[q].most, 3, "a queue was as full as it ever was");
	/* A thread whose beginning nobody saw. */
	uint32_t two = graph_thread(&graph, 2, 2, 20, 0);
	graph_run(&graph, two, 30, states[0], 30, states[0]);
	memset(&walked, 0, sizeof(walked));
	cmp_int(path_global(&graph, graph.last, 0, take, NULL), 30, "what was before it counts");
	cmp_int(walked.unknown, 20, "as unknown");
	graph_free(&graph);
	graph = (struct graph){ 0 };
	cmp_int(path_global(&graph, 0, 0, take, NULL), 0, "an empty graph has no path");
	double ns = 1;
	replay(&graph, &(struct hypothesis){ 0 }, 1, &ns);
	cmp_near(ns, 0, 0, "and takes no time");
}

/* What a thread did while events are missing is unknown, whatever was seen of it before and after.
 */
static void test_gaps(void)
{
	graph_begin();
	graph_run(&graph, 0, 100, states[0], 60, states[1]);
	graph_lost(&graph, 0, 5);
	graph_lost(&graph, 30, 70);
	graph_lost(&graph, 90, 120);
	ok(!is_path(), "a path through gaps of the trace is not all known");
	cmp_int(walked.sum, 100, "but covers the time");
	ok(!walked.gaps && walked.at == 0, "without gaps of its own");
	cmp_int(walked.by_state[0], 60 - 5 - 30, "before one it is known");
	cmp_int(walked.by_state[1], 40 - 10 - 10, "and behind it");
	cmp_int(path_anchored(&graph, 0, 2, 100, take, NULL), 98, "from within one, too");
	int64_t ns[STATES + 1];
	replay_totals(&graph, false, ns);
	ok(ns[states[0]] == 60 && ns[states[1]] == 40, "all of it is of the state that it was in");
}

/* The first thread waits for one that is first seen meanwhile and makes another one. */
static void test_unseen(void)
{
	graph_begin();
	graph_run(&graph, 0, 10, states[0], 10, states[0]);
	uint32_t two = graph_thread(&graph, 1, 2, 20, 0);
	uint64_t by = graph_run(&graph, two, 30, states[1], 30, states[1]);
	graph_wait(&graph, 0, 30, states[3], by, 0);
	memset(&walked, 0, sizeof(walked));
	path_anchored(&graph, 0, 0, 40, take, NULL);
	cmp_int(walked.unknown, 10 + 10,
		"unknown is what was before it, and what is behind the end");
	cmp_int(walked.by_state[0], 10, "not what was before the wait");
	uint32_t three = graph_thread(&graph, 1, 3, 30, by);
	graph_run(&graph, three, 50, states[2], 50, states[2]);
	memset(&walked, 0, sizeof(walked));
	path_anchored(&graph, three, 0, 50, take, NULL);
	cmp_int(walked.by_state[1], 10, "before its birth a thread was its parent");
}

static void visit(void *arg, const struct visit *v)
{
	int *counts = arg;
	uint64_t number = v->number;

	if (v->keep)
		memcpy(v->keep, &number, sizeof(number));
	if (v->cause)
		memcpy(&number, v->cause, sizeof(number));
	counts[0] += v->cause && number == v->piece->cause - 1;
	counts[1] += v->last;
	counts[2] += v->ends;
}

/* Two threads wait for the first, and then for each other. */
static void test_forward(void)
{
	int counts[3] = { 0 };
	uint64_t by = graph_begin();

	for (uint32_t t = 1; t < 3; t++)
		graph_thread(&graph, 1, t + 1, 0, by);
	by = graph_run(&graph, 0, 10, states[0], 10, states[0]);
	for (uint32_t t = 1; t < 3; t++)
		graph_wait(&graph, t, 10, states[3], by, 0);
	for (int64_t i = 1; i < 9; i++) {
		by = graph_run(&graph, 1 + i % 2, 10 + 10 * i, states[1], 0, states[1]);
		graph_wait(&graph, 2 - i % 2, 10 + 10 * i, states[3], by, 0);
	}
	forward(&graph, sizeof(uint64_t), visit, counts);
	cmp_int(counts[0], 4 + 8, "each piece meets what was kept of its cause");
	cmp_int(counts[1], 2 + 8, "which is known to be used for the last time");
	cmp_int(counts[2], 3, "and threads end");
}

/* More pieces than fit into the memory that the tape is given. */
static void test_tape(void)
{
	enum { MANY = 300000 };
	uint64_t pieces[2] = { 0 };

	uint64_t first = graph_begin();
	graph.tape.most = 3;
	graph_thread(&graph, 1, 2, 0, first);
	for (int64_t i = 1; i <= MANY; i++) {
		uint32_t t = i % 2;

		graph_wait(&graph, t, 10 * i, states[3], pieces[!t], 0);
		pieces[t] = graph_run(&graph, t, 10 * i + 10, states[t], 10 * i + 10, states[t]);
	}
	tape_at(&graph.tape, 5)->flags |= PIECE_GUESS;
	struct error e;
	ok(!tape_check(&graph.tape, &e), "a temporary file takes what does not fit");
	ok(is_path(), "the path is whole");
	cmp_int(walked.by_state[0] + walked.by_state[1], 10 * (int64_t)MANY, "all of its steps");
	double ns;
	replay(&graph, &(struct hypothesis){ 0 }, 1, &ns);
	cmp_near(ns, (double)graph.end, 0, "and so is the replay");
	ok(tape_read(&graph.tape, 5)->flags & PIECE_GUESS, "a change of an early piece stays");
	graph_free(&graph);
}

/* The i-th of many pieces, with numbers of all lengths. */
static struct piece any_piece(uint64_t i)
{
	uint64_t r[6];
	struct piece p;

	for (uint64_t k = 0; k < 6; k++) {
		r[k] = (6 * i + k + 1) * 0x9e3779b97f4a7c15u;
		r[k] = (r[k] ^ r[k] >> 29) * 0xbf58476d1ce4e5b9u;
		r[k] = (r[k] ^ r[k] >> 32) >> (r[k] & 63);
	}
	p = (struct piece){ .start = (int64_t)(r[0] >> 9) * (i & 1 ? -1 : 1),
			    .cause = r[2] % (i + 1),
			    .enter = (int64_t)r[3],
			    .thread = (uint32_t)r[4],
			    .uses = (uint32_t)(r[4] >> 32),
			    .state = (uint16_t)r[5],
			    .before = (uint16_t)(r[5] >> 16),
			    .cpu = (uint16_t)(r[5] >> 32),
			    .kind = (uint8_t)(i % PIECE_KINDS),
			    .flags = (uint8_t)(i / PIECE_KINDS % 16) };
	p.end = p.start + (int64_t)(r[1] >> 9);
	return p;
}

static void test_packing(void)
{
	enum { MANY = 200000 };
	struct tape tape = { .most = 3 };
	int wrong = 0;

	for (uint64_t i = 0; i < MANY; i++) {
		struct piece p = any_piece(i);

		*tape_append(&tape) = p;
	}
	for (uint64_t i = 0; i < MANY; i++) {
		struct piece p = any_piece(i);

		wrong += memcmp(tape_read(&tape, i), &p, sizeof(p)) != 0;
	}
	cmp_int(wrong, 0, "pieces come back from the file as they were");
	/* They are longer now than the place in the file that they had. */
	for (uint64_t i = 0; i < MANY; i++)
		tape_at(&tape, i)->uses = (uint32_t)i << 12;
	for (uint64_t i = 0; i < MANY; i++) {
		struct piece p = any_piece(i);

		p.uses = (uint32_t)i << 12;
		wrong += memcmp(tape_read(&tape, i), &p, sizeof(p)) != 0;
	}
	cmp_int(wrong, 0, "and as they were changed");
	tape_free(&tape);
}

int main(void)
{
	test_definitions();
	test_late_wake();
	test_removed();
	test_queue();
	test_delay();
	test_resume();
	test_cpus(false);
	test_cpus(true);
	test_others(1);
	test_others(2);
	test_stays();
	test_slices();
	test_hand_over();
	test_spans();
	test_starved();
	test_broken();
	test_gaps();
	test_unseen();
	test_forward();
	test_tape();
	test_packing();
	return done_testing();
}
