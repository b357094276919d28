/* SPDX-License-Identifier: MIT */
/* Tests of the graph that is derived from events: of the scheduler, of calls alone. */
#include "graph/derive.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <string.h>

#include "graph/contention.h"

#include "../tap.h"
#include "graph_derived.h"

/* ---- with a scheduler ---- */

static void test_wake(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
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
		take((struct event){ .type = EVENT_EXIT, .pid = 11, .tid = 11, .time = 350 });
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
	start();
	define(2, FD_TCP, "socket:[2]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	call(10, "sendto", 200, 240, FD_TCP, 2, 8);
	come(11, 260);
	call(11, "clock_nanosleep", 50, 300, FD_UNKNOWN, 0, 0);
	is_path("10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 clock_nanosleep 50-100, "
		"11 timer 100-250, 11 runnable 250-260, 11 clock_nanosleep 260-300",
		"that thread is not what was waited for");
}

static void stack(uint32_t tid, int64_t time, const char *frames)
{
	take((struct event){
	    .type = EVENT_STACK, .pid = tid, .tid = tid, .time = time, .stack = { frames } });
}

/* The state of a thread at that time, as "nanosleep at /b", "timer", ... */
static const char *state_at(uint32_t thread, int64_t time)
{
	static char out[64];

	for (uint64_t i = 0; i < graph.tape.n; i++) {
		const struct piece *p = tape_read(&graph.tape, i);
		const struct graph_state *s = &graph.states.v[p->state];

		if (p->thread == thread && p->start < time && time <= p->end)
			snprintf(out, sizeof(out), "%s%s%s", graph.words.v[s->word],
				 s->place ? " at " : "",
				 s->place ? graph.words.v[s->place - 1] : "");
	}
	return out;
}

/* A stack is the place of the next call of its thread, with the wait in it, and of no other. */
static void test_places(bool wanted)
{
	start();
	derive.at_places = wanted;
	come(10, 0);
	come(11, 0);
	leave(10, 200, STATE_SLEEPING, 0);
	wake(0, 400, WAKE_INTERRUPT, 10);
	come(10, 400);
	stack(10, 450, "/b");
	call(11, "getpid", 440, 460, FD_UNKNOWN, 0, 0);
	call(10, "nanosleep", 100, 450, FD_UNKNOWN, 0, 0);
	call(10, "getpid", 500, 600, FD_UNKNOWN, 0, 0);
	stack(10, 700, "/c");
	call(10, "getpid", 650, 700, FD_UNKNOWN, 0, 0);
	derive_end(&derive);
	is_string(state_at(0, 450), wanted ? "nanosleep at /b" : "nanosleep", "a call");
	is_string(state_at(0, 300), wanted ? "timer at /b" : "timer", "which waits");
	is_string(state_at(1, 460), "getpid", "of another thread");
	is_string(state_at(0, 600), "getpid", "the next one");
	is_string(state_at(0, 700), wanted ? "getpid at /c" : "getpid", "one elsewhere");
}

/* The handler of a signal makes a call before the one that it interrupted is known, which goes on
 * behind it, or does not. */
static void test_signal(bool again)
{
	start();
	derive.at_places = true;
	come(10, 0);
	come(11, 0);
	take((struct event){ .type = EVENT_FAULT, .pid = 10, .tid = 10, .time = 10 });
	leave(10, 20, STATE_UNINTERRUPTIBLE, 0);
	wake(0, 60, WAKE_INTERRUPT, 10);
	come(10, 60);
	leave(10, 200, STATE_SLEEPING, 0);
	wake(11, 400, WAKE_THREAD, 10);
	come(10, 410);
	stack(10, 450, "/b");
	take((struct event){ .type = EVENT_SIGNAL, .pid = 10, .tid = 10, .time = 460 });
	call(10, "getpid", 500, 550, FD_UNKNOWN, 0, 10);
	if (again) {
		leave(10, 600, STATE_SLEEPING, 0);
		wake(11, 700, WAKE_THREAD, 10);
		come(10, 710);
	}
	call(10, again ? "read" : "pause", 100, again ? 650 : 450, again ? FD_PIPE : FD_UNKNOWN, 0,
	     again ? 1 : -4);
	call(10, "getppid", 800, 900, FD_UNKNOWN, 0, 10);
	derive_end(&derive);
	is_string(state_at(0, 60), "fault", "a page comes before it");
	is_string(state_at(0, 200), again ? "read pipe at /b" : "pause at /b",
		  "a call that a signal interrupts");
	is_string(state_at(0, 400), again ? "pipe" : "signal", "waits for what it says");
	is_string(state_at(0, 550), "getpid", "the handler is not at its place");
	is_string(state_at(0, 700), again ? "pipe" : "getppid", "what follows");
	is_string(state_at(0, 900), "getppid", "is no part of it");
}

/* A softirq on top of a sender is loopback; on top of another it is somebody unknown. */
static void test_softirq(void)
{
	for (int sends = 0; sends < 2; sends++) {
		start();
		define(1, FD_TCP, "socket:[1]");
		define(2, FD_TCP, "socket:[2]");
		come(10, 0);
		fork_one(10, 10, 11);
		come(11, 20);
		leave(11, 100, STATE_SLEEPING, 0);
		wake(10, 250, WAKE_SOFTIRQ, 11);
		come(11, 260);
		call(10, sends ? "sendto" : "getpid", 200, 300, sends ? FD_TCP : FD_UNKNOWN,
		     sends ? 2 : 0, 8);
		call(11, "recvfrom", 50, 400, FD_TCP, 1, 8);
		is_path(sends ? "10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable "
				"250-260, 11 recvfrom tcp 260-400"
			      : "10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 recvfrom tcp "
				"50-100, 11 peer 100-250, 11 runnable 250-260, 11 recvfrom tcp "
				"260-400",
			sends ? "the sender" : "not who was interrupted");
	}
	/* It has sent to others, too, before the one that it woke gets a CPU. */
	start();
	define(1, FD_TCP, "socket:[1]");
	define(2, FD_TCP, "socket:[2]");
	define(3, FD_TCP, "socket:[3]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(10, "sendto", 310, 320, FD_TCP, 3, 8);
	call(10, "getpid", 322, 324, FD_UNKNOWN, 0, 1);
	come(11, 330);
	call(11, "recvfrom", 50, 400, FD_TCP, 1, 8);
	is_path("10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable 250-330, 11 "
		"recvfrom tcp 330-400",
		"the sender, whatever it has done since");
	start();
	define(1, FD_TCP, "socket:[1]");
	define(2, FD_TCP, "socket:[2]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	come(11, 260);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(11, "recvfrom", 50, 400, FD_TCP, 1, 8);
	call(10, "sendto", 500, 510, FD_TCP, 2, 8);
	cmp_int((int64_t)graph.queues.v[0].put, 16, "what is sent is in a queue");
	cmp_int((int64_t)graph.queues.v[0].taken, 8,
		"of which the one who was woken has taken what was sent to it");
	call(11, "sendto", 600, 610, FD_TCP, 1, 4);
	call(10, "recvfrom", 620, 630, FD_TCP, 2, 4);
	cmp_int(graph.queues.n, 2, "a connection is one queue each way");
}

/* The call of one that waits ends before the call of the one who was interrupted. */
static void test_early_reader(void)
{
	start();
	define(2, FD_TCP, "socket:[2]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	come(11, 260);
	call(11, "restart_syscall", 50, 280, FD_UNKNOWN, 0, 1);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(11, "getpid", 400, 410, FD_UNKNOWN, 0, 11);
	is_path("10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable 250-260, "
		"11 restart_syscall 260-280, 11 user 280-400, 11 getpid 400-410",
		"a call that goes on may be one on a socket, too");

	start();
	define(1, FD_TCP, "tcp:[10.0.0.1:1->10.0.0.2:2]");
	define(2, FD_TCP, "tcp:[10.0.0.2:2->10.0.0.1:1]");
	for (uint32_t tid = 10; tid < 13; tid++)
		come(tid, 0);
	leave(11, 100, STATE_SLEEPING, 0);
	call(12, "sendto", 110, 120, FD_TCP, 1, 8);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	come(11, 260);
	call(11, "epoll_wait", 50, 270, FD_EPOLL, 3, 1);
	call(10, "getpid", 200, 300, FD_UNKNOWN, 0, 10);
	call(11, "recvfrom", 310, 320, FD_TCP, 2, 8);
	derive_end(&derive);
	cmp_int(graph.queues.v[0].way, 130,
		"of one who sent nothing: what is read then was waited for");
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

/* Bytes that were read before it was known whose they are. */
static void test_ahead(void)
{
	start();
	define(1, FD_TCP, "socket:[1]");
	define(2, FD_TCP, "socket:[2]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	call(10, "sendto", 30, 40, FD_TCP, 2, 8);
	call(11, "recvfrom", 50, 60, FD_TCP, 1, 8);
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
	come(11, 260);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(11, "recvfrom", 80, 400, FD_TCP, 1, 8);
	cmp_int((int64_t)graph.queues.v[0].put, 16, "all that was sent");
	cmp_int((int64_t)graph.queues.v[0].taken, 16, "has been taken, also before that was known");
}

/* A thread that a disk's interrupt only found on the CPU. */
static void test_interrupt(void)
{
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	leave(11, 100, STATE_UNINTERRUPTIBLE, 0);
	wake(10, 250, WAKE_INTERRUPT, 11);
	come(11, 260);
	call(11, "fsync", 50, 300, FD_FILE, 0, 0);
	is_path("10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 fsync 50-100, 11 disk 100-250, "
		"11 runnable 250-260, 11 fsync 260-300",
		"is not what was waited for");
}

/* ---- calls alone ---- */

static void test_alone(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "getpid", 0, 10, FD_UNKNOWN, 0, 1);
	fork_one(10, 20, 11);
	/* The reader is back before the writer. */
	call(11, "read", 100, 508, FD_PIPE, 1, 64);
	call(10, "write", 500, 510, FD_PIPE, 2, 64);
	take((struct event){ .type = EVENT_EXIT, .pid = 11, .tid = 11, .time = 600 });
	call(10, "wait4", 520, 650, FD_UNKNOWN, 0, 0);
	is_path("10 getpid 0-10, 10 user 10-20, 10 user 20-500, 10 write pipe 500-510, 10 user "
		"510-520, 10 child guess 520-650",
		"the result of wait4 does not say which child");
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "getpid", 0, 10, FD_UNKNOWN, 0, 1);
	fork_one(10, 20, 11);
	call(11, "read", 100, 508, FD_PIPE, 1, 64);
	call(10, "write", 500, 510, FD_PIPE, 2, 64);
	take((struct event){
	    .type = EVENT_EXIT, .pid = 11, .tid = 11, .time = 600, .exit = { .last = true } });
	call(10, "wait4", 520, 650, FD_UNKNOWN, 0, 11);
	is_path("10 getpid 0-10, 10 user 10-20, 10 user 20-500, 11 pipe edge guess 500-508, "
		"11 user 508-600, 10 child edge guess 600-650",
		"a child that read what its parent wrote, and whose end was waited for");
}

static void test_reopened(void)
{
	start();
	define(1, FD_PIPE, "/tmp/fifo");
	define(2, FD_PIPE, "/tmp/fifo");
	define(2, FD_PIPE, "/tmp/fifo");
	call(10, "write", 0, 10, FD_PIPE, 1, 64);
	call(11, "read", 20, 30, FD_PIPE, 2, 64);
	derive_end(&derive);
	cmp_int((int64_t)graph.queues.n, 1, "a fifo that its reader has opened again is the same");
}

/* A read that takes long although its data was there waits for something else. */
static void test_there(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "write", 0, 10, FD_PIPE, 2, 64);
	call(11, "getpid", 20, 30, FD_UNKNOWN, 0, 11);
	call(11, "read", 500, 700, FD_PIPE, 1, 64);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[1].last - 2)->kind, PIECE_DELAY,
		"nobody is waited for who wrote before");
}

/* What was read from one end of a fifo is not missing in the next one. */
static void test_next_writer(void)
{
	start();
	come(10, 0);
	come(11, 0);
	define(1, FD_PIPE, "/tmp/fifo");
	define(2, FD_PIPE, "/tmp/fifo");
	call(10, "write", 0, 10, FD_PIPE, 2, 64);
	call(11, "read", 20, 30, FD_PIPE, 1, 64);
	define(2, FD_PIPE, "/tmp/fifo");
	call(10, "write", 40, 50, FD_PIPE, 2, 64);
	call(11, "read", 60, 70, FD_PIPE, 1, 64);
	derive_end(&derive);
	cmp_int((int64_t)graph_unmatched(&graph), 0, "what another writer puts is there");
}

/* The number of the writer's end is used again while what it wrote is in the pipe. */
static void test_gone_writer(void)
{
	start();
	come(10, 0);
	come(11, 0);
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "write", 0, 10, FD_PIPE, 2, 64);
	call(11, "read", 20, 30, FD_PIPE, 1, 24);
	define(2, FD_FILE, "/tmp/file");
	call(11, "read", 40, 50, FD_PIPE, 1, 40);
	derive_end(&derive);
	cmp_int((int64_t)graph_unmatched(&graph), 0, "what a writer left can be read");
	cmp_int((int64_t)graph.faults.unread, 0, "and was read");
	const struct piece *last = tape_at(&graph.tape, graph.queues.v[0].taker - 1);
	ok(last->cause && tape_at(&graph.tape, last->cause - 1)->kind == PIECE_PUT,
	   "because of the write");
}

/* A write that waits for room returns after its first part was read. */
static void test_late_writer(void)
{
	start();
	come(10, 0);
	come(11, 0);
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(11, "read", 20, 30, FD_PIPE, 1, 24);
	cmp_int((int64_t)graph_unmatched(&graph), 24, "nobody was seen to write");
	call(10, "write", 0, 40, FD_PIPE, 2, 64);
	derive_end(&derive);
	cmp_int((int64_t)graph_unmatched(&graph), 0, "until the write returns");
}

/* A write of 100 bytes behind 64 waits until these were read. */
static void test_full(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "write", 0, 10, FD_PIPE, 2, 64);
	call(11, "read", 190, 205, FD_PIPE, 1, 64);
	call(10, "write", 20, 200, FD_PIPE, 2, 100);
	call(10, "getpid", 300, 301, FD_UNKNOWN, 0, 1);
	is_path("11 ? 0-190, 10 pipe edge guess 190-200, 10 user 200-300, 10 getpid 300-301",
		"a read makes room when it begins, and may end later than who waited for it");
	cmp_int((int64_t)graph.queues.v[0].taken, 64, "and takes once");
	cmp_int((int64_t)graph.queues.v[0].most, 100, "the pipe has room for 100 bytes, not 164");
	ok(graph.queues.v[0].bounded, "and for no more");
}

/* Writes of which each takes long, and meanwhile 11 reads what is in the pipe. */
static void test_room(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(11, "read", 60, 65, FD_PIPE, 1, 4097);
	call(10, "write", 0, 100, FD_PIPE, 2, 4097);
	call(11, "read", 160, 165, FD_PIPE, 1, 4096);
	call(10, "write", 110, 200, FD_PIPE, 2, 4096);
	is_path("11 ? 0-60, 10 pipe edge guess 60-100, 10 user 100-110, 10 write pipe 110-200",
		"an empty pipe has room for some bytes");
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
	call(10, "write", 0, 1, FD_PIPE, 2, 300);
	call(11, "read", 10, 11, FD_PIPE, 1, 200);
	call(11, "read", 60, 65, FD_PIPE, 1, 100);
	call(10, "write", 20, 100, FD_PIPE, 2, 100);
	is_path("10 write pipe 0-1, 10 user 1-20, 10 write pipe 20-100",
		"and one that has held much has room for less");
	call(11, "read", 160, 165, FD_PIPE, 1, 100);
	call(10, "write", 110, 200, FD_PIPE, 2, 101);
	call(11, "read", 260, 265, FD_PIPE, 1, 101);
	call(10, "write", 210, 300, FD_PIPE, 2, 98);
	is_path("11 ? 0-10, 11 read pipe 10-11, 11 user 11-60, 11 read pipe 60-65, "
		"11 user 65-160, 10 pipe edge guess 160-200, 10 user 200-210, "
		"10 write pipe 210-300",
		"but perhaps not for as much");
}

static void test_futex(void)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = 10,
			   .tid = 11,
			   .time = 10,
			   .call = { .id = syscall_by_name("futex"),
				     .duration = 300,
				     .args = { 0x1000, FUTEX_WAIT, 2 } } };

	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	take((struct event){
	    .type = EVENT_FORK, .pid = 10, .tid = 10, .time = 5, .fork = { 10, 11, false } });
	take(e);
	e.tid = 10;
	e.time = 200;
	e.call.duration = 10;
	e.call.args[1] = FUTEX_WAKE;
	take(e);
	is_path("10 getpid 0-1, 10 user 1-5, 10 user 5-200, 11 lock edge guess 200-310",
		"a futex was waited for until it was woken");
}

/* The kernel replaces the ID of a thread that ends, which another one waits for. */
static void test_join(void)
{
	struct event e = { .type = EVENT_SYSCALL,
			   .pid = 10,
			   .tid = 10,
			   .time = 10,
			   .call = { .id = syscall_by_name("futex"),
				     .duration = 300,
				     .args = { 0x1000, FUTEX_WAIT, 11 } } };

	for (uint32_t process = 10; process < 13; process += 2) {
		start();
		call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
		take((struct event){ .type = EVENT_FORK,
				     .pid = 10,
				     .tid = 10,
				     .time = 5,
				     .fork = { process, 11, process == 10 } });
		struct event last = { .type = EVENT_SYSCALL,
				      .pid = process,
				      .tid = 11,
				      .time = 200,
				      .call = { .id = syscall_by_name("exit"),
						.flags = CALL_NO_RESULT,
						.duration = -1 } };
		take(last);
		take((struct event){ .type = EVENT_EXIT, .pid = process, .tid = 11, .time = 312 });
		take(e);
		call(10, "getpid", 400, 401, FD_UNKNOWN, 0, 1);
		is_path(process == 10
			    ? "10 getpid 0-1, 10 user 1-5, 11 user 5-200, 10 condition edge "
			      "guess 200-310, 10 user 310-400, 10 getpid 400-401"
			    : "10 getpid 0-1, 10 user 1-5, 10 user 5-10, 10 condition guess "
			      "10-310, 10 user 310-400, 10 getpid 400-401",
			process == 10 ? "a thread was waited for until it ended"
				      : "one of another process is none");
	}
	/* The wait is interrupted, for 20 in all, and seen to end after the thread. */
	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	take((struct event){
	    .type = EVENT_FORK, .pid = 10, .tid = 10, .time = 5, .fork = { 10, 11, true } });
	take((struct event){ .type = EVENT_EXIT, .pid = 10, .tid = 11, .time = 312 });
	e.call.flags = CALL_RESTARTED;
	take(e);
	call(10, "getpid", 400, 401, FD_UNKNOWN, 0, 1);
	is_path("10 getpid 0-1, 10 user 1-5, 11 user 5-312, 10 user 312-400, 10 getpid 400-401",
		"also if the wait was interrupted by a signal");
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
	take((struct event){
	    .type = EVENT_FORK, .pid = 10, .tid = 10, .time = 50, .fork = { 10, 11, true } });
	leave(10, 100, STATE_DEAD, 11);
	take((struct event){ .type = EVENT_SWITCH, .pid = 10, .tid = 11, .time = 110 });
	for (uint32_t tid = 10; tid < 12; tid++)
		take((struct event){ .type = EVENT_EXIT, .pid = 10, .tid = tid, .time = 500 });
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
	take((struct event){ .type = EVENT_EXIT, .pid = 10, .tid = 10, .time = 100 });
	leave(10, 120, STATE_SLEEPING, 0);
	come(10, 130);
	leave(10, 140, STATE_DEAD, 0);
	leave(11, 150, STATE_DEAD, 0);
	is_path("10 getpid 0-1, 10 user 1-100", "what leaves its CPU after its exit has ended");
	cmp_int((int64_t)graph.threads.n, 1, "and what is only seen to end never began");
}

/* ---- requests ---- */

/* 10 issues a request and goes on; 11 waits for it. */
static void block(uint32_t tid, int64_t time, bool complete)
{
	take((struct event){
	    .type = EVENT_BLOCK,
	    .pid = tid,
	    .tid = tid,
	    .time = time,
	    .block = { .complete = complete, .device = 8, .sector = 77, .cpu = 1 } });
}

static void test_block(void)
{
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	block(10, 60, false);
	leave(11, 100, STATE_UNINTERRUPTIBLE, 0);
	block(0, 250, true);
	wake(0, 251, WAKE_INTERRUPT, 11);
	come(11, 260);
	call(11, "fsync", 50, 300, FD_FILE, 0, 0);
	is_path("10 user 0-10, 10 user 10-60, 11 disk edge 60-251, 11 runnable 251-260, "
		"11 fsync 260-300",
		"a device works from the moment on when it was asked to");
	leave(11, 400, STATE_UNINTERRUPTIBLE, 0);
	block(0, 500, true);
	wake(0, 501, WAKE_INTERRUPT, 11);
	come(11, 510);
	call(11, "fsync", 350, 520, FD_FILE, 0, 0);
	is_path("10 user 0-10, 10 user 10-60, 11 disk edge 60-251, 11 runnable 251-260, "
		"11 fsync 260-300, 11 user 300-350, 11 fsync 350-400, 11 disk 400-501, "
		"11 runnable 501-510, 11 fsync 510-520",
		"and once, for a request that was seen");
	/* Meanwhile a terminal interrupts another CPU, which is idle, too. */
	block(10, 530, false);
	leave(11, 540, STATE_SLEEPING, 0);
	block(0, 570, true);
	take((struct event){ .type = EVENT_WAKE,
			     .time = 571,
			     .wake = { .target = 11, .context = WAKE_INTERRUPT, .from = 2 } });
	come(11, 580);
	call(11, "read", 535, 590, FD_TTY, 0, 0);
	block(11, 600, false);
	leave(11, 610, STATE_UNINTERRUPTIBLE, 0);
	block(0, 900, true);
	wake(0, 901, WAKE_INTERRUPT, 11);
	come(11, 910);
	call(11, "fsync", 590, 920, FD_FILE, 0, 0);
	derive_end(&derive);
	is_anchored(1,
		    "11 runnable 10-20, 11 user 20-50, 11 fsync 50-100, 11 disk edge 100-251, "
		    "11 runnable 251-260, 11 fsync 260-300, 11 user 300-350, 11 fsync 350-400, "
		    "11 disk 400-501, 11 runnable 501-510, 11 fsync 510-520, 11 user 520-535, "
		    "11 read tty 535-540, 11 terminal 540-571, 11 runnable 571-580, "
		    "11 read tty 580-590, 11 fsync 590-600, 11 fsync 600-610, 11 disk 610-901, "
		    "11 runnable 901-910, 11 fsync 910-920",
		    "a request that a thread waits for at once is a wait of its own");
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
	block(10, 60, false);
	leave(11, 100, STATE_SLEEPING, 0);
	block(0, 250, true);
	wake(0, 100250, WAKE_INTERRUPT, 11);
	come(11, 100260);
	call(11, "read", 50, 100300, FD_TTY, 0, 0);
	derive_end(&derive);
	is_anchored(1,
		    "11 runnable 10-20, 11 user 20-50, 11 read tty 50-100, 11 terminal 100-100250, "
		    "11 runnable 100250-100260, 11 read tty 100260-100300",
		    "a request that was over long before ended nothing");
}

/* A thread asks for 20, works for 180 and then waits. */
static void test_uring(void)
{
	struct event done = { .type = EVENT_URING,
			      .pid = 10,
			      .tid = 10,
			      .time = 15,
			      .uring = { .complete = true,
					 .opcode = IORING_OP_READ,
					 .result = 8,
					 .duration = 490,
					 .kind = FD_FILE,
					 .file = 2 } };

	start();
	come(10, 0);
	call(10, "io_uring_enter", 10, 20, FD_IOURING, 1, 1);
	call(10, "io_uring_enter", 30, 40, FD_IOURING, 1, 1);
	leave(10, 210, STATE_SLEEPING, 0);
	wake(0, 500, WAKE_INTERRUPT, 10);
	come(10, 502);
	take(done);
	call(10, "io_uring_enter", 200, 510, FD_IOURING, 1, 0);
	is_path("10 user 0-10, 10 io_uring_enter io_uring 10-20, 10 disk edge 20-500, "
		"10 runnable 500-502, 10 io_uring_enter io_uring 502-510",
		"the operation goes on meanwhile");
	/* What was asked for in the call that waits. */
	leave(10, 610, STATE_SLEEPING, 0);
	wake(0, 700, WAKE_INTERRUPT, 10);
	come(10, 702);
	done.time = 605;
	done.uring.duration = 100;
	take(done);
	call(10, "io_uring_enter", 600, 710, FD_IOURING, 1, 0);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[0].last - 3)->kind, PIECE_DELAY,
		"one that begins with the wait has no other cause");
	/* Bytes that an operation sends and another one receives. */
	define(5, FD_PIPE, "pipe:[7]");
	define(6, FD_PIPE, "pipe:[7]");
	done.uring.kind = FD_PIPE;
	for (int reads = 0; reads < 2; reads++) {
		done.uring.opcode = reads ? IORING_OP_READ : IORING_OP_WRITE_FIXED;
		done.uring.file = reads ? 5 : 6;
		done.time = 720 + 10 * reads;
		done.uring.duration = 1;
		take(done);
	}
	derive_end(&derive);
	cmp_int((int64_t)graph.queues.v[0].put, 8, "operations put into queues");
	cmp_int((int64_t)graph.queues.v[0].taken, 8, "and take out of them");
	cmp_int((int64_t)graph_unmatched(&graph), 0, "what was put");
	leave(10, 750, STATE_SLEEPING, 0);
	wake(0, 800, WAKE_INTERRUPT, 10);
	come(10, 802);
	call(10, "io_uring_enter", 740, 810, FD_IOURING, 1, 0);
	derive_end(&derive);
	is_string(state_at(0, 800), "other", "a wait for none of them is not for a disk");
	leave(10, 850, STATE_SLEEPING, 0);
	wake(0, 900, WAKE_INTERRUPT, 10);
	come(10, 902);
	done.uring.kind = FD_FILE;
	done.time = 845;
	done.uring.duration = 60;
	take(done);
	call(10, "epoll_wait", 840, 910, FD_EPOLL, 3, 1);
	derive_end(&derive);
	is_string(state_at(0, 900), "work", "nor is one for any of several descriptors");
}

/* More calls than are kept: those of the last ones are known. */
static void test_many_submissions(void)
{
	start();
	come(10, 0);
	for (int i = 0; i < 20; i++)
		call(10, "io_uring_enter", 10 + 10 * i, 15 + 10 * i, FD_IOURING, 1, 1);
	leave(10, 310, STATE_SLEEPING, 0);
	wake(0, 500, WAKE_INTERRUPT, 10);
	come(10, 502);
	take((struct event){ .type = EVENT_URING,
			     .pid = 10,
			     .tid = 10,
			     .time = 202,
			     .uring = { .complete = true,
					.opcode = IORING_OP_READ,
					.result = 8,
					.duration = 299,
					.kind = FD_FILE,
					.file = 2 } });
	call(10, "io_uring_enter", 300, 510, FD_IOURING, 1, 0);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[0].last - 3)->kind, PIECE_WAIT,
		"an operation of the twentieth call began there");
}

/* One thread reads from two connections, another works, and the first answers. */
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
	test_places(true);
	test_places(false);
	test_signal(true);
	test_signal(false);
	test_softirq();
	test_early_reader();
	test_missing_switch();
	test_ahead();
	test_count_cpus();
	test_fault();
	test_sleep();
	test_interrupt();
	test_alone();
	test_reopened();
	test_there();
	test_next_writer();
	test_gone_writer();
	test_late_writer();
	test_many_submissions();
	test_full();
	test_room();
	test_futex();
	test_join();
	test_damaged_block();
	test_first_thread_gone();
	test_gone();
	test_block();
	test_uring();
	test_hostile();
	return done_testing();
}
