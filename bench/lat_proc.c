/* SPDX-License-Identifier: MIT */
/*
 * lat_proc - a child process from its start to its end: one that runs no program (null), a program
 * that does nothing (simple: fork and exec; spawn: posix_spawn; vfork: vfork and exec), or the same
 * through the shell (sh).
 *
 * The static program is three instructions of our own, the same on every machine; the dynamic one
 * is the machine's /bin/true.  This process is small; forking larger ones costs more.
 */
#include <err.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/programs.h"

enum { NONE, SIMPLE, SH, SPAWN, VFORK };

#define SHELL "/bin/sh"

static const char *program;
static char *arguments[] = { NULL, NULL, NULL, NULL }, *environment[] = { NULL };

static const struct bench_parameter parameters[] = {
	{ "start", BENCH_CHOICE, "null simple sh spawn vfork", .help = "how the child starts" },
	{ "program", BENCH_CHOICE, "static dynamic", .fallback = "static",
	  .help = "how its program is linked" },
	{ 0 }
};

static pid_t start_null(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	return pid;
}

static pid_t start_exec(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		execve(program, arguments, environment);
		_exit(127);
	}
	return pid;
}

static pid_t start_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execve(program, arguments, environment);
		_exit(127);
	}
	return pid;
}

static pid_t start_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, program, NULL, NULL, arguments, environment) ? -1 : pid;
}

static pid_t (*const starts[])(void) = {
	[NONE] = start_null,   [SIMPLE] = start_exec, [SH] = start_exec,
	[SPAWN] = start_spawn, [VFORK] = start_vfork,
};

static const char *supported(void)
{
	static char sh[] = "sh", option[] = "-c";
	const char *reason;

	if (bench_choice(0) == NONE)
		return bench_choice(1) ? "null runs no program: see lat_proc null static" : NULL;
	program = program_trivial(bench_choice(1), &reason);
	if (!program)
		return reason;
	arguments[0] = (char *)program;
	if (bench_choice(0) != SH)
		return NULL;
	arguments[0] = sh;
	arguments[1] = option;
	arguments[2] = (char *)program;
	program = SHELL;
	return access(SHELL, X_OK) ? "there is no " SHELL : NULL;
}

static void run(uint64_t n)
{
	pid_t (*start)(void) = starts[bench_choice(0)];

	while (n--) {
		pid_t pid = start();
		int status;

		if (pid < 0)
			err(1, "a child process");
		if (waitpid(pid, &status, 0) != pid)
			err(1, "waitpid");
		if (status)
			errx(1, "the child failed with status %#x", (unsigned)status);
	}
}

const struct bench bench = {
	.summary = "Starting a child process and waiting for its end.",
	.operation = "one child: start, end, wait",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = supported,
	.run = run,
};
