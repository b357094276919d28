/* SPDX-License-Identifier: MIT */
/* Tests of requests that go on without their thread: to block devices, and of io_uring. */
#include <linux/io_uring.h>

#include "../tap.h"
#include "graph_derived.h"

/* ---- to a block device ---- */

/* The request of thread tid begins, or it is complete. */
static void block(uint32_t tid, int64_t time, bool complete)
{
	take((struct event){
	    .type = EVENT_BLOCK,
	    .pid = tid,
	    .tid = tid,
	    .time = time,
	    .block = { .complete = complete, .device = 8, .sector = 77, .cpu = 1 } });
}

/* 11 waits until the interrupt of the device. */
static void wait_for_device(int64_t from, int64_t until)
{
	leave(11, from, STATE_UNINTERRUPTIBLE, 0);
	block(0, until - 1, true);
	wake(0, until, WAKE_INTERRUPT, 11);
	come(11, until + 9);
}

/* 10 issues a request and goes on; 11 waits for it. */
static void test_block(void)
{
	start_two();
	block(10, 60, false);
	wait_for_device(100, 251);
	call(11, "fsync", 50, 300, FD_FILE, 0, 0);
	is_path("10 user 0-10, 10 user 10-60, 11 disk edge 60-251, 11 runnable 251-260, "
		"11 fsync 260-300",
		"a device works from the moment on when it was asked to");
	wait_for_device(400, 501);
	call(11, "fsync", 350, 520, FD_FILE, 0, 0);
	is_path("10 user 0-10, 10 user 10-60, 11 disk edge 60-251, 11 runnable 251-260, "
		"11 fsync 260-300, 11 user 300-350, 11 fsync 350-400, 11 disk 400-501, "
		"11 runnable 501-510, 11 fsync 510-520",
		"and once, for a request that was seen");
	is_anchored(1,
		    "11 runnable 10-20, 11 user 20-50, 11 fsync 50-100, 11 disk edge 100-251, "
		    "11 runnable 251-260, 11 fsync 260-300, 11 user 300-350, 11 fsync 350-400, "
		    "11 disk 400-501, 11 runnable 501-510, 11 fsync 510-520",
		    "a thread's own path has the part that it waited for");
}

/* While the request ends, a terminal interrupts another CPU, which is idle, too. */
static void test_terminal(void)
{
	start_two();
	block(10, 60, false);
	leave(11, 100, STATE_SLEEPING, 0);
	block(0, 250, true);
	take((struct event){ .type = EVENT_WAKE,
			     .time = 251,
			     .wake = { .target = 11, .context = WAKE_INTERRUPT, .from = 2 } });
	come(11, 260);
	call(11, "read", 50, 300, FD_TTY, 0, 0);
	derive_end(&derive);
	is_anchored(1,
		    "11 runnable 10-20, 11 user 20-50, 11 read tty 50-100, 11 terminal 100-251, "
		    "11 runnable 251-260, 11 read tty 260-300",
		    "a request that ended on one CPU is not what another waited for");
}

static void test_block_at_once(void)
{
	start_two();
	block(11, 90, false);
	wait_for_device(100, 391);
	call(11, "fsync", 80, 410, FD_FILE, 0, 0);
	derive_end(&derive);
	is_anchored(1,
		    "11 runnable 10-20, 11 user 20-80, 11 fsync 80-90, 11 fsync 90-100, "
		    "11 disk 100-391, 11 runnable 391-400, 11 fsync 400-410",
		    "a request that a thread waits for at once is a wait of its own");
}

static void test_block_long_over(void)
{
	start_two();
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

/* ---- of io_uring ---- */

static void enter(int64_t time, int64_t until, int64_t submitted)
{
	call(10, "io_uring_enter", time, until, FD_IOURING, 1, submitted);
}

/* 10 waits until an interrupt. */
static void wait_for_completion(int64_t from, int64_t until)
{
	leave(10, from, STATE_SLEEPING, 0);
	wake(0, until, WAKE_INTERRUPT, 10);
	come(10, until + 2);
}

/* Reports an operation of 8 bytes that has ended. */
static void operation(int64_t time, int64_t until, uint8_t opcode, enum fd_kind kind, uint32_t file)
{
	take((struct event){ .type = EVENT_URING,
			     .pid = 10,
			     .tid = 10,
			     .time = time,
			     .uring = { .complete = true,
					.opcode = opcode,
					.result = 8,
					.duration = until - time,
					.kind = kind,
					.file = file } });
}

/* A thread asks for 20, works for 180 and then waits. */
static void test_uring(void)
{
	start();
	come(10, 0);
	enter(10, 20, 1);
	enter(30, 40, 1);
	wait_for_completion(210, 500);
	operation(15, 505, IORING_OP_READ, FD_FILE, 2);
	enter(200, 510, 0);
	is_path("10 user 0-10, 10 io_uring_enter io_uring 10-20, 10 disk edge 20-500, "
		"10 runnable 500-502, 10 io_uring_enter io_uring 502-510",
		"the operation goes on meanwhile");
	/* What was asked for in the call that waits. */
	wait_for_completion(610, 700);
	operation(605, 705, IORING_OP_READ, FD_FILE, 2);
	enter(600, 710, 0);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[0].last - 3)->kind, PIECE_DELAY,
		"one that begins with the wait has no other cause");
	wait_for_completion(750, 800);
	enter(740, 810, 0);
	derive_end(&derive);
	is_string(state_at(0, 800), "other", "a wait for none of them is not for a disk");
	wait_for_completion(850, 900);
	operation(845, 905, IORING_OP_READ, FD_FILE, 2);
	call(10, "epoll_wait", 840, 910, FD_EPOLL, 3, 1);
	derive_end(&derive);
	is_string(state_at(0, 900), "work", "nor is one for any of several descriptors");
}

/* Bytes that an operation sends and another one receives. */
static void test_uring_pipe(void)
{
	start_pipe();
	come(10, 0);
	operation(20, 21, IORING_OP_WRITE_FIXED, FD_PIPE, 2);
	operation(30, 31, IORING_OP_READ, FD_PIPE, 1);
	derive_end(&derive);
	cmp_int((int64_t)graph.queues.v[0].put, 8, "operations put into queues");
	cmp_int((int64_t)graph.queues.v[0].taken, 8, "and take out of them");
	cmp_int((int64_t)graph_unmatched(&graph), 0, "what was put");
}

/* More calls than are kept: those of the last ones are known. */
static void test_many_submissions(void)
{
	start();
	come(10, 0);
	for (int i = 0; i < 20; i++)
		enter(10 + 10 * i, 15 + 10 * i, 1);
	wait_for_completion(310, 500);
	operation(202, 501, IORING_OP_READ, FD_FILE, 2);
	enter(300, 510, 0);
	derive_end(&derive);
	cmp_int(tape_at(&graph.tape, graph.threads.v[0].last - 3)->kind, PIECE_WAIT,
		"an operation of the twentieth call began there");
}

int main(void)
{
	test_block();
	test_terminal();
	test_block_at_once();
	test_block_long_over();
	test_uring();
	test_uring_pipe();
	test_many_submissions();
	return done_testing();
}
