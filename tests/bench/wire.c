/* SPDX-License-Identifier: MIT */
/*
 * wire NAMESPACE NAMESPACE DELAY: a cable between two network namespaces of ip-netns(8), as root.
 * In each there is then a device wire0, and a packet that is sent to it comes out of the other one
 * DELAY microseconds later; none is lost.
 */
#include <err.h>
#include <fcntl.h>
#include <linux/if_tun.h>
#include <net/if.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { PACKETS = 8192, BYTES = 2048 };

/* What is on its way to one end. */
struct way {
	struct {
		int64_t due; /* ns */
		ssize_t n;
		char bytes[BYTES];
	} packets[PACKETS];
	unsigned first, n;
};

static struct way ways[2];
static struct pollfd ends[2];

static int64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

static int open_end(const char *name)
{
	struct ifreq request = { .ifr_name = "wire0" };
	char path[256];

	request.ifr_flags = IFF_TUN | IFF_NO_PI;
	snprintf(path, sizeof(path), "/var/run/netns/%s", name);
	int space = open(path, O_RDONLY | O_CLOEXEC);
	if (space < 0 || setns(space, CLONE_NEWNET))
		err(1, "%s", path);
	close(space);
	int end = open("/dev/net/tun", O_RDWR | O_NONBLOCK | O_CLOEXEC);
	if (end < 0 || ioctl(end, TUNSETIFF, &request) < 0)
		err(1, "/dev/net/tun");
	return end;
}

/* Packets that came in at an end set out for the other one. */
static void take(int from, struct way *w, int64_t delay)
{
	while (w->n < PACKETS) {
		unsigned at = (w->first + w->n) % PACKETS;
		ssize_t n = read(from, w->packets[at].bytes, BYTES);

		if (n <= 0)
			return;
		w->packets[at].n = n;
		w->packets[at].due = now() + delay;
		w->n++;
	}
}

/* Delivers what is due; the ns until the next is, or -1. */
static int64_t deliver(int to, struct way *w)
{
	for (; w->n; w->n--, w->first = (w->first + 1) % PACKETS) {
		int64_t left = w->packets[w->first].due - now();

		if (left > 0)
			return left;
		if (write(to, w->packets[w->first].bytes, (size_t)w->packets[w->first].n) < 0)
			warn("wire0");
	}
	return -1;
}

int main(int argc, char **argv)
{
	if (argc != 4)
		errx(2, "usage: wire NAMESPACE NAMESPACE DELAY");
	int64_t delay = atoll(argv[3]) * 1000;
	for (int i = 0; i < 2; i++)
		ends[i] = (struct pollfd){ .fd = open_end(argv[1 + i]), .events = POLLIN };
	puts("ready");
	fflush(stdout);
	for (;;) {
		int64_t a = deliver(ends[1].fd, &ways[0]), b = deliver(ends[0].fd, &ways[1]);
		int64_t left = a < 0 || (b >= 0 && b < a) ? b : a;
		struct timespec t = { left / 1000000000, left % 1000000000 };

		if (ppoll(ends, 2, left < 0 ? NULL : &t, NULL) < 0)
			err(1, "ppoll");
		take(ends[0].fd, &ways[0], delay);
		take(ends[1].fd, &ways[1], delay);
	}
}
