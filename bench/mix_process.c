/* SPDX-License-Identifier: MIT */
/*
 * mix_process - what a shell does for a command: looks for the program, makes a channel, forks a
 * child that runs it, waits for it, and restores its signals.  The program works after each call
 * (FOOTPRINT), also while the child starts on the same CPU.
 */
#include <err.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/mix.h"
#include "common/program.h"

static const char *program;
static char *arguments[] = { NULL, NULL }, *environment[] = { NULL };
static int ends[2];
static pid_t child;

static void miss(uint64_t i)
{
	struct stat st;

	if (!stat("missing", &st) || errno != ENOENT)
		errx(1, "stat: a program that is not there");
}

static void find(uint64_t i)
{
	struct stat st;

	if (stat("true", &st))
		err(1, "stat");
}

static void make_channel(uint64_t i)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		err(1, "socketpair");
}

static void mask(int how)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	if (sigprocmask(how, &set, NULL))
		err(1, "sigprocmask");
}

static void block(uint64_t i)
{
	mask(SIG_BLOCK);
}

static void start(uint64_t i)
{
	child = fork();
	if (child < 0)
		err(1, "fork");
	if (child == 0) {
		execve(program, arguments, environment);
		_exit(127);
	}
}

static void unblock(uint64_t i)
{
	mask(SIG_UNBLOCK);
}

static void wait_for_child(uint64_t i)
{
	int status;

	if (waitpid(child, &status, 0) != child)
		err(1, "waitpid");
	if (status)
		errx(1, "the child failed with status %#x", (unsigned)status);
}

static void close_channel(uint64_t i)
{
	if (close(ends[0]) || close(ends[1]))
		err(1, "close");
}

static const struct bench_step sequence[] = {
	{ miss, "lat_path_enoent_1" },
	{ find, "lat_path_stat_1" },
	{ make_channel, "lat_fd_socketpair" },
	{ block, "lat_syscall_sigprocmask" },
	{ start, "lat_proc_simple_static" },
	{ wait_for_child, NULL },
	{ unblock, "lat_syscall_sigprocmask" },
	{ close_channel, NULL },
	{ 0 },
};

static const char *supported(void)
{
	const char *reason;

	program = program_static(&reason);
	arguments[0] = (char *)program;
	return program ? NULL : reason;
}

static void setup(void)
{
	if (chdir(files_path()))
		err(1, "%s", files_path());
}

const struct bench bench = {
	.summary = "The calls of a shell for one command, with its work between them.",
	.operation =
	    "two stats, a channel, signals blocked, fork and exec, wait, signals, two closes",
	.parameters = mix_parameters,
	.sequence = sequence,
	.parties = BENCH_ONE,
	.kernel_entries = 9,
	.supported = supported,
	.setup = setup,
	.run = mix_run,
	.overhead = mix_overhead,
};
