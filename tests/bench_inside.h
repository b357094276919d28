/* SPDX-License-Identifier: MIT */
/* bench_inside.h - for tests that include the source of a benchmark, to look at what no system call
 * and no time shows. */
#ifndef TESTS_BENCH_INSIDE_H
#define TESTS_BENCH_INSIDE_H

#include <fcntl.h>
#include <stdbool.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tap.h"

/* One test: the benchmark does its work with these operands, and then holds() is true in its
 * process. */
static inline void inside(const char *command, bool (*holds)(void), const char *what)
{
	int status = -1;

	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		int argc = 0, null = open("/dev/null", O_WRONLY);
		char split[200], *argv[20];

		dup2(null, 1);
		snprintf(split, sizeof(split), "%s", command);
		for (char *argument = strtok(split, " "); argument; argument = strtok(NULL, " "))
			argv[argc++] = argument;
		argv[argc] = NULL;
		alarm(100); /* a fault may let it wait for ever: -N has no watchdog */
		status = bench_main(argc, argv, &bench);
		exit(status ? status : !holds());
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		skip("not supported here", 1);
	else
		ok(status == 0, "%s: %s", command, what);
}

#endif
