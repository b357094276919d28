/* SPDX-License-Identifier: MIT */
/*
 * lat_ready - select(2), poll(2), ppoll(2) or epoll_wait(2) of NFDS descriptors of which one, every
 * tenth or every one is ready, with an infinite timeout.
 *
 * This thread made them ready before, and they stay so.  What the caller does to look through the
 * results is not timed, but select's copies of its sets, which the call overwrites, are.
 */
#include <err.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>

#include "measure/bench.h"
#include "peer/sockets.h"
#include "util/xalloc.h"

enum { ONE, TENTH, ALL };

static int *fds, set, most; /* most: the largest descriptor */
static size_t nfds;
static int ready; /* how many */
static fd_set wanted, found;
static struct pollfd *watched;
static struct epoll_event *events;
static sigset_t mask;

static int call_select(void)
{
	found = wanted;
	return select(most + 1, &found, NULL, NULL, NULL);
}

static int call_poll(void)
{
	return poll(watched, nfds, -1);
}

static int call_ppoll(void)
{
	return ppoll(watched, nfds, NULL, &mask);
}

static int call_epoll(void)
{
	return epoll_wait(set, events, (int)nfds, -1);
}

static int (*const calls[])(void) = { call_select, call_poll, call_ppoll, call_epoll };

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "select poll ppoll epoll", .help = "call that waits" },
	{ "nfds", BENCH_COUNT, "10 100 1000", 1, 1000000, .fallback = "100", .axis = true,
	  .help = "descriptors watched" },
	{ "ready", BENCH_CHOICE, "one tenth all", .fallback = "one",
	  .help = "how many of them are ready" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = descriptors_reason(bench_number(1));

	if (reason)
		return reason;
	nfds = bench_number(1);
	fds = descriptors_new(nfds);
	most = fds[nfds - 1];
	return calls[bench_choice(0)] == call_select && most >= FD_SETSIZE
		   ? "select takes descriptors below 1024 only"
		   : NULL;
}

/* The last is ready already. */
static bool is_ready(size_t i)
{
	return bench_choice(2) == ALL || (bench_choice(2) == TENTH && i % 10 == 9) || i == nfds - 1;
}

static void setup(void)
{
	watched = xcalloc(nfds, sizeof(*watched));
	events = xcalloc(nfds, sizeof(*events));
	set = epoll_create1(EPOLL_CLOEXEC);
	for (size_t i = 0; i < nfds; i++) {
		struct epoll_event event = { .events = EPOLLIN, .data.u64 = i };

		watched[i] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
		if (calls[bench_choice(0)] == call_select)
			FD_SET(fds[i], &wanted);
		if (epoll_ctl(set, EPOLL_CTL_ADD, fds[i], &event))
			err(1, "epoll_ctl");
		if (is_ready(i) && ++ready && eventfd_write(fds[i], 1))
			err(1, "eventfd");
	}
}

static void run(uint64_t n)
{
	int (*call)(void) = calls[bench_choice(0)];

	while (n--)
		if (call() != ready)
			err(1, "not %d descriptors are ready", ready);
}

/* The call also sees a descriptor that was not ready, so it watches all. */
static const char *check(uint64_t n)
{
	eventfd_t raised;
	int seen;

	if (is_ready(0))
		return NULL;
	if (eventfd_write(fds[0], 1))
		err(1, "eventfd");
	seen = calls[bench_choice(0)]();
	if (eventfd_read(fds[0], &raised))
		err(1, "eventfd");
	return seen == ready + 1 ? NULL : "not all descriptors are watched";
}

const struct bench bench = {
	.summary = "Waiting for NFDS descriptors of which one, a tenth or all are ready.",
	.operation = "one wait for NFDS descriptors",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
