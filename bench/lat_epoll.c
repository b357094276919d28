/* SPDX-License-Identifier: MIT */
/*
 * lat_epoll - epoll_wait(2) of NFDS descriptors, one of which another CPU has made ready (wait), or
 * adding a descriptor to a set of NFDS and removing it, in turn (ctl), or changing what is
 * waited for (mod).
 */
#include <err.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "common/peer.h"
#include "measure/bench.h"
#include "peer/sockets.h"

enum { WAIT, CTL, MOD };
/* A batch waits once for each set: one preparation serves several operations. */
enum { SETS = 16, MOST = 4096 /* descriptors in all sets */ };

static struct {
	int set, ready;
} sets[SETS];
static size_t nsets;
static int extra;
static bool extra_inside;

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "wait ctl mod",
	  .help =
	      "wait: epoll_wait; ctl: a descriptor is added and removed in turn; mod: changed" },
	{ "nfds", BENCH_COUNT, "1 10 100 1000", 1, 1000000, .fallback = "10", .axis = true,
	  .help = "descriptors in the set" },
	{ 0 }
};

static const char *supported(void)
{
	size_t n = bench_number(1);

	nsets = bench_choice(0) != WAIT || n >= MOST ? 1 : MOST / n < SETS ? MOST / n : SETS;
	return descriptors_reason(nsets * n + 1);
}

static int change(int set, int operation, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(set, operation, fd, &event);
}

static void make_set(size_t k, const int *fds, size_t n)
{
	sets[k].set = epoll_create1(EPOLL_CLOEXEC);
	if (sets[k].set < 0)
		err(1, "epoll_create1");
	sets[k].ready = fds[n - 1];
	for (size_t i = 0; i < n; i++)
		if (change(sets[k].set, EPOLL_CTL_ADD, fds[i]))
			err(1, "epoll_ctl");
}

/* Lowers the events again: each was raised once. */
static const char *check(uint64_t n)
{
	eventfd_t raised;

	for (uint64_t k = 0; bench_choice(0) == WAIT && k < n; k++)
		if (eventfd_read(sets[k].ready, &raised) || raised != 1)
			return "an event was not raised for each wait";
	return NULL;
}

static void setup(void)
{
	size_t n = bench_number(1);

	for (size_t k = 0; k < nsets; k++) {
		int *fds = descriptors_new(n);

		make_set(k, fds, n);
		free(fds);
	}
	extra = dup(sets[0].ready);
	if (extra < 0)
		err(1, "dup");
	if (bench_choice(0) == WAIT) {
		check(nsets);
		peer_start();
	}
}

static void raise_event(size_t k)
{
	if (eventfd_write(sets[k].ready, 1))
		err(1, "eventfd");
}

static void prepare(uint64_t n)
{
	if (bench_choice(0) == WAIT)
		peer_do(raise_event, n);
}

static void wait_for_sets(uint64_t n)
{
	struct epoll_event event;

	for (uint64_t k = 0; k < n; k++)
		if (epoll_wait(sets[k].set, &event, 1, 0) != 1 || event.data.fd != sets[k].ready)
			err(1, "epoll_wait: not the ready descriptor");
}

static void modify_set(uint64_t n)
{
	while (n--)
		if (change(sets[0].set, EPOLL_CTL_MOD, sets[0].ready))
			err(1, "epoll_ctl");
}

static void change_set(uint64_t n)
{
	while (n--) {
		if (change(sets[0].set, extra_inside ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, extra))
			err(1, "epoll_ctl");
		extra_inside = !extra_inside;
	}
}

static void run(uint64_t n)
{
	static void (*const calls[])(uint64_t) = { wait_for_sets, change_set, modify_set };

	calls[bench_choice(0)](n);
}

static uint64_t limit(void)
{
	return bench_choice(0) == WAIT ? nsets : 0;
}

const struct bench bench = {
	.summary = "Waiting for, or changing, a set of NFDS descriptors.",
	.operation = "one epoll_wait, or one epoll_ctl (ctl: adding and removing in turn)",
	.parameters = parameters,
	.parties = BENCH_APART,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
