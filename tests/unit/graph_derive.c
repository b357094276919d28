/* SPDX-License-Identifier: MIT */
/* Tests of the graph that is derived from scheduler events, and of events that fit nothing. */
#include "graph/derive.h"

#include <string.h>

#include "graph/contention.h"

#include "../tap.h"
#include "graph_derived.h"

static void test_wake(void)
{
	start_pipe();
	come(10, 0);
	fork_one(10, 100, 11);
	come(11, 150);
	/* 11 reads from the pipe and waits, 10 works and writes. */
	leave(11, 200, STATE_SLEEPING, 0);
	wake(10, 520, WAKE_THREAD, 11);
	call(10, "write", 500, 540, FD_PIPE, 2, 64);
	come(11, 560);
	call(11, "read", 180, 600, FD_PIPE, 1, 64);
	call(11, "getpid", 700, 750, FD_UNKNOWN, 0, 11);
	is_path("10 user 0-100, 10 user 100-500, 10 write pipe 500-520, 11 runnable 520-560, "
		"11 read pipe 560-600, 11 user 600-700, 11 getpid 700-750",
		"a read waits for the writer, and then for a CPU");
	cmp_int(graph.queues.n, 1, "both ends of the pipe are one queue");
	cmp_int((int64_t)graph.queues.v[0].taken, 64, "through which 64 bytes went");
	cmp_int((int64_t)graph_unmatched(&graph), 0, "that somebody put there");
}

static int64_t by_thread, by_nobody;

static void take_charges(void *arg, const struct contention *c)
{
	(void)arg;
	for (size_t i = 0; i < c->n; i++)
		if (c->charges[i].user.thread < graph.threads.n)
			by_thread += c->charges[i].ns;
		else if (c->charges[i].user.thread == USER_IDLE)
			by_nobody += c->charges[i].ns;
}

static void test_cpu(void)
{
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	/* One CPU: 11 gets it when 10 goes to sleep; a timer wakes that. */
	leave(10, 100, STATE_SLEEPING, 11);
	come(11, 105);
	wake(11, 300, WAKE_INTERRUPT, 10);
	leave(11, 400, STATE_RUNNABLE, 10);
	come(10, 401);
	call(10, "clock_nanosleep", 90, 410, FD_UNKNOWN, 0, 0);
	is_path("10 user 0-10, 10 user 10-90, 10 clock_nanosleep 90-100, 10 timer 100-300, "
		"10 runnable 300-401, 10 clock_nanosleep 401-410",
		"a sleep has a length of its own, and who is preempted is no cause");
	contention(&graph, take_charges, NULL);
	cmp_int(by_thread, 400 - 300 + 100 - 10, "who has the CPU takes the time of who waits");
	cmp_int(by_nobody, 1 + 5, "but not that of a switch");
	leave(10, 420, STATE_SLEEPING, 0);
	call(10, "getpid", 430, 440, FD_UNKNOWN, 0, 1);
	cmp_int(tape_at(&graph.tape, graph.threads.v[0].last - 1)->cpu, 0,
		"where a thread runs whose return was not seen is unknown");
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	leave(10, 100, STATE_SLEEPING, 11);
	come(11, 105);
	call(11, "getpid", 200, 300, FD_UNKNOWN, 0, 1);
	is_path("10 user 0-10, 10 user 10-100, 11 runnable edge 100-105, 11 user 105-200, "
		"11 getpid 200-300",
		"who leaves a CPU by itself hands it on");
	is_anchored(1, "11 runnable 10-105, 11 user 105-200, 11 getpid 200-300",
		    "until then a thread waits for a CPU, whoever has it");
}

/* On one CPU: 10 forks 11, which has to wait for 12, too.  12 is known since `since`. */
static void take_turns(int64_t since, bool calls)
{
	start();
	if (since < 100) {
		come(12, since);
		leave(12, since + 1, STATE_SLEEPING, 10);
	}
	come(10, 2);
	call(10, "getpid", 5, 6, FD_UNKNOWN, 0, 1);
	fork_one(10, 10, 11);
	leave(10, 100, STATE_SLEEPING, 12);
	come(12, 100);
	if (calls)
		call(12, "getpid", 120, 130, FD_UNKNOWN, 0, 1);
	leave(12, 150, STATE_SLEEPING, 11);
	come(11, 155);
	call(11, "getpid", 200, 300, FD_UNKNOWN, 0, 1);
}

static void test_unknown_turn(void)
{
	static const char own[] =
	    "10 ? 0-2, 10 user 2-5, 10 getpid 5-6, 10 user 6-10, 11 runnable 10-155, "
	    "11 user 155-200, 11 getpid 200-300";

	take_turns(100, true);
	is_path(strchr(own, ',') + 2,
		"who was not seen before holds nobody up, as far as is known");
	take_turns(0, false);
	is_path(own, "nor does a thread without calls");
	take_turns(0, true);
	is_path("12 user 0-1, 12 other 1-100, 12 user 100-120, 12 getpid 120-130, 12 user 130-150, "
		"11 runnable edge 150-155, 11 user 155-200, 11 getpid 200-300",
		"but others do");
}

/* As perf records it, 10 waits for its child 11, and nobody is seen to wake it. */
static void test_child(bool exits)
{
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	leave(10, 100, STATE_SLEEPING, 0);
	come(11, 105);
	call(11, "getpid", 200, 300, FD_UNKNOWN, 0, 11);
	if (exits)
		end_thread(11, 11, 350);
	come(10, 405);
	call(10, "wait4", 90, 410, FD_UNKNOWN, 0, 11);
	is_path(exits ? "10 user 0-10, 11 runnable 10-105, 11 user 105-200, 11 getpid 200-300, "
			"11 user 300-350, 10 child edge guess 350-405, 10 wait4 405-410"
		      : "10 user 0-10, 11 runnable 10-105, 11 user 105-200, 11 getpid 200-300, "
			"10 child edge guess 300-405, 10 wait4 405-410",
		"a wait for a child ended with it");
}

/* The time of a thread on two CPUs: only a little of it on the first. */
static void test_count_cpus(void)
{
	struct event e = { .type = EVENT_SWITCH, .pid = 10, .tid = 10 };

	start();
	for (int i = 0; i < 4; i++) {
		e.change.out = i % 2;
		e.change.cpu = i < 2 ? 7 : 8;
		e.time = i < 2 ? i : i * 1000;
		take(e);
	}
	derive_end(&derive);
	cmp_int(graph.cpus, 1, "a CPU that the program left at once does not count");

	const struct event two[] = { { .time = 5000, .change = { .out = true, .cpu = 7 } },
				     { .time = 5001, .change = { .cpu = 8 } },
				     { .time = 6000, .change = { .out = true, .cpu = 8 } } };
	start();
	for (int i = 0; i < 3; i++) {
		e.change = two[i].change;
		e.time = two[i].time;
		take(e);
	}
	derive_end(&derive);
	cmp_int(graph.cpus, 1, "nor does one that it left before it was seen to come");
}

/* perf names processes that ran before, or never, while it records; two threads still wait at the
 * end. */
static void test_named(void)
{
	start();
	take((struct event){ .type = EVENT_ATTACH, .pid = 10, .tid = 10, .attach = { 1 } });
	take((struct event){ .type = EVENT_ATTACH, .pid = 30, .tid = 30, .attach = { 10 } });
	take((struct event){ .type = EVENT_COMM, .pid = 31, .tid = 31, .comm = { "x" } });
	come(10, 1000);
	fork_one(10, 1100, 11);
	leave(10, 1200, STATE_SLEEPING, 11);
	come(11, 1200);
	leave(11, 1300, STATE_SLEEPING, 0);
	derive_end(&derive);
	cmp_int((int64_t)graph.threads.n, 2, "a thread that is only named is none of the trace");
	cmp_int(graph.begin, 1000, "and says nothing of when another one began");
	cmp_int((int64_t)derive.waiting, 2, "who waits at the end of the trace is counted");
}

/* ktranal record -p finds a thread that sleeps, and another one of its process. */
static void test_found(void)
{
	start();
	leave(10, 0, STATE_SLEEPING, 0);
	fork_one(10, 50, 11);
	come(11, 100);
	call(11, "getpid", 150, 160, FD_UNKNOWN, 0, 11);
	derive_end(&derive);
	cmp_int((int64_t)derive.waiting, 1,
		"who sleeps goes on sleeping when it is told whose thread another is");
}

/* An interrupt ends a wait outside of calls. */
static void test_fault(void)
{
	start();
	define(2, FD_PIPE, "pipe:[7]");
	come(10, 0);
	take((struct event){ .type = EVENT_FAULT, .pid = 10, .tid = 10, .time = 90 });
	leave(10, 100, STATE_UNINTERRUPTIBLE, 0);
	wake(0, 250, WAKE_INTERRUPT, 10);
	come(10, 260);
	call(10, "write", 300, 310, FD_PIPE, 2, 8);
	is_path("10 user 0-100, 10 fault 100-250, 10 runnable 250-260, 10 user 260-300, "
		"10 write pipe 300-310",
		"of a thread behind a page fault, which waits for the page");
	ok(!graph.queues.v[0].bounded, "and not for room in what it writes to next");
}

/* A timer ends a sleep on top of a thread that sends. */
static void test_sleep(void)
{
	start_two();
	define(2, FD_TCP, "socket:[2]");
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	call(10, "sendto", 200, 240, FD_TCP, 2, 8);
	come(11, 260);
	call(11, "clock_nanosleep", 50, 300, FD_UNKNOWN, 0, 0);
	is_path("10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 clock_nanosleep 50-100, "
		"11 timer 100-250, 11 runnable 250-260, 11 clock_nanosleep 260-300",
		"that thread is not what was waited for");
}

/* A thread that a disk's interrupt only found on the CPU. */
static void test_interrupt(void)
{
	start_two();
	leave(11, 100, STATE_UNINTERRUPTIBLE, 0);
	wake(10, 250, WAKE_INTERRUPT, 11);
	come(11, 260);
	call(11, "fsync", 50, 300, FD_FILE, 0, 0);
	is_path("10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 fsync 50-100, 11 disk 100-250, "
		"11 runnable 250-260, 11 fsync 260-300",
		"is not what was waited for");
}

/* The switch by which a thread came back to a CPU is missing. */
static void test_missing_switch(void)
{
	start();
	come(10, 0);
	leave(10, 100, STATE_SLEEPING, 0);
	leave(10, 200, STATE_SLEEPING, 0);
	come(10, 300);
	call(10, "getpid", 400, 410, FD_UNKNOWN, 0, 10);
	is_path("10 user 0-100, 10 other 100-200, 10 other 200-300, 10 user 300-400, "
		"10 getpid 400-410",
		"what it did until it left again was no work");
}

/* Of a damaged block of a file nobody knows how many events it had. */
static void test_damaged_block(void)
{
	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	take((struct event){
	    .type = EVENT_LOST, .time = 10, .lost = { .until = 50, .class = LOST_BLOCKS } });
	call(10, "getpid", 90, 100, FD_UNKNOWN, 0, 1);
	derive_end(&derive);
	cmp_int(graph_missing(&graph, 0, 100), 40, "a damaged block is a gap");
}

/* The first thread of a process has called pthread_exit(); its exit is seen with that of the
 * process. */
static void test_first_thread_gone(void)
{
	start();
	come(10, 0);
	fork_thread(10, 50, 10, 11);
	leave(10, 100, STATE_DEAD, 11);
	take((struct event){ .type = EVENT_SWITCH, .pid = 10, .tid = 11, .time = 110 });
	for (uint32_t tid = 10; tid < 12; tid++)
		end_thread(10, tid, 500);
	derive_end(&derive);
	cmp_int(graph.threads.v[0].at, 100, "a thread ends when it leaves its CPU for ever");
	cmp_int(graph.threads.v[1].at, 500, "and others go on");
	cmp_int((int64_t)graph.threads.n, 2, "and it is no new one when its exit is seen");
}

/* The first switches that are seen are of threads that are over. */
static void test_gone(void)
{
	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	end_thread(10, 10, 100);
	leave(10, 120, STATE_SLEEPING, 0);
	come(10, 130);
	leave(10, 140, STATE_DEAD, 0);
	leave(11, 150, STATE_DEAD, 0);
	is_path("10 getpid 0-1, 10 user 1-100", "what leaves its CPU after its exit has ended");
	cmp_int((int64_t)graph.threads.n, 1, "and what is only seen to end never began");
}

/* What no sound trace holds: times without end, ends of nothing, threads after their death. */
static void test_hostile(void)
{
	start();
	call(10, "read", INT64_MAX - 5, INT64_MAX, FD_PIPE, 1, 64);
	call(10, "read", INT64_MIN, 0, FD_PIPE, 1, 64);
	define(UINT32_MAX, FD_PIPE, "pipe:[1]");
	define(3, FD_TCP, "->");
	define(3, FD_TCP, "TCP:[->]");
	call(10, "write", 5, 6, FD_PIPE, UINT32_MAX, 64);
	wake(10, 5, WAKE_THREAD, 10);
	fork_one(10, 7, 10);
	leave(10, 8, STATE_DEAD, 10);
	leave(10, 3, STATE_DEAD, 10);
	come(10, 9);
	take((struct event){ .type = EVENT_LOST, .lost = { 5, INT64_MAX, 0 } });
	derive_end(&derive);
	*text = '\0';
	cmp_int(path_global(&graph, graph.last, graph.begin, take_step, NULL),
		graph.end - graph.begin, "what no sound trace holds still tiles: %s", text);
	cmp_int((int64_t)derive.late, 1, "a switch that comes too late is counted");
	cmp_int((int64_t)derive.unreal, 2, "and calls at no time");
	derive_free(&derive);
	graph_free(&graph);
}

int main(void)
{
	test_wake();
	test_cpu();
	test_unknown_turn();
	test_child(true);
	test_child(false);
	test_count_cpus();
	test_named();
	test_found();
	test_fault();
	test_sleep();
	test_interrupt();
	test_missing_switch();
	test_damaged_block();
	test_first_thread_gone();
	test_gone();
	test_hostile();
	return done_testing();
}
