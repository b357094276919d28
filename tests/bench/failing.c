/* SPDX-License-Identifier: MIT */
/*
 * failing CASE N - makes N calls that fail, and prints the seconds of CPU time of each, for
 * tests/bench/failing.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int ends[2];

static int open_missing(void)
{
	return open("/usr/lib/osvec/missing", O_RDONLY);
}

static int open_blocked(void)
{
	return open("/dev/null/missing", O_RDONLY);
}

static int stat_missing(void)
{
	struct stat st;

	return stat("/usr/lib/osvec/missing", &st);
}

static int make_again(void)
{
	return mkdir("/usr/lib", 0755);
}

static int receive_nothing(void)
{
	char c;

	return (int)recv(ends[0], &c, 1, MSG_DONTWAIT);
}

static int connect_nowhere(void)
{
	const struct sockaddr_un a = { AF_UNIX, "/var/run/osvec/socket" };
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	const int status = connect(fd, (const struct sockaddr *)&a, sizeof(a));

	close(fd);
	return status;
}

static int signal_nobody(void)
{
	return kill(0x3ffffff, SIGTERM);
}

static int wait_for_nobody(void)
{
	return wait(NULL);
}

static const struct {
	const char *name;
	int (*call)(void);
} cases[] = {
	{ "open", open_missing },  { "notdir", open_blocked },	   { "stat", stat_missing },
	{ "mkdir", make_again },   { "receive", receive_nothing }, { "connect", connect_nowhere },
	{ "kill", signal_nobody }, { "wait", wait_for_nobody },
};

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

int main(int argc, char **argv)
{
	const long n = argc == 3 ? strtol(argv[2], NULL, 10) : 0;
	size_t i = 0;

	while (argc == 3 && i < sizeof(cases) / sizeof(*cases) && strcmp(argv[1], cases[i].name))
		i++;
	if (n < 1 || i == sizeof(cases) / sizeof(*cases))
		errx(2, "usage: failing CASE N");
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		err(1, "socketpair");
	const double begin = cpu_seconds();
	for (long k = 0; k < n; k++)
		if (cases[i].call() >= 0)
			errx(1, "%s did not fail", argv[1]);
	printf("%.9g\n", (cpu_seconds() - begin) / (double)n);
	return 0;
}
