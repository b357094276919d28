/* SPDX-License-Identifier: MIT */
/* Tests of the graph that is derived from marks. */
#include "../tap.h"
#include "graph_derived.h"

static void mark(uint32_t tid, int64_t time, enum mark_verb verb, const char *name, uint64_t tag)
{
	take((struct event){ .type = EVENT_MARK,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .mark = { .verb = verb, .name = name, .amount = 1, .tag = tag } });
}

static void test_marks(void)
{
	start();
	mark(10, 0, MARK_STATE, "make", 0);
	mark(11, 0, MARK_STATE, "look", 0);
	mark(11, 10, MARK_WAIT_EMPTY, "jobs", 0);
	mark(10, 100, MARK_ENQUEUE, "jobs", 0);
	mark(10, 110, MARK_STATE, "rest", 0);
	mark(11, 120, MARK_DEQUEUE, "jobs", 0);
	mark(11, 120, MARK_STATE, "work", 0);
	mark(11, 300, MARK_STATE, "end", 0);
	is_path("10 make 0-100, 11 queue edge 100-120, 11 work 120-300",
		"states and queues are those of the marks");
	cmp_int((int64_t)graph.faults.misplaced, 0, "all of them fit");
	mark(10, 400, MARK_PEEK, "others", 5);
	mark(10, 410, MARK_STATE, "end", 0);
	mark(11, 450, MARK_LINK, "", 5);
	derive_end(&derive);
	const struct piece link = *tape_at(&graph.tape, graph.threads.v[1].last - 1);
	ok(link.cause && tape_at(&graph.tape, link.cause - 1)->end == 400,
	   "a link is a wait for the last mark with the same tag");
	mark(11, 460, MARK_STATE, "end", 0);
	cmp_int((int64_t)graph.faults.misplaced, 1, "which looked into an empty queue");
	graph.faults.misplaced = 0;
	mark(11, 470, MARK_WAIT_EMPTY, "jobs", 0);
	mark(10, 480, MARK_ENQUEUE, "jobs", 0);
	mark(11, 490, MARK_STATE, "end", 0);
	is_path("10 make 0-100, 11 queue edge 100-120, 11 work 120-300, 11 end 300-450, "
		"11 end 450-460, 11 end 460-470, 11 queue 470-490",
		"a wait is for what the thread does next");
	cmp_int((int64_t)graph.faults.misplaced, 1, "and has no cause if that is something else");
	graph.faults.misplaced = 0;
	mark(11, 495, MARK_DEQUEUE, "jobs", 0);
	mark(11, 500, MARK_DEQUEUE, "jobs", 0);
	mark(11, 520, MARK_WAIT_EMPTY, "jobs", 0);
	mark(11, 530, MARK_STATE, "else", 0);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.misplaced, 2,
		"but not one that takes from an empty queue, nor a wait that nothing ends");
}

static void mark_units(uint32_t tid, int64_t time, enum mark_verb verb, const char *name,
		       uint64_t n)
{
	take((struct event){ .type = EVENT_MARK,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .mark = { .verb = verb, .name = name, .amount = n } });
}

/* A ring of two places, and one of each connection. */
static void test_more_marks(void)
{
	start();
	mark(10, 0, MARK_STATE, "make", 0);
	mark(11, 0, MARK_STATE, "look", 0);
	mark_units(10, 5, MARK_CAPACITY, "ring", 2);
	mark(11, 10, MARK_WAIT_EMPTY, "ring", 0);
	mark_units(10, 100, MARK_ENQUEUE, "ring", 2);
	mark_units(11, 120, MARK_PEEK, "ring", 1);
	mark(10, 130, MARK_WAIT_FULL, "ring", 0);
	mark(11, 200, MARK_DEQUEUE, "ring", 0);
	mark(10, 205, MARK_RESERVE, "ring", 0);
	mark(10, 220, MARK_ENQUEUE, "ring", 0);
	mark(10, 300, MARK_STATE, "end", 0);
	is_path("10 make 0-5, 10 make 5-100, 11 queue edge 100-120, 11 look 120-200, "
		"10 queue edge 200-205, 10 make 205-220, 10 make 220-300",
		"a look ends a wait, and so does room that is taken");
	cmp_int((int64_t)graph.faults.misplaced, 0, "all of them fit");
	cmp_int((int64_t)graph.queues.v[0].capacity, 2, "the queue has two places");
	mark(10, 310, MARK_ENQUEUE, "ring", 0);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.misplaced, 1, "and no third");
	mark(10, 320, MARK_IDENTIFY, "", 7);
	mark(11, 320, MARK_IDENTIFY, "", 8);
	mark(10, 330, MARK_ENQUEUE, "ring", 0);
	mark_units(11, 340, MARK_PEEK, "ring", 1);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.misplaced, 2, "another connection has its own queue");
	cmp_int(graph.faults.first.time, 310, "the first mark that does not fit is known");
	mark(11, 350, MARK_IDENTIFY, "", 7);
	mark(11, 360, MARK_DEQUEUE, "ring", 0);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.misplaced, 2, "which is the same for all threads");
	cmp_int((int64_t)graph.queues.n, 3, "three in all");
	mark_units(12, 400, MARK_ENQUEUE, "large", 0);
	mark_units(12, 410, MARK_ENQUEUE, "large", UINT64_MAX);
	derive_end(&derive);
	cmp_int((int64_t)graph.queues.v[3].put, UINT32_MAX, "nothing is no unit");
	cmp_int(tape_at(&graph.tape, graph.threads.v[2].last - 1)->amount, UINT32_MAX,
		"and more than a piece can hold is as many as it can");
	mark(12, 420, MARK_WAIT_FULL, "large", 0);
	ok(!graph.queues.v[3].bounded, "its room is unknown");
	mark(12, 430, MARK_ENQUEUE, "large", 0);
	derive_end(&derive);
	ok(graph.queues.v[3].bounded, "and not unlimited if a thread has waited for it");
	uint64_t before = graph.faults.misplaced;
	mark(13, 440, MARK_WAIT_EMPTY, "large", 0);
	derive_end(&derive);
	cmp_int((int64_t)(graph.faults.misplaced - before), 1, "nobody waits for what is there");
	mark_units(13, 450, MARK_PEEK, "nothing", 0);
	derive_end(&derive);
	cmp_int((int64_t)(graph.faults.misplaced - before), 2,
		"and to look at nothing ends no wait, but does not fail itself");
	mark_units(14, 460, MARK_DEQUEUE, "void", 0);
	derive_end(&derive);
	cmp_int((int64_t)(graph.faults.misplaced - before), 2, "who takes nothing needs nothing");
}

/* What was before did not end a wait, nor is it a link to give a connection its number. */
static void test_before(void)
{
	start();
	mark(10, 0, MARK_ENQUEUE, "ring", 0);
	mark(11, 10, MARK_DEQUEUE, "ring", 0);
	mark(10, 10, MARK_WAIT_FULL, "ring", 0);
	mark(10, 30, MARK_ENQUEUE, "ring", 0);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.misplaced, 1, "nobody waits for room that is there");
	mark(10, 40, MARK_IDENTIFY, "", 9);
	mark(11, 50, MARK_LINK, "", 9);
	derive_end(&derive);
	cmp_int((int64_t)tape_at(&graph.tape, graph.threads.v[1].last - 1)->cause, 0,
		"links have tags of their own");
}

/* A wait with a time limit: nothing was there at its end. */
static void test_timed_out(void)
{
	start();
	mark(10, 0, MARK_STATE, "work", 0);
	mark(10, 10, MARK_WAIT_EMPTY, "jobs", 0);
	mark_units(10, 100, MARK_DEQUEUE, "jobs", 0);
	mark(10, 120, MARK_STATE, "end", 0);
	is_path("10 work 0-10, 10 queue 10-100, 10 work 100-120", "it is a wait nevertheless");
	cmp_int((int64_t)graph.faults.misplaced, 0, "and its marks fit");
}

/* Without a scheduler: 11 calls while it waits, and the clock of marks is late by 10. */
static void test_marks_and_calls(void)
{
	start_pipe();
	call(10, "write", 0, 2, FD_PIPE, 2, 64);
	mark(10, 2, MARK_STATE, "make", 0);
	mark(11, 2, MARK_STATE, "look", 0);
	call(11, "read", 5, 30, FD_PIPE, 1, 64);
	mark(11, 10, MARK_WAIT_EMPTY, "jobs", 0);
	mark(10, 100, MARK_ENQUEUE, "jobs", 0);
	call(11, "nanosleep", 105, 165, FD_UNKNOWN, 0, 0);
	mark(11, 170, MARK_DEQUEUE, "jobs", 0);
	mark(11, 170, MARK_STATE, "work", 0);
	mark(11, 210, MARK_STATE, "rest", 0);
	call(11, "nanosleep", 200, 300, FD_UNKNOWN, 0, 0);
	mark(11, 305, MARK_STATE, "work", 0);
	call(11, "getpid", 301, 311, FD_UNKNOWN, 0, 11);
	call(11, "read", 320, 330, FD_PIPE, 1, 36);
	is_path("10 write pipe 0-2, 10 make 2-100, 11 queue edge 100-170, 11 work 170-200, "
		"11 nanosleep 200-210, 11 timer 210-300, 11 rest 300-301, 11 getpid 301-305, "
		"11 getpid 305-311, 11 work 311-320, 11 read pipe 320-330",
		"a wait goes on until the next mark");
	cmp_int((int64_t)graph.faults.misplaced, 0, "for which the marks fit");
	cmp_int((int64_t)graph.faults.moved, 0, "as do times of marks, which are not exact");
	cmp_int((int64_t)graph.queues.v[0].taken, 100, "and what is read later is seen");
}

/* A thread that ends in a wait that a mark began, for which it left the CPU. */
static void test_open_wait(void)
{
	start();
	come(10, 5);
	mark(10, 10, MARK_STATE, "work", 0);
	mark(10, 100, MARK_WAIT_EMPTY, "jobs", 0);
	leave(10, 110, STATE_SLEEPING, 0);
	come(10, 300);
	end_thread(10, 10, 310);
	is_path("10 user 5-10, 10 work 10-100, 10 queue 100-310", "it waited until its end");
	cmp_int(graph.cpus, 1, "and used a CPU before");
}

int main(void)
{
	test_marks();
	test_more_marks();
	test_marks_and_calls();
	test_before();
	test_open_wait();
	test_timed_out();
	derive_free(&derive);
	graph_free(&graph);
	return done_testing();
}
