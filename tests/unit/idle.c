/* SPDX-License-Identifier: MIT */
/* Tests of what threads did with their time: by the events of the scheduler, and by calls alone. */
#include "view/idle.h"

#include <inttypes.h>
#include <string.h>

#include "trace/syscalls.h"

#include "../tap.h"

static struct processes processes;
static struct idle idle;
/* The pieces that were handed out: ns by thread and activity. */
static int64_t pieces[4][ACTIVITIES], on_cpu; /* on_cpu: on the one of come() */

enum { CPU = 3 };

static void take_piece(void *arg, const struct idle_piece *p)
{
	(void)arg;
	pieces[p->thread - idle.threads.v][p->activity] += p->to - p->from;
	on_cpu += p->cpu == CPU + 1 ? p->to - p->from : 0;
}

static void take(struct event e)
{
	processes_event(&processes, &e);
	idle_event(&idle, &processes, &e);
}

static void start(int64_t shortest)
{
	idle = (struct idle){ .shortest = shortest, .take = take_piece };
}

/* Of a thread of process 10. */
static struct event about(enum event_type type, uint32_t tid, int64_t time)
{
	return (struct event){ .type = type, .pid = 10, .tid = tid, .time = time };
}

static struct event call(uint32_t tid, const char *name, int64_t time, int64_t duration,
			 enum fd_kind kind)
{
	struct event e = about(EVENT_SYSCALL, tid, time);

	e.call.id = syscall_by_name(name);
	e.call.duration = duration;
	e.call.result = 1;
	e.call.kind = kind;
	e.call.flags = duration < 0 ? CALL_UNFINISHED : 0;
	return e;
}

static void make_thread(uint32_t tid, int64_t time)
{
	struct event e = about(EVENT_FORK, 10, time);

	e.fork.child_pid = 10;
	e.fork.child_tid = tid;
	take(e);
}

static void leave(uint32_t tid, int64_t time, enum thread_state state)
{
	struct event e = about(EVENT_SWITCH, tid, time);

	e.change.cpu = CPU;
	e.change.out = true;
	e.change.preempted = state == STATE_RUNNABLE;
	e.change.state = (uint8_t)state;
	take(e);
}

static void come(uint32_t tid, int64_t time)
{
	struct event e = about(EVENT_SWITCH, tid, time);

	e.change.cpu = CPU;
	take(e);
}

/* By a thread that is in no process of the trace. */
static void wake(uint32_t tid, int64_t time, enum wake_context context, uint32_t target)
{
	struct event e = about(EVENT_WAKE, tid, time);

	e.pid = 7;
	e.wake.target = target;
	e.wake.context = (uint8_t)context;
	take(e);
}

static void is_sum(size_t thread, enum idle_source source, enum activity activity, int64_t time,
		   uint64_t times, uint64_t waker)
{
	const struct idle_sum *sum = &idle.threads.v[thread].sums[source][activity];
	double share;
	uint64_t got = idle_waker(sum, &share);

	ok(sum->time == time && sum->times == times && got == waker,
	   "thread %u, %s: %" PRId64 " ns in %" PRIu64 ", want %" PRId64 " in %" PRIu64
	   "; by %" PRIx64 ", want %" PRIx64,
	   idle.threads.v[thread].tid, activity_name(activity), sum->time, sum->times, time, times,
	   got, waker);
}

static void finish(void)
{
	memset(pieces, 0, sizeof(pieces));
	idle_free(&idle);
	processes_free(&processes);
}

/* All that a thread did must be all of its life. */
static void finish_whole(void)
{
	for (size_t i = 0; i < idle.threads.n; i++)
		for (int s = 0; s < IDLE_SOURCES; s++) {
			const struct idle_thread *t = &idle.threads.v[i];
			int64_t sum = 0;

			for (int a = 0; a < ACTIVITIES; a++)
				sum += t->sums[s][a].time;
			cmp_int(sum, t->end - t->begin, "thread %u: nothing is missing or double",
				t->tid);
		}
	/* The pieces are those of the better source. */
	for (size_t i = 0; i < idle.threads.n; i++)
		for (int a = 0; a < ACTIVITIES; a++)
			if (pieces[i][a] != idle.threads.v[i].sums[idle.scheduled][a].time)
				fail("thread %zu, %s: pieces of %" PRId64 " ns", i,
				     activity_name((enum activity)a), pieces[i][a]);
	finish();
}

static void test_scheduler(void)
{
	start(0);
	take((struct event){ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "server" });
	make_thread(11, 500);
	come(11, 1500);
	/* A read from a socket: 1000 working, 4000 waiting, 1000 waiting for a CPU, 500 working. */
	leave(10, 2000, STATE_SLEEPING);
	wake(20, 6000, WAKE_THREAD, 10);
	wake(21, 6500, WAKE_THREAD, 10);
	come(10, 7000);
	/* 500 waiting, though by the clock of another CPU it is woken later; 1000 working. */
	leave(10, 7500, STATE_SLEEPING);
	wake(20, 8200, WAKE_THREAD, 10);
	come(10, 8000);
	take(call(10, "read", 1000, 8000, FD_TCP));
	/* Preempted, and a page fault, outside of calls. */
	leave(10, 10000, STATE_RUNNABLE);
	come(10, 12000);
	take(about(EVENT_FAULT, 10, 13000));
	leave(10, 13100, STATE_UNINTERRUPTIBLE);
	wake(20, 13900, WAKE_SOFTIRQ, 10);
	come(10, 14000);
	/* A call in which it is only preempted has not waited, however long it took. */
	leave(10, 15000, STATE_RUNNABLE);
	come(10, 15500);
	take(call(10, "futex", 14500, 2000, FD_UNKNOWN));
	take(about(EVENT_EXIT, 10, 20000));
	leave(10, 20100, STATE_DEAD);
	/* A switch that is read too late says nothing. */
	leave(11, 1200, STATE_SLEEPING);
	/* Asleep when the trace ends. */
	leave(11, 18000, STATE_SLEEPING);
	take(call(11, "epoll_wait", 17000, -1, FD_EPOLL));
	take((struct event){
	    .type = EVENT_EXEC, .pid = 12, .tid = 12, .time = 25000, .exec.command = "x" });
	idle_end(&idle);
	cmp_int(idle.threads.n, 3, "threads: no waker from outside, nothing after the end");
	cmp_int(idle.late, 1, "switches that came late");
	is_sum(0, IDLE_SCHEDULER, WAITS_PEER, 4000 + 500, 2, 20);
	is_sum(0, IDLE_SCHEDULER, RUNNABLE, 1000 + 2000 + 100 + 500, 4, 0);
	cmp_int(idle.threads.v[0].sums[IDLE_SCHEDULER][RUNNABLE].longest, 2000,
		"the longest of them is neither the first nor the last");
	is_sum(0, IDLE_SCHEDULER, WAITS_FAULT, 800, 1, IDLE_NO_THREAD + WAKE_SOFTIRQ);
	is_sum(0, IDLE_SCHEDULER, RUNS_CALL, 2500 + 1500, 2, 0);
	is_sum(0, IDLE_SCHEDULER, WAITS_LOCK, 0, 0, 0);
	is_sum(0, IDLE_SCHEDULER, RUNS_USER, 20000 - 8000 - 2000 - 2000 - 900, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_PEER, 8000, 1, 0);
	is_sum(1, IDLE_SCHEDULER, RUNNABLE, 1000, 1, 0);
	is_sum(1, IDLE_SCHEDULER, WAITS_WORK, 7000, 1, 0);
	is_sum(1, IDLE_SCHEDULER, RUNS_CALL, 1000, 1, 0);
	/* 10 apart from 2000 to 7000, 11 from 1500 on. */
	cmp_int(on_cpu, 2000 + 13000 - 500 - 2000 - 900 - 500 + 16500,
		"what ran on a CPU that is known");
	finish_whole();
}

/* Asleep from `from` to `to`. */
static void nap(uint32_t tid, int64_t from, int64_t to)
{
	leave(tid, from, STATE_SLEEPING);
	wake(20, to, WAKE_THREAD, tid);
	come(tid, to);
}

/* Calls alone do not say that a thread waits for a CPU. */
static void test_no_switches(void)
{
	start(20000);
	make_thread(11, 0);
	take(call(11, "read", 100, -1, FD_PIPE));
	take(call(10, "getpid", 50000, 100, FD_UNKNOWN));
	idle_end(&idle);
	cmp_int(pieces[1][RUNNABLE], 0, "a thread in a call at the end does not wait for a CPU");
	is_sum(1, IDLE_CALLS, WAITS_PIPE, 50000, 1, 0);
	finish_whole();
}

/* Calls that a signal interrupts are over after those of its handler. */
static void test_interrupted(void)
{
	struct event e;

	start(0);
	take((struct event){ .type = EVENT_EXEC, .pid = 10, .tid = 10, .exec.command = "server" });
	make_thread(11, 0);
	come(11, 100);
	/* Continued: its parts are from 1000 to 3000 and from 5800 to 9000. */
	nap(10, 1200, 3000);
	nap(10, 3600, 5400);
	take(call(10, "nanosleep", 3500, 2000, FD_UNKNOWN));
	take(call(10, "rt_sigreturn", 5600, 100, FD_UNKNOWN));
	nap(10, 6000, 8900);
	e = call(10, "read", 1000, 5200, FD_PIPE);
	e.call.flags = CALL_RESTARTED;
	take(e);
	leave(10, 10000, STATE_STOPPED);
	come(10, 12000);
	take(call(10, "getpid", 12500, 100, FD_UNKNOWN));
	/* Not continued, with a nap in a call that the trace lacks. */
	nap(11, 1200, 2900);
	nap(11, 3600, 5400);
	take(call(11, "nanosleep", 3500, 2000, FD_UNKNOWN));
	nap(11, 6000, 7000);
	take(call(11, "read", 1000, 2000, FD_PIPE));
	/* Stopped between the parts of a call, as perf events show it: not for what. */
	leave(11, 9000, STATE_SLEEPING);
	come(11, 9500);
	leave(11, 9600, STATE_UNKNOWN);
	come(11, 12600);
	e = call(11, "nanosleep", 8900, 700, FD_UNKNOWN);
	e.call.flags = CALL_RESTARTED;
	take(e);
	take(about(EVENT_EXIT, 10, 13000));
	take(about(EVENT_EXIT, 11, 13000));
	idle_end(&idle);
	is_sum(0, IDLE_SCHEDULER, WAITS_PIPE, 1800 + 2900, 2, 20);
	is_sum(0, IDLE_SCHEDULER, WAITS_TIMER, 1800, 1, 20);
	is_sum(0, IDLE_SCHEDULER, WAITS_SIGNAL, 2000, 1, 0);
	is_sum(0, IDLE_SCHEDULER, WAITS_OTHER, 0, 0, 0);
	is_sum(0, IDLE_SCHEDULER, RUNS_CALL, 200 + 100 + 500 + 100, 4, 0);
	is_sum(0, IDLE_SCHEDULER, RUNS_USER, 13000 - 2000 - 100 - 5200 - 100 - 2000, 1, 0);
	is_sum(1, IDLE_SCHEDULER, WAITS_PIPE, 1700, 1, 20);
	is_sum(1, IDLE_SCHEDULER, WAITS_TIMER, 1800 + 500 + 3000, 3, 20);
	is_sum(1, IDLE_SCHEDULER, WAITS_OTHER, 1000, 1, 20);
	is_sum(1, IDLE_SCHEDULER, RUNS_USER, 13000 - 100 - 2000 - 2000 - 1000 - 700 - 2800, 1, 0);
	finish();
}

/* A thread that slept when the recording began, and one that never left its CPU. */
static void test_beginning(void)
{
	start(0);
	make_thread(11, 0);
	wake(20, 3000, WAKE_THREAD, 11);
	come(11, 4000);
	take(call(10, "getpid", 5000, 1000, FD_UNKNOWN));
	/* More waits within a call than are kept apart. */
	for (int64_t i = 0; i < 1000; i++) {
		leave(11, 10000 + i * 10, STATE_SLEEPING);
		come(11, 10000 + i * 10 + 5);
	}
	take(call(11, "read", 9000, 20000, FD_PIPE));
	idle_end(&idle);
	is_sum(1, IDLE_SCHEDULER, WAITS_OTHER, 3000, 1, 20);
	is_sum(1, IDLE_SCHEDULER, RUNNABLE, 1000, 1, 0);
	const struct idle_sum *many = &idle.threads.v[1].sums[IDLE_SCHEDULER][WAITS_PIPE];
	ok(many->time == 5000 && many->times > 100 && many->times < 300,
	   "all of them count: %" PRId64 " ns in %" PRIu64, many->time, many->times);
	is_sum(0, IDLE_SCHEDULER, RUNS_USER, 28000, 1, 0);
	finish_whole();
}

static void test_calls_alone(void)
{
	struct event e;

	start(100);
	take(call(10, "read", 0, 99, FD_PIPE));
	take(call(10, "read", 200, 100, FD_PIPE));
	e = call(10, "wait4", 400, 500, FD_UNKNOWN);
	e.call.result = 33;
	take(e);
	take(call(10, "nanosleep", 1000, -1, FD_UNKNOWN));
	take(about(EVENT_EXIT, 10, 3000));
	idle_end(&idle);
	ok(!idle.scheduled, "no events of the scheduler");
	is_sum(0, IDLE_CALLS, RUNS_CALL, 99, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_PIPE, 100, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_CHILD, 500, 1, 33);
	is_sum(0, IDLE_CALLS, WAITS_TIMER, 2000, 1, 0);
	is_sum(0, IDLE_CALLS, RUNS_USER, 301, 1, 0);
	finish_whole();
}

static char told[1024];

static void tell(void *arg, const struct idle_piece *p)
{
	size_t n = strlen(told);

	take_piece(arg, p);
	snprintf(told + n, sizeof(told) - n, "%s %" PRId64 "-%" PRId64 ", ",
		 activity_name(p->activity), p->from, p->to);
}

/* A read that two signals interrupt, one in the program, and one that has no handler. */
static void test_signals(void)
{
	struct event e;

	start(100);
	idle.take = tell;
	take(call(10, "getpid", 0, 50, FD_UNKNOWN));
	take(about(EVENT_SIGNAL, 10, 3000));
	take(call(10, "nanosleep", 3500, 2000, FD_UNKNOWN));
	take(call(10, "rt_sigreturn", 5600, 50, FD_UNKNOWN));
	take(about(EVENT_SIGNAL, 10, 7000));
	take(call(10, "rt_sigreturn", 7400, 50, FD_UNKNOWN));
	e = call(10, "read", 1000, 2000 + 1350 + 1550, FD_PIPE);
	e.call.flags = CALL_RESTARTED;
	take(e);
	take(about(EVENT_SIGNAL, 10, 9500));
	take(call(10, "rt_sigreturn", 9700, 50, FD_UNKNOWN));
	is_string(told,
		  "call 0-50, user 3000-3500, timer 3500-5500, user 5500-5600, call 5600-5650, "
		  "user 7000-7400, call 7400-7450, user 50-1000, pipe 1000-3000, pipe 5650-7000, "
		  "pipe 7450-9000, user 9500-9700, call 9700-9750, ",
		  "signals: what was before them waits for the call");
	*told = '\0';
	take(call(10, "getpid", 10000, 50, FD_UNKNOWN));
	is_string(told, "user 9000-9500, user 9750-10000, call 10000-10050, ",
		  "a signal in the program");
	*told = '\0';
	take(about(EVENT_SIGNAL, 10, 10500));
	take(call(10, "getpid", 11000, 50, FD_UNKNOWN));
	e = call(10, "read", 12000, -1, FD_PIPE);
	take(about(EVENT_SIGNAL, 10, 13000));
	take(call(10, "getpid", 13100, 50, FD_UNKNOWN));
	take(e);
	take(about(EVENT_EXIT, 10, 14000));
	idle_end(&idle);
	is_string(told,
		  "user 10500-11000, call 11000-11050, user 13000-13100, call 13100-13150, "
		  "user 10050-10500, user 11050-12000, pipe 12000-13000, pipe 13150-14000, ",
		  "one without a handler, and one in a call that never ends");
	finish();
}

/* More signals in one call than are kept apart. */
static void test_many_signals(void)
{
	struct event e;

	start(100);
	take(call(10, "getpid", 0, 50, FD_UNKNOWN));
	for (int i = 1; i <= 1000; i++) {
		take(about(EVENT_SIGNAL, 10, 1000 * i));
		take(call(10, "rt_sigreturn", 1000 * i + 300, 50, FD_UNKNOWN));
	}
	e = call(10, "read", 50, 950 + 999 * 650 + 650, FD_PIPE);
	e.call.flags = CALL_RESTARTED;
	take(e);
	take(call(10, "getpid", 1001000, 50, FD_UNKNOWN));
	idle_end(&idle);
	cmp_int(pieces[0][RUNS_USER], 1000 * 300, "a thousand signals: the handlers");
	finish_whole();
}

/* A thread in a call, whose number another one takes by an execve. */
static void test_cut_off(void)
{
	start(100);
	take(call(10, "getpid", 0, 50, FD_UNKNOWN));
	take(call(10, "pause", 1000, -1, FD_UNKNOWN));
	take(call(10, "execve", 5000, 1000, FD_UNKNOWN));
	take(call(10, "pause", 7000, -1, FD_UNKNOWN));
	take(call(10, "execve", 6800, 400, FD_UNKNOWN));
	take(about(EVENT_EXIT, 10, 8000));
	idle_end(&idle);
	is_sum(0, IDLE_CALLS, WAITS_SIGNAL, 4000, 1, 0);
	is_sum(0, IDLE_CALLS, RUNS_CALL, 50 + 1000 + 200, 4, 0);
	is_sum(0, IDLE_CALLS, RUNS_USER, 950 + 1000 + 800, 1, 0);
	finish_whole();
}

/* It is woken to die while the execve goes on. */
static void test_cut_off_awake(void)
{
	start(0);
	come(10, 0);
	leave(10, 1100, STATE_SLEEPING);
	wake(20, 5400, WAKE_THREAD, 10);
	come(10, 5500);
	take(call(10, "pause", 1000, -1, FD_UNKNOWN));
	leave(10, 5600, STATE_DEAD);
	take(call(10, "execve", 5000, 3000, FD_UNKNOWN));
	take(about(EVENT_EXIT, 10, 9000));
	idle_end(&idle);
	is_sum(0, IDLE_SCHEDULER, WAITS_SIGNAL, 4300, 1, 20);
	is_sum(0, IDLE_SCHEDULER, RUNNABLE, 100, 1, 0);
	is_sum(0, IDLE_SCHEDULER, RUNS_CALL, 100 + 2500, 2, 0);
	is_sum(0, IDLE_SCHEDULER, RUNS_USER, 1000 + 1000, 1, 0);
	finish_whole();
}

/* Duration -1: one that never completes. */
static void operation(const char *name, int64_t time, int64_t duration, enum fd_kind kind)
{
	struct event e = about(EVENT_URING, 10, time);

	while (strcmp(syscall_get(syscall_of_uring(&e).call.id)->name, name))
		e.uring.opcode++;
	e.uring.complete = duration >= 0;
	e.uring.duration = duration;
	e.uring.kind = kind;
	take(e);
}

/* Who waits for operations of io_uring does for what the last one did that ended meanwhile. */
static void test_operations(void)
{
	start(100);
	operation("io_uring_read", 0, 2000, FD_FILE);
	operation("io_uring_recv", 0, 5000, FD_TCP);
	take(call(10, "io_uring_enter", 1000, 4500, FD_IOURING));
	operation("io_uring_read", 5600, 100, FD_FILE);
	operation("io_uring_recv", 6500, -1, FD_TCP);
	take(call(10, "io_uring_enter", 6000, 1000, FD_IOURING));
	operation("io_uring_timeout", 7000, 900, FD_UNKNOWN);
	take(call(10, "io_uring_enter", 7100, 800, FD_IOURING));
	take(call(10, "read", 8000, 300, FD_PIPE));
	idle_end(&idle);
	is_sum(0, IDLE_CALLS, WAITS_PEER, 4500, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_OTHER, 1000, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_TIMER, 800, 1, 0);
	is_sum(0, IDLE_CALLS, WAITS_PIPE, 300, 1, 0);
	finish_whole();
}

/* A thread that never leaves its CPU. */
static void test_cpu(void)
{
	struct event e = call(10, "getpid", 1000, 500, FD_UNKNOWN);

	e.call.cpu = CPU + 1;
	on_cpu = 0;
	start(0);
	take(call(10, "getpid", 0, 400, FD_UNKNOWN));
	take(e);
	take(about(EVENT_EXIT, 10, 3000));
	idle_end(&idle);
	cmp_int(on_cpu, 2600, "the first call that names a CPU tells where its thread runs");
	finish_whole();
}

/* exit_group() ends all threads of a process, but none of a later one with the same number. */
static void test_ends(void)
{
	start(0);
	take(call(10, "getpid", 0, 100, FD_UNKNOWN));
	take(call(11, "getpid", 200, 100, FD_UNKNOWN));
	take(call(10, "exit_group", 1000, -1, FD_UNKNOWN));
	take(call(12, "getpid", 3000, 100, FD_UNKNOWN));
	take(call(12, "getpid", 4000, 1000, FD_UNKNOWN));
	take(call(13, "getpid", 3500, 100, FD_UNKNOWN));
	idle_end(&idle);
	for (size_t i = 0; i < 4; i++)
		cmp_int(idle.threads.v[i].end, i < 2 ? 1000 : 5000, "thread %zu ends", i);
	finish_whole();
}

int main(void)
{
	test_scheduler();
	test_cpu();
	test_interrupted();
	test_no_switches();
	test_beginning();
	test_calls_alone();
	test_signals();
	test_many_signals();
	test_cut_off();
	test_cut_off_awake();
	test_operations();
	test_ends();
	return done_testing();
}
