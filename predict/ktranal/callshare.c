/* SPDX-License-Identifier: MIT */
#include "callshare.h"

#include <errno.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const double least = 0.05; /* seconds: a dozen ticks */

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Makes null calls for so long; user seconds for each. */
static double make_calls(double seconds)
{
	enum { PART = 10000 };
	double end = cpu_seconds() + seconds;
	uint64_t calls = 0;
	struct rusage used;

	for (; cpu_seconds() < end; calls += PART)
		for (int i = 0; i < PART; i++)
			syscall(SYS_getppid);
	getrusage(RUSAGE_SELF, &used);
	return ((double)used.ru_utime.tv_sec + (double)used.ru_utime.tv_usec * 1e-6) /
	       (double)calls;
}

double callshare_measure(double seconds)
{
	double share = 0;
	int ends[2];

	if (seconds < least || pipe(ends))
		return 0;
	/* A process of its own: the kernel divides all the time of one by all its ticks. */
	pid_t pid = fork();
	if (pid == 0) {
		share = make_calls(seconds);
		_exit(write(ends[1], &share, sizeof(share)) != sizeof(share));
	}
	close(ends[1]);
	ssize_t n = -1;
	/* The alarm of the measurement may still ring. */
	while (pid > 0 && (n = read(ends[0], &share, sizeof(share))) < 0 && errno == EINTR)
		;
	close(ends[0]);
	while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	return n == sizeof(share) ? share : 0;
}
