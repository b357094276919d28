/* SPDX-License-Identifier: MIT */
/* lat_pidfd - a child process without a program, as lat_proc null, that is known by a descriptor:
 * clone3(2) makes it, waitid(2) of the descriptor waits for its end, close(2). */
#include <err.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/reason.h"

#ifndef SYS_clone3 /* older headers */
#define SYS_clone3 435
#endif

/* Of <linux/sched.h> and <sys/wait.h>, whose older versions lack some. */
enum { WITH_PIDFD = 0x1000, BY_PIDFD = 3 };

/* The first version of the kernel's struct clone_args. */
struct arguments {
	_Alignas(8) uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack,
	    stack_size, tls;
};

/* False and errno on error. */
static bool start_and_wait(void)
{
	int fd = -1;
	const struct arguments arguments = {
		.flags = WITH_PIDFD,
		.pidfd = (uintptr_t)&fd,
		.exit_signal = SIGCHLD,
	};
	siginfo_t end = { 0 };

	long pid = syscall(SYS_clone3, &arguments, sizeof(arguments));
	if (pid < 0)
		return false;
	if (pid == 0)
		syscall(SYS_exit_group, 0);
	if (waitid((idtype_t)BY_PIDFD, (id_t)fd, &end, WEXITED))
		return false;
	if (end.si_pid != pid || end.si_status)
		errx(1, "another child ended, or it failed");
	return !close(fd);
}

static const char *supported(void)
{
	return start_and_wait() ? NULL : reason_errno("clone3 with CLONE_PIDFD");
}

static void run(uint64_t n)
{
	while (n--)
		if (!start_and_wait())
			err(1, "a child process");
}

const struct bench bench = {
	.summary = "Starting a child process and waiting for its end by a descriptor.",
	.operation = "one child: clone3, exit, waitid, close",
	.kernel_entries = 4,
	.supported = supported,
	.run = run,
};
