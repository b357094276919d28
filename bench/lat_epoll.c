/* SPDX-License-Identifier: MIT */
/*
 * lat_epoll - epoll_wait(2) of a set of NFDS descriptors, one of which is ready (wait); or adding
 * one more descriptor to a set of NFDS, and removing it (ctl).
 */
#include <err.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/descriptors.h"

enum { WAIT, CTL };

static int set, ready, extra;
static bool extra_inside;

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "wait ctl", .help = "to measure" },
	{ "nfds", BENCH_COUNT, "1 10 100 1000", 1, 1000000, .fallback = "10", .axis = true,
	  .help = "descriptors in the set" },
	{ 0 }
};

static const char *supported(void)
{
	return descriptors_reason(bench_number(1) + 1);
}

static int change(int operation, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };

	return epoll_ctl(set, operation, fd, &event);
}

static void setup(void)
{
	size_t n = bench_number(1) + 1;
	int *fds = descriptors_new(n);

	set = epoll_create1(EPOLL_CLOEXEC);
	if (set < 0)
		err(1, "epoll_create1");
	extra = fds[0];
	ready = fds[n - 1];
	for (size_t i = 1; i < n; i++)
		if (change(EPOLL_CTL_ADD, fds[i]))
			err(1, "epoll_ctl");
	free(fds);
}

static void run(uint64_t n)
{
	struct epoll_event event;

	if (bench_choice(0) == WAIT) {
		while (n--)
			if (epoll_wait(set, &event, 1, 0) != 1 || event.data.fd != ready)
				err(1, "epoll_wait: not the ready descriptor");
		return;
	}
	while (n--) {
		if (change(extra_inside ? EPOLL_CTL_DEL : EPOLL_CTL_ADD, extra))
			err(1, "epoll_ctl");
		extra_inside = !extra_inside;
	}
}

static void teardown(void)
{
	close(set);
}

static const struct bench bench = {
	.summary = "Waiting for, or changing, a set of NFDS descriptors.",
	.operation = "one epoll_wait, or one epoll_ctl (adding and removing in turn)",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.teardown = teardown,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
