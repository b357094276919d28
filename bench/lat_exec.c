/* SPDX-License-Identifier: MIT */
/*
 * lat_exec - starts a dynamic program that ends before main(), and waits for it: exec(2), the
 * dynamic linker, and LIBRARIES shared libraries besides the C library.
 *
 * The program is this one.  The libraries are copies of one that is built with it, each in a file
 * of its own; they are preloaded, which the linker handles as it does those that a program names,
 * except that it need not search for them.  vfork starts the child.
 */
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "util/xalloc.h"

#define CHILD "OSVEC_LAT_EXEC" /* the number of libraries, in the environment of the child */
#define COPY "/library-"

static char self[PATH_MAX], library[PATH_MAX + 4];
static char *arguments[] = { self, NULL }, *environment[] = { NULL, NULL, NULL };

static const struct bench_parameter parameters[] = {
	{ "libraries", BENCH_COUNT, "0 3 30", 0, 1000, .fallback = "0", .axis = true,
	  .help = "shared libraries besides the C library" },
	{ 0 }
};

static int count_copy(struct dl_phdr_info *info, size_t size, void *count)
{
	(void)size;
	*(int *)count += strstr(info->dlpi_name, COPY) != NULL;
	return 0;
}

/* After those of all libraries: the child ends here, 0 if it has what it should have. */
static __attribute__((constructor)) void end_child(void)
{
	const char *wanted = getenv(CHILD);
	int count = 0;

	if (!wanted)
		return;
	dl_iterate_phdr(count_copy, &count);
	_exit(count != atoi(wanted));
}

static int start(void)
{
	pid_t pid = vfork();
	int status;

	if (pid == 0) {
		execve(self, arguments, environment);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		err(1, "a child process");
	return status;
}

static void copy_library(const char *to)
{
	int in = open(library, O_RDONLY | O_CLOEXEC),
	    out = open(to, O_WRONLY | O_CREAT | O_EXCL, 0600);
	struct stat s;

	if (in < 0 || out < 0 || fstat(in, &s) ||
	    sendfile(out, in, NULL, (size_t)s.st_size) != s.st_size || close(out))
		err(1, "copy %s", library);
	close(in);
}

static const char *supported(void)
{
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	snprintf(library, sizeof(library), "%s.so", n > 0 ? self : "");
	if (access(library, R_OK))
		return "this program was built without shared libraries";
	if (bench_number(0) && strpbrk(files_path(), " :"))
		return "the dynamic linker takes no path with a blank or a colon (-D)";
	char *preload = xstrdup("LD_PRELOAD=");
	environment[0] = xappend(xstrdup(CHILD "="), "%llu", (unsigned long long)bench_number(0));
	for (uint64_t i = 0; i < bench_number(0); i++) {
		char *path = xappend(xstrdup(files_path()), COPY "%llu.so", (unsigned long long)i);

		copy_library(path);
		preload = xappend(preload, "%s%s", i ? ":" : "", path);
		free(path);
	}
	environment[1] = preload;
	return start() ? "the dynamic linker does not preload libraries here" : NULL;
}

static void run(uint64_t n)
{
	while (n--)
		if (start())
			errx(1, "the child did not have its libraries");
}

const struct bench bench = {
	.summary =
	    "Starting a dynamic program with LIBRARIES shared libraries, and waiting for its end.",
	.operation = "one child: vfork, exec, dynamic linking, exit, wait",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = supported,
	.run = run,
};
