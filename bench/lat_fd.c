/* SPDX-License-Identifier: MIT */
/* lat_fd - makes a descriptor, or two (socketpair), of a kind, unconnected and unused, and closes
 * it. */
#include <err.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"

static sigset_t mask; /* of no signal */

static int make_eventfd(void)
{
	return eventfd(0, EFD_CLOEXEC);
}

static int make_timerfd(void)
{
	return timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
}

static int make_signalfd(void)
{
	return signalfd(-1, &mask, SFD_CLOEXEC);
}

static int make_epoll(void)
{
	return epoll_create1(EPOLL_CLOEXEC);
}

static int make_inotify(void)
{
	return inotify_init1(IN_CLOEXEC);
}

static int make_memfd(void)
{
	return memfd_create("osvec", MFD_CLOEXEC);
}

static int make_unix(void)
{
	return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int make_tcp(void)
{
	return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
}

static int make_udp(void)
{
	return socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
}

static int make_socketpair(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) || close(ends[0]))
		return -1;
	return ends[1];
}

static int (*const makers[])(void) = { make_eventfd, make_timerfd,   make_signalfd, make_epoll,
				       make_inotify, make_memfd,     make_unix,	    make_tcp,
				       make_udp,     make_socketpair };

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE,
	  "eventfd timerfd signalfd epoll inotify memfd unix tcp udp socketpair",
	  .help = "kind of descriptor; unix, tcp, udp: a socket" },
	{ 0 }
};

static const char *supported(void)
{
	int fd = makers[bench_choice(0)]();

	return fd < 0 || close(fd) ? reason_errno("this kind of descriptor") : NULL;
}

static void run(uint64_t n)
{
	int (*make)(void) = makers[bench_choice(0)];

	while (n--) {
		int fd = make();

		if (fd < 0 || close(fd))
			err(1, "make a descriptor and close it");
	}
}

const struct bench bench = {
	.summary = "Making a descriptor and closing it.",
	.operation = "one call that makes it, and its close (two for socketpair)",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.run = run,
};
