/* SPDX-License-Identifier: MIT */
/* Tests of the graph that is derived from calls alone. */
#include <linux/futex.h>

#include "../tap.h"
#include "graph_derived.h"

/* 11 reads what its parent writes, is back before it, and ends; whether the result of wait4 says
 * so. */
static void test_alone(bool says)
{
	start_pipe();
	call(10, "getpid", 0, 10, FD_UNKNOWN, 0, 1);
	fork_one(10, 20, 11);
	call(11, "read", 100, 508, FD_PIPE, 1, 64);
	call(10, "write", 500, 510, FD_PIPE, 2, 64);
	take((struct event){
	    .type = EVENT_EXIT, .pid = 11, .tid = 11, .time = 600, .exit = { .last = says } });
	call(10, "wait4", 520, 650, FD_UNKNOWN, 0, says ? 11 : 0);
	is_path(says ? "10 getpid 0-10, 10 user 10-20, 10 user 20-500, 11 pipe edge guess 500-508, "
		       "11 user 508-600, 10 child edge guess 600-650"
		     : "10 getpid 0-10, 10 user 10-20, 10 user 20-500, 10 write pipe 500-510, "
		       "10 user 510-520, 10 child guess 520-650",
		says ? "a child that read what its parent wrote, and whose end was waited for"
		     : "the result of wait4 does not say which child");
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
	start_pipe();
	call(10, "write", 0, 10, FD_PIPE, 2, 64);
	call(11, "getpid", 20, 30, FD_UNKNOWN, 0, 11);
	call(11, "read", 500, 700, FD_PIPE, 1, 64);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[1].last - 2)->kind, PIECE_DELAY,
		"nobody is waited for who wrote before");
}

/* A write of 100 bytes behind 64 waits until these were read. */
static void test_full(void)
{
	start_pipe();
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
	start_pipe();
	call(11, "read", 60, 65, FD_PIPE, 1, 4097);
	call(10, "write", 0, 100, FD_PIPE, 2, 4097);
	call(11, "read", 160, 165, FD_PIPE, 1, 4096);
	call(10, "write", 110, 200, FD_PIPE, 2, 4096);
	is_path("11 ? 0-60, 10 pipe edge guess 60-100, 10 user 100-110, 10 write pipe 110-200",
		"an empty pipe has room for some bytes");
	start_pipe();
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

/* One call of futex on the same word, of threads of process 10. */
static void call_futex(uint32_t tid, int64_t time, int64_t until, int operation, uint32_t value,
		       unsigned flags)
{
	take((struct event){ .type = EVENT_SYSCALL,
			     .pid = 10,
			     .tid = tid,
			     .time = time,
			     .call = { .id = syscall_by_name("futex"),
				       .flags = flags,
				       .duration = until - time,
				       .args = { 0x1000, (uint64_t)operation, value } } });
}

static void test_futex(void)
{
	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	fork_thread(10, 5, 10, 11);
	call_futex(11, 10, 310, FUTEX_WAIT, 2, 0);
	call_futex(10, 200, 210, FUTEX_WAKE, 2, 0);
	is_path("10 getpid 0-1, 10 user 1-5, 10 user 5-200, 11 lock edge guess 200-310",
		"a futex was waited for until it was woken");
}

/* The kernel replaces the ID of a thread that ends, which another one waits for. */
static void test_join(uint32_t process)
{
	bool own = process == 10;

	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	fork_thread(10, 5, process, 11);
	take((struct event){
	    .type = EVENT_SYSCALL,
	    .pid = process,
	    .tid = 11,
	    .time = 200,
	    .call = { .id = syscall_by_name("exit"), .flags = CALL_NO_RESULT, .duration = -1 } });
	end_thread(process, 11, 312);
	call_futex(10, 10, 310, FUTEX_WAIT, 11, 0);
	call(10, "getpid", 400, 401, FD_UNKNOWN, 0, 1);
	is_path(own ? "10 getpid 0-1, 10 user 1-5, 11 user 5-200, 10 condition edge guess 200-310, "
		      "10 user 310-400, 10 getpid 400-401"
		    : "10 getpid 0-1, 10 user 1-5, 10 user 5-10, 10 condition guess 10-310, "
		      "10 user 310-400, 10 getpid 400-401",
		own ? "a thread was waited for until it ended" : "one of another process is none");
}

/* The wait is interrupted, for 20 in all, and seen to end after the thread. */
static void test_interrupted_join(void)
{
	start();
	call(10, "getpid", 0, 1, FD_UNKNOWN, 0, 1);
	fork_thread(10, 5, 10, 11);
	end_thread(10, 11, 312);
	call_futex(10, 10, 310, FUTEX_WAIT, 11, CALL_RESTARTED);
	call(10, "getpid", 400, 401, FD_UNKNOWN, 0, 1);
	is_path("10 getpid 0-1, 10 user 1-5, 11 user 5-312, 10 user 312-400, 10 getpid 400-401",
		"also if the wait was interrupted by a signal");
}

int main(void)
{
	test_alone(false);
	test_alone(true);
	test_reopened();
	test_there();
	test_full();
	test_room();
	test_futex();
	test_join(10);
	test_join(12);
	test_interrupted_join();
	return done_testing();
}
