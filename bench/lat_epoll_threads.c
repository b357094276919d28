/* SPDX-License-Identifier: MIT */
/*
 * lat_epoll_threads - an event that one of THREADS threads, all waiting by epoll, takes and
 * answers.
 *
 * They share one set, edge-triggered, so that an event wakes one of them (shared); or each has its
 * own, with EPOLLEXCLUSIVE, so that at least one wakes (exclusive), or without, so that all do
 * (herd).
 */
#include <err.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "measure/bench.h"
#include "common/reason.h"

#ifndef EPOLLEXCLUSIVE /* C libraries before 2016 */
#define EPOLLEXCLUSIVE (1u << 28)
#endif

enum { SHARED, EXCLUSIVE, HERD };
enum { THREADS_MOST = 256 };

static int request, reply;
static int sets[THREADS_MOST];
static _Atomic uint64_t answered;
static uint64_t asked;

static const struct bench_parameter parameters[] = {
	{ "set", BENCH_CHOICE, "shared exclusive herd", .fallback = "shared",
	  .help = "shared: one set for all threads; exclusive: one each, with EPOLLEXCLUSIVE; "
		  "herd: without" },
	{ "threads", BENCH_COUNT, "1 4 16", 1, THREADS_MOST, .fallback = "4", .axis = true,
	  .help = "threads that wait" },
	{ 0 }
};

static const char *supported(void)
{
	static const uint32_t extra[] = {
		[SHARED] = EPOLLET, [EXCLUSIVE] = EPOLLEXCLUSIVE, [HERD] = 0
	};
	struct epoll_event event = { .events = EPOLLIN | extra[bench_choice(0)] };

	request = eventfd(0, EFD_NONBLOCK);
	reply = eventfd(0, 0);
	for (uint64_t i = 0; i < bench_number(1); i++) {
		if (i && bench_choice(0) == SHARED) {
			sets[i] = sets[0];
			continue;
		}
		sets[i] = epoll_create1(0);
		if (sets[i] < 0 || epoll_ctl(sets[i], EPOLL_CTL_ADD, request, &event))
			return reason_errno("such a set");
	}
	return NULL;
}

/* A thread that comes too late for the event waits again. */
static void *answer(void *set)
{
	struct epoll_event event;
	eventfd_t value;

	bench_place_peer();
	for (;;) {
		if (epoll_wait(*(int *)set, &event, 1, -1) != 1) {
			if (errno != EINTR)
				err(1, "epoll_wait");
			continue;
		}
		if (eventfd_read(request, &value)) {
			if (errno != EAGAIN)
				err(1, "eventfd");
			continue;
		}
		atomic_fetch_add(&answered, value);
		if (eventfd_write(reply, 1))
			err(1, "eventfd");
	}
	return NULL;
}

static void setup(void)
{
	pthread_t thread;

	for (uint64_t i = 0; i < bench_number(1); i++) {
		errno = pthread_create(&thread, NULL, answer, &sets[i]);
		if (errno)
			err(1, "thread");
	}
}

static void run(uint64_t n)
{
	eventfd_t value;

	for (asked += n; n--;)
		if (eventfd_write(request, 1) || eventfd_read(reply, &value) || value != 1)
			err(1, "an event and its answer");
}

static const char *check(uint64_t n)
{
	return atomic_load(&answered) == asked ? NULL : "another number of events was answered";
}

const struct bench bench = {
	.summary = "An event that one of THREADS threads takes and answers.",
	.operation = "an event and its answer: two writes, an epoll_wait, two reads, two switches",
	.parameters = parameters,
	.parties = BENCH_TWO,
	.kernel_entries = 5,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
