/* SPDX-License-Identifier: MIT */
/*
 * lat_proc - a child process from its start to its end: without a program (null), with a program
 * that does nothing (simple: fork and exec; spawn: posix_spawn; vfork: vfork and exec), or with a
 * shell that runs it (sh).
 *
 * The static program has three instructions and is the same on every machine; the dynamic one is
 * /bin/true.  This process is small; lat_fork forks larger ones.  Parent and child share a CPU;
 * with -P other the child moves itself to another by its first call.
 */
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/program.h"

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

/* True if the program names a dynamic linker. */
static bool is_dynamic(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf64_Phdr segment;
	Elf64_Ehdr header;
	bool found = false;

	if (fd < 0)
		return false;
	if (read(fd, &header, sizeof(header)) == sizeof(header) &&
	    !memcmp(header.e_ident, ELFMAG, SELFMAG) && header.e_ident[EI_CLASS] == ELFCLASS64)
		for (int i = 0; i < header.e_phnum && !found; i++)
			found = pread(fd, &segment, sizeof(segment),
				      (off_t)(header.e_phoff + (unsigned)i * sizeof(segment))) ==
				    sizeof(segment) &&
				segment.p_type == PT_INTERP;
	close(fd);
	return found;
}

static const char *find_dynamic(const char **reason)
{
	static const char *const paths[] = { "/bin/true", "/usr/bin/true" };

	for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
		if (is_dynamic(paths[i]))
			return paths[i];
	*reason = "there is no /bin/true linked to shared libraries";
	return NULL;
}

/* The path of a program that does nothing and was seen to work, or NULL and the reason. */
static const char *find_program(const char **reason)
{
	static char text[256];
	bool dynamic = bench_choice(1);
	const char *path = dynamic ? find_dynamic(reason) : program_static(reason);
	char name[] = "true", *argv[] = { name, NULL };
	int status;
	pid_t pid;

	if (!path)
		return NULL;
	errno = posix_spawn(&pid, path, NULL, NULL, argv, environment);
	if (!errno && waitpid(pid, &status, 0) == pid && status == 0)
		return path;
	snprintf(text, sizeof(text), "%s cannot be run: %s",
		 dynamic ? "/bin/true" : "a program in the directory under test (-D)",
		 errno ? strerror(errno) : "it fails");
	*reason = text;
	return NULL;
}

/* Of a child: ends it, or runs the program. */
static _Noreturn void be_child(void)
{
	if (bench_is_apart())
		bench_place_peer();
	if (program)
		execve(program, arguments, environment);
	_exit(program ? 127 : 0);
}

static pid_t start_fork(void)
{
	pid_t pid = fork();

	if (pid == 0)
		be_child();
	return pid;
}

static pid_t start_vfork(void)
{
	pid_t pid = vfork();

	if (pid == 0)
		be_child();
	return pid;
}

static pid_t start_spawn(void)
{
	pid_t pid;

	return posix_spawn(&pid, program, NULL, NULL, arguments, environment) ? -1 : pid;
}

static pid_t (*const starts[])(void) = {
	[NONE] = start_fork,   [SIMPLE] = start_fork, [SH] = start_fork,
	[SPAWN] = start_spawn, [VFORK] = start_vfork,
};

static const char *supported(void)
{
	static char sh[] = "sh", option[] = "-c";
	const char *reason;

	if (bench_choice(0) == SPAWN && bench_is_apart())
		return "posix_spawn cannot move its child to another CPU";
	if (bench_choice(0) == NONE)
		return bench_choice(1) ? "null runs no program: see lat_proc null static" : NULL;
	program = find_program(&reason);
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
	.parties = BENCH_TWO,
	.kernel_entries = 3,
	.supported = supported,
	.run = run,
};
