/* SPDX-License-Identifier: MIT */
/*
 * fileload - clients that use files on servers, of which each serves one request at a time.
 *
 *	fileload server SOCKET MS		each request takes so long, as if of a disk
 *	fileload client SOCKET COUNT MS		so many requests, with pauses of up to MS in between
 *
 * A client prints the seconds that it took.  A server ends when its last client is gone.
 */
#include <err.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum { CLIENTS = 64 };

static void rest(double ms)
{
	struct timespec t = { 0, (long)(ms * 1e6) };

	nanosleep(&t, NULL);
}

static void serve(int listening, double ms)
{
	struct pollfd fds[CLIENTS + 1] = { { listening, POLLIN, 0 } };
	nfds_t n = 1;
	char c;

	do {
		if (poll(fds, n, -1) < 0)
			err(1, "poll");
		for (nfds_t i = n; i-- > 1;) {
			if (!fds[i].revents)
				continue;
			if (read(fds[i].fd, &c, 1) == 1) {
				rest(ms);
				if (write(fds[i].fd, &c, 1) != 1)
					err(1, "write");
			} else {
				close(fds[i].fd);
				fds[i] = fds[--n];
			}
		}
		if (fds[0].revents && n <= CLIENTS)
			fds[n++] = (struct pollfd){ accept(listening, NULL, NULL), POLLIN, 0 };
	} while (n > 1);
}

static void ask(int fd, int count, double ms)
{
	struct timespec begin, end;
	unsigned seed = 1;
	char c = 'x';

	clock_gettime(CLOCK_MONOTONIC, &begin);
	for (int i = 0; i < count; i++) {
		if (write(fd, &c, 1) != 1 || read(fd, &c, 1) != 1)
			err(1, "the server is gone");
		rest(ms * rand_r(&seed) / RAND_MAX);
	}
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%.6f\n",
	       (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9);
}

int main(int argc, char **argv)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0), tries = 1000;

	if (argc < 4 || fd < 0 || strlen(argv[2]) >= sizeof(at.sun_path))
		errx(2, "usage: fileload server SOCKET MS | client SOCKET COUNT MS");
	strcpy(at.sun_path, argv[2]);
	if (!strcmp(argv[1], "server")) {
		unlink(argv[2]);
		if (bind(fd, (struct sockaddr *)&at, sizeof(at)) || listen(fd, CLIENTS))
			err(1, "%s", argv[2]);
		serve(fd, atof(argv[3]));
		return 0;
	}
	while (connect(fd, (struct sockaddr *)&at, sizeof(at)))
		if (--tries)
			rest(10);
		else
			err(1, "%s", argv[2]);
	ask(fd, atoi(argv[3]), argc > 4 ? atof(argv[4]) : 0);
	return 0;
}
