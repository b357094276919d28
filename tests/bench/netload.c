/* SPDX-License-Identifier: MIT */
/*
 * netload - two ends of a network, for tests/bench/network; HOST is an IPv4 address:
 *
 *	netload sink HOST PORT WORK	takes what one connection brings, and works for each 8 KiB
 *	netload source HOST PORT WORK N BUFFER	works for each 8 KiB and sends it, N times; a socket
 *		buffer of BUFFER bytes (0: of the system)
 *	netload server HOST PORT WORK CONNECTIONS THREADS	answers 64 bytes by 8 KiB; works for
 *		each; the threads share the connections
 *	netload client HOST PORT WORK CONNECTIONS N	asks N times, once at a time on each
 *
 * WORK is in thousands of steps, about a microsecond each.
 */
#include <arpa/inet.h>
#include <err.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum { CHUNK = 8192, QUESTION = 64, MOST = 64 };

static long work_units;
static int connections[MOST];
static long threads, count;

static void work(void)
{
	volatile uint64_t x = 1;

	for (long i = 0; i < work_units * 1000; i++)
		x = x * 6364136223846793005u + 1442695040888963407u;
}

static int get(int fd, size_t bytes)
{
	char chunk[CHUNK];
	ssize_t n;

	for (size_t done = 0; done < bytes; done += (size_t)n)
		if ((n = read(fd, chunk, bytes - done)) <= 0)
			return 0;
	return 1;
}

static void put(int fd, size_t bytes)
{
	static const char chunk[CHUNK];

	for (size_t done = 0; done < bytes;) {
		ssize_t n = write(fd, chunk, bytes - done);

		if (n < 0)
			err(1, "write");
		done += (size_t)n;
	}
}

static struct sockaddr_in address(char **argv)
{
	struct sockaddr_in a = { .sin_family = AF_INET,
				 .sin_port = htons((uint16_t)atoi(argv[3])) };

	if (inet_pton(AF_INET, argv[2], &a.sin_addr) != 1)
		errx(2, "%s: no address", argv[2]);
	return a;
}

static void take_connections(char **argv, long n)
{
	struct sockaddr_in a = address(argv);
	int listening = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

	setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listening, (struct sockaddr *)&a, sizeof(a)) || listen(listening, MOST))
		err(1, "%s", argv[2]);
	for (long i = 0; i < n; i++) {
		connections[i] = accept(listening, NULL, NULL);
		setsockopt(connections[i], IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	}
	close(listening);
}

static int connected(char **argv, int buffer)
{
	struct sockaddr_in a = address(argv);

	for (int i = 0; i < 500; i++) {
		int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), one = 1;

		if (buffer)
			setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &buffer, sizeof(buffer));
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
		if (!connect(fd, (struct sockaddr *)&a, sizeof(a)))
			return fd;
		close(fd);
		usleep(10000);
	}
	err(1, "%s", argv[2]);
}

/* Answers on each connection that is `number` modulo the threads, until all are closed. */
static void *serve(void *number)
{
	int all = epoll_create1(EPOLL_CLOEXEC);
	long open = 0;
	struct epoll_event e;

	for (long i = (long)(intptr_t)number; i < count; i += threads, open++)
		epoll_ctl(all, EPOLL_CTL_ADD, connections[i],
			  &(struct epoll_event){ .events = EPOLLIN, .data.fd = connections[i] });
	while (open && epoll_wait(all, &e, 1, -1) == 1) {
		if (!get(e.data.fd, QUESTION)) {
			close(e.data.fd);
			open--;
			continue;
		}
		work();
		put(e.data.fd, CHUNK);
	}
	return number;
}

static void ask(char **argv, long n)
{
	int all = epoll_create1(EPOLL_CLOEXEC);
	long asked = 0;
	struct epoll_event e;

	for (long i = 0; i < count; i++) {
		connections[i] = connected(argv, 0);
		epoll_ctl(all, EPOLL_CTL_ADD, connections[i],
			  &(struct epoll_event){ .events = EPOLLIN, .data.fd = connections[i] });
	}
	for (; asked < count; asked++)
		put(connections[asked], QUESTION);
	for (long answers = 0; answers < n && epoll_wait(all, &e, 1, -1) == 1; answers++) {
		if (!get(e.data.fd, CHUNK))
			errx(1, "no answer");
		work();
		if (asked++ < n)
			put(e.data.fd, QUESTION);
	}
}

int main(int argc, char **argv)
{
	const char *role = argc > 4 ? argv[1] : "";
	long number = argc > 5 ? atol(argv[5]) : 0, more = argc > 6 ? atol(argv[6]) : 0;

	work_units = argc > 4 ? atol(argv[4]) : 0;
	if (!strcmp(role, "sink")) {
		take_connections(argv, 1);
		while (get(connections[0], CHUNK))
			work();
	} else if (!strcmp(role, "source") && argc == 7) {
		int fd = connected(argv, (int)more);

		for (; number; number--) {
			work();
			put(fd, CHUNK);
		}
	} else if (!strcmp(role, "server") && argc == 7 && number <= MOST && more > 0) {
		pthread_t t;

		count = number;
		threads = more;
		take_connections(argv, count);
		for (long i = 1; i < threads; i++)
			if (pthread_create(&t, NULL, serve, (void *)(intptr_t)i))
				errx(1, "no thread");
		serve(NULL);
		pthread_exit(NULL);
	} else if (!strcmp(role, "client") && argc == 7 && number <= MOST) {
		count = number;
		ask(argv, more);
	} else {
		errx(2,
		     "usage: netload sink|source|server|client HOST PORT WORK ... (see netload.c)");
	}
	return 0;
}
