/* SPDX-License-Identifier: MIT */
/* Tests of the graph that is derived from events: of the scheduler, of calls alone, of marks. */
#include "graph/derive.h"

#include <linux/futex.h>
#include <linux/io_uring.h>
#include <string.h>

#include "graph/contention.h"
#include "graph/path.h"
#include "graph/requests.h"
#include "trace/syscalls.h"

#include "../tap.h"

static struct graph graph;
static struct derive derive;

static void start(void)
{
	derive_free(&derive);
	graph_free(&graph);
	graph = (struct graph){ 0 };
	derive = (struct derive){ .graph = &graph, .shortest = 50 };
	derive_begin(&derive, &(struct source_info){ .command = "demo" });
}

static void take(struct event e)
{
	derive_event(&derive, &e);
}

static void define(uint32_t object, enum fd_kind kind, const char *name)
{
	take(
	    (struct event){ .type = EVENT_FD, .pid = 10, .tid = 10, .fd = { object, kind, name } });
}

/* By thread 10, 11, ..., each a process of its own. */
static void call(uint32_t tid, const char *name, int64_t time, int64_t until, enum fd_kind kind,
		 uint32_t object, int64_t result)
{
	take((struct event){ .type = EVENT_SYSCALL,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .call = { .id = syscall_by_name(name),
				       .duration = (int64_t)((uint64_t)until - (uint64_t)time),
				       .result = result,
				       .kind = kind,
				       .object = object } });
}

static void leave(uint32_t tid, int64_t time, enum thread_state state, uint32_t next)
{
	take((struct event){ .type = EVENT_SWITCH,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .change = { .out = true,
					 .preempted = state == STATE_RUNNABLE,
					 .state = (uint8_t)state,
					 .next = next } });
}

static void come(uint32_t tid, int64_t time)
{
	take((struct event){ .type = EVENT_SWITCH, .pid = tid, .tid = tid, .time = time });
}

static void wake(uint32_t tid, int64_t time, enum wake_context context, uint32_t target)
{
	take(
	    (struct event){ .type = EVENT_WAKE,
			    .pid = tid,
			    .tid = tid,
			    .time = time,
			    .wake = { .target = target, .context = (uint8_t)context, .from = 1 } });
}

static void fork_one(uint32_t parent, int64_t time, uint32_t child)
{
	take((struct event){ .type = EVENT_FORK,
			     .pid = parent,
			     .tid = parent,
			     .time = time,
			     .fork = { child, child, false } });
}

/* ---- the path as words: "10 user 100-300, ..." from the first step on ---- */

static char text[4096];

static void take_step(void *arg, const struct path_step *s)
{
	char later[sizeof(text)], one[128];

	(void)arg;
	snprintf(one, sizeof(one), "%u %s%s%s %d-%d", graph.threads.v[s->thread].tid,
		 s->kind == STEP_UNKNOWN ? "?" : graph.words.v[graph.states.v[s->state].word],
		 s->kind == STEP_EDGE ? " edge" : "", s->flags & PIECE_GUESS ? " guess" : "",
		 (int)s->from, (int)s->to);
	memcpy(later, text, sizeof(later));
	snprintf(text, sizeof(text), "%.200s%s%.3000s", one, *later ? ", " : "", later);
}

/* The same for the time of one thread, by its number. */
static void is_anchored(uint32_t thread, const char *want, const char *what)
{
	const struct graph_thread *t = &graph.threads.v[thread];

	*text = '\0';
	int64_t sum = path_anchored(&graph, thread, t->begin, t->at, take_step, NULL);
	is_string(text, want, "%s", what);
	cmp_int(sum, t->at - t->begin, "which is all of its time");
}

static void is_path(const char *want, const char *what)
{
	derive_end(&derive);
	*text = '\0';
	int64_t sum = path_global(&graph, graph.last, graph.begin, take_step, NULL);
	is_string(text, want, "%s", what);
	cmp_int(sum, graph.end - graph.begin, "which is all of the time");
}

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
	cmp_int((int64_t)graph.faults.unmatched, 0, "that somebody put there");
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
	come(10, 0);
	take((struct event){ .type = EVENT_FAULT, .pid = 10, .tid = 10, .time = 90 });
	leave(10, 100, STATE_UNINTERRUPTIBLE, 0);
	wake(0, 250, WAKE_INTERRUPT, 10);
	come(10, 260);
	call(10, "getpid", 300, 310, FD_UNKNOWN, 0, 1);
	is_path("10 user 0-100, 10 fault 100-250, 10 runnable 250-260, 10 user 260-300, "
		"10 getpid 300-310",
		"of a thread behind a page fault, which waits for the page");
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
	cmp_int((int64_t)graph.faults.unmatched, 0, "what another writer puts is there");
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
	cmp_int((int64_t)graph.faults.unmatched, 0, "what a writer left can be read");
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
	cmp_int((int64_t)graph.faults.unmatched, 24, "nobody was seen to write");
	call(10, "write", 0, 40, FD_PIPE, 2, 64);
	derive_end(&derive);
	cmp_int((int64_t)graph.faults.unmatched, 0, "until the write returns");
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

/* ---- marks ---- */

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
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
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
	take((struct event){ .type = EVENT_EXIT, .pid = 10, .tid = 10, .time = 310 });
	is_path("10 user 5-10, 10 work 10-100, 10 queue 100-310", "it waited until its end");
	cmp_int(graph.cpus, 1, "and used a CPU before");
}

/* ---- requests ---- */

static struct {
	unsigned n;
	int64_t sum[2], others[2]; /* the last request first */
	uint32_t thread;
} served;

static void *begin_request(void *arg, const struct request *r)
{
	(void)arg;
	served.thread = r->thread;
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
	cmp_int((int64_t)graph.faults.unmatched, 0, "what was put");
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
static void test_requests(void)
{
	const struct request_taker taker = { begin_request, take_request, end_request, NULL };

	start();
	define(1, FD_TCP, "socket:[1]");
	define(2, FD_TCP, "socket:[2]");
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
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
	test_marks();
	test_more_marks();
	test_marks_and_calls();
	test_open_wait();
	test_timed_out();
	test_block();
	test_uring();
	test_requests();
	test_many_requests();
	test_hostile();
	return done_testing();
}
