/* SPDX-License-Identifier: MIT */
/* Tests of the queues behind pipes and sockets in a graph that is derived from events. */
#include "../tap.h"
#include "graph_derived.h"

/* 11 waits, and a softirq on top of 10 wakes it. */
static void wake_softly(void)
{
	leave(11, 100, STATE_SLEEPING, 0);
	wake(10, 250, WAKE_SOFTIRQ, 11);
}

/* A softirq on top of a sender is loopback; on top of another it is somebody unknown. */
static void test_softirq(bool sends)
{
	start_connection();
	wake_softly();
	come(11, 260);
	call(10, sends ? "sendto" : "getpid", 200, 300, sends ? FD_TCP : FD_UNKNOWN, sends ? 2 : 0,
	     8);
	call(11, "recvfrom", 50, 400, FD_TCP, 1, 8);
	is_path(sends ? "10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable 250-260, "
			"11 recvfrom tcp 260-400"
		      : "10 user 0-10, 11 runnable 10-20, 11 user 20-50, 11 recvfrom tcp 50-100, "
			"11 peer 100-250, 11 runnable 250-260, 11 recvfrom tcp 260-400",
		sends ? "the sender" : "not who was interrupted");
}

/* The sender has sent to others, too, before the one that it woke gets a CPU. */
static void test_busy_sender(void)
{
	start_connection();
	define(3, FD_TCP, "socket:[3]");
	wake_softly();
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(10, "sendto", 310, 320, FD_TCP, 3, 8);
	call(10, "getpid", 322, 324, FD_UNKNOWN, 0, 1);
	come(11, 330);
	call(11, "recvfrom", 50, 400, FD_TCP, 1, 8);
	is_path("10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable 250-330, 11 "
		"recvfrom tcp 330-400",
		"the sender, whatever it has done since");
}

static void test_both_ways(void)
{
	start_connection();
	wake_softly();
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
	start_connection();
	wake_softly();
	come(11, 260);
	call(11, "restart_syscall", 50, 280, FD_UNKNOWN, 0, 1);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(11, "getpid", 400, 410, FD_UNKNOWN, 0, 11);
	is_path("10 user 0-10, 10 user 10-200, 10 sendto tcp 200-250, 11 runnable 250-260, "
		"11 restart_syscall 260-280, 11 user 280-400, 11 getpid 400-410",
		"a call that goes on may be one on a socket, too");
}

static void test_late_reader(void)
{
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

/* Bytes that were read before it was known whose they are. */
static void test_ahead(void)
{
	start_connection();
	call(10, "sendto", 30, 40, FD_TCP, 2, 8);
	call(11, "recvfrom", 50, 60, FD_TCP, 1, 8);
	wake_softly();
	come(11, 260);
	call(10, "sendto", 200, 300, FD_TCP, 2, 8);
	call(11, "recvfrom", 80, 400, FD_TCP, 1, 8);
	cmp_int((int64_t)graph.queues.v[0].put, 16, "all that was sent");
	cmp_int((int64_t)graph.queues.v[0].taken, 16, "has been taken, also before that was known");
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
	start_pipe();
	come(10, 0);
	come(11, 0);
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
	start_pipe();
	come(10, 0);
	come(11, 0);
	call(11, "read", 20, 30, FD_PIPE, 1, 24);
	cmp_int((int64_t)graph_unmatched(&graph), 24, "nobody was seen to write");
	call(10, "write", 0, 40, FD_PIPE, 2, 64);
	derive_end(&derive);
	cmp_int((int64_t)graph_unmatched(&graph), 0, "until the write returns");
}

int main(void)
{
	test_softirq(false);
	test_softirq(true);
	test_busy_sender();
	test_both_ways();
	test_early_reader();
	test_late_reader();
	test_ahead();
	test_next_writer();
	test_gone_writer();
	test_late_writer();
	return done_testing();
}
