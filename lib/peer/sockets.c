/* SPDX-License-Identifier: MIT */
#include "sockets.h"

#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/un.h>
#include <unistd.h>

#include "util/xalloc.h"

/* Binds fd (AF_INET, AF_UNIX) to a new address and returns it; false and errno on error. */
static bool listener_bind(int fd, struct sockaddr_storage *address, socklen_t *length)
{
	struct sockaddr_in *ip = (struct sockaddr_in *)address;
	struct sockaddr_un *local = (struct sockaddr_un *)address;
	char name[32];

	memset(address, 0, sizeof(*address));
	*length = sizeof(*address);
	if (getsockname(fd, (struct sockaddr *)address, length))
		return false;
	if (address->ss_family == AF_UNIX) {
		*length =
		    (socklen_t)snprintf(name, sizeof(name), "osvec-%ld-%d", (long)getpid(), fd);
		memcpy(local->sun_path + 1, name, *length);
		*length += offsetof(struct sockaddr_un, sun_path) + 1;
		return !bind(fd, (struct sockaddr *)address, *length);
	}
	ip->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	return !bind(fd, (struct sockaddr *)address, *length) &&
	       !getsockname(fd, (struct sockaddr *)address, length);
}

static void close_keeping_errno(int fd)
{
	int saved = errno;

	close(fd);
	errno = saved;
}

bool listener_open(struct listener *l, int family)
{
	l->fd = socket(family, SOCK_STREAM, 0);
	if (l->fd < 0)
		return false;
	if (listener_bind(l->fd, &l->address, &l->length) && !listen(l->fd, SOMAXCONN))
		return true;
	close_keeping_errno(l->fd);
	return false;
}

bool listener_open_group(struct listener *l, int fds[], size_t n)
{
	const int yes = 1;

	for (size_t i = 0; i < n; i++) {
		fds[i] = socket(AF_INET, SOCK_STREAM, 0);
		if (fds[i] < 0 || setsockopt(fds[i], SOL_SOCKET, SO_REUSEPORT, &yes, sizeof(yes)))
			return false;
		if (i ? bind(fds[i], (struct sockaddr *)&l->address, l->length)
		      : !listener_bind(fds[i], &l->address, &l->length))
			return false;
		if (listen(fds[i], SOMAXCONN))
			return false;
	}
	l->fd = fds[0];
	return true;
}

static const char *const names[] = {
	[CHANNEL_PIPE] = "pipe", [CHANNEL_UNIX] = "unix",	    [CHANNEL_TCP] = "tcp",
	[CHANNEL_UDP] = "udp",	 [CHANNEL_UNIXDGRAM] = "unixdgram",
};

bool channel_prepare(int fd, enum channel_kind kind)
{
	struct linger reset = { .l_onoff = 1, .l_linger = 0 };
	int yes = 1;

	return kind != CHANNEL_TCP ||
	       (!setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes)) &&
		!setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof(reset)));
}

/* The connect functions leave the opened descriptors in ends[], and errno when they fail. */

static bool connect_pipes(struct channel_end *a, struct channel_end *b)
{
	int there[2], back[2];

	if (pipe(there))
		return false;
	a->out = there[1], b->in = there[0];
	if (pipe(back))
		return false;
	a->in = back[0], b->out = back[1];
	return true;
}

static bool connect_unix(int ends[2])
{
	return !socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
}

static bool connect_unixdgram(int ends[2])
{
	return !socketpair(AF_UNIX, SOCK_DGRAM, 0, ends);
}

static bool connect_tcp(int ends[2])
{
	struct listener l;
	bool done;

	if (!listener_open(&l, AF_INET))
		return false;
	done = (ends[0] = socket(AF_INET, SOCK_STREAM, 0)) >= 0 &&
	       !connect(ends[0], (struct sockaddr *)&l.address, l.length) &&
	       (ends[1] = accept(l.fd, NULL, NULL)) >= 0;
	close_keeping_errno(l.fd);
	return done;
}

static bool connect_udp(int ends[2])
{
	struct sockaddr_storage at[2];
	socklen_t length;

	for (int i = 0; i < 2; i++)
		if ((ends[i] = socket(AF_INET, SOCK_DGRAM, 0)) < 0 ||
		    !listener_bind(ends[i], &at[i], &length))
			return false;
	return !connect(ends[0], (struct sockaddr *)&at[1], length) &&
	       !connect(ends[1], (struct sockaddr *)&at[0], length);
}

/* Opens c, or leaves nothing open and sets errno. */
static bool try_open(struct channel *c, enum channel_kind kind)
{
	static bool (*const connect_pair[])(int[2]) = {
		[CHANNEL_UNIX] = connect_unix,
		[CHANNEL_TCP] = connect_tcp,
		[CHANNEL_UDP] = connect_udp,
		[CHANNEL_UNIXDGRAM] = connect_unixdgram,
	};
	int ends[2] = { -1, -1 };
	bool done;

	/* A peer that ends early is an error with a message, not a signal. */
	signal(SIGPIPE, SIG_IGN);
	c->a = c->b = (struct channel_end){ -1, -1 };
	if (kind == CHANNEL_PIPE) {
		done = connect_pipes(&c->a, &c->b);
	} else {
		done = connect_pair[kind](ends) && channel_prepare(ends[0], kind) &&
		       channel_prepare(ends[1], kind);
		c->a = (struct channel_end){ ends[0], ends[0] };
		c->b = (struct channel_end){ ends[1], ends[1] };
	}
	if (!done)
		channel_close(c);
	return done;
}

const char *channel_reason(enum channel_kind kind, uint64_t size)
{
	static char reason[128];
	struct channel c;

	if ((kind == CHANNEL_UDP || kind == CHANNEL_UNIXDGRAM) && size > CHANNEL_DATAGRAM)
		return "a datagram holds at most 65507 bytes";
	if (!try_open(&c, kind)) {
		snprintf(reason, sizeof(reason), "cannot connect two ends by %s: %s", names[kind],
			 strerror(errno));
		return reason;
	}
	channel_close(&c);
	return NULL;
}

const char *channel_hold_reason(enum channel_kind kind, uint64_t size)
{
	const char *reason = channel_reason(kind, size);
	struct channel c;
	ssize_t sent;
	char *message;

	if (reason)
		return reason;
	message = xcalloc(size, 1);
	channel_open(&c, kind);
	fcntl(c.a.out, F_SETFL, O_NONBLOCK);
	sent = write(c.a.out, message, size);
	channel_close(&c);
	free(message);
	return sent == (ssize_t)size ? NULL : "a message of that size does not fit the buffers";
}

void channel_open(struct channel *c, enum channel_kind kind)
{
	if (!try_open(c, kind))
		err(1, "connect two ends by %s", names[kind]);
}

void channel_close_end(struct channel_end *end)
{
	if (end->in >= 0)
		close_keeping_errno(end->in);
	if (end->out >= 0 && end->out != end->in)
		close_keeping_errno(end->out);
	end->in = end->out = -1;
}

void channel_close(struct channel *c)
{
	channel_close_end(&c->a);
	channel_close_end(&c->b);
}

void channel_send(const struct channel_end *end, const void *message, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = write(end->out, (const char *)message + done, size - done);

		if (n <= 0)
			err(1, "write of %zu bytes to the other end", size);
		done += (size_t)n;
	}
}

void channel_receive(const struct channel_end *end, void *message, size_t size)
{
	for (size_t done = 0; done < size;) {
		ssize_t n = read(end->in, (char *)message + done, size - done);

		if (n < 0)
			err(1, "read of %zu bytes from the other end", size);
		if (n == 0)
			errx(1, "the other end is closed");
		done += (size_t)n;
	}
}

enum { SPARE = 32 }; /* descriptors for the rest of the program */

const char *descriptors_reason(uint64_t n)
{
	struct rlimit files;
	int fd = eventfd(0, 0);

	if (fd < 0)
		return "this kernel has no eventfd";
	close(fd);
	if (getrlimit(RLIMIT_NOFILE, &files) || files.rlim_cur >= n + SPARE)
		return NULL;
	files.rlim_cur = n + SPARE;
	if (files.rlim_max < files.rlim_cur)
		files.rlim_max = files.rlim_cur; /* root may */
	return setrlimit(RLIMIT_NOFILE, &files) ? "the limit of open files (ulimit -Hn) is too low"
						: NULL;
}

int *descriptors_new(size_t n)
{
	int *fds = xcalloc(n, sizeof(*fds));

	for (size_t i = 0; i < n; i++) {
		fds[i] = eventfd(i == n - 1, EFD_NONBLOCK);
		if (fds[i] < 0)
			err(1, "eventfd");
	}
	return fds;
}
