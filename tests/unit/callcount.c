/* SPDX-License-Identifier: MIT */
/* Counting calls inside the kernel: exact, by process, and each call once. */
#include <errno.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"
#include "record/callcount.h"
#include "trace/syscalls.h"

enum { OURS = 1009, THEIRS = 499 };

static uint64_t calls_of(const struct call_count *counts, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (counts[i].id == syscall_by_name(name))
			return counts[i].calls;
	return 0;
}

static void call(unsigned n)
{
	while (n--)
		syscall(SYS_getuid);
}

int main(void)
{
	struct call_count *ours, *theirs, *again;
	struct error e;
	struct callcount *c = callcount_open(&e);

	if (!c) {
		ok(errno == EPERM || errno == ENOSYS, "errno says why calls cannot be counted");
		diag(e.text);
		skip(e.text, 4);
		return done_testing();
	}
	callcount_take(c, getpid(), &ours);
	free(ours);
	call(OURS);
	pid_t child = fork();
	if (!child) {
		call(THEIRS);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	size_t n = callcount_take(c, getpid(), &ours), m = callcount_take(c, child, &theirs);
	cmp_int(calls_of(ours, n, "getuid"), OURS, "our calls");
	cmp_int(calls_of(theirs, m, "getuid"), THEIRS, "our child's calls are its own");
	cmp_int(calls_of(theirs, m, "exit_group"), 1, "its exit is among them");
	cmp_int(callcount_take(c, child, &again), 0, "counts are taken once");
	cmp_int(callcount_lost(c), 0, "nothing was lost");
	free(ours);
	free(theirs);
	free(again);
	callcount_close(c);
	return done_testing();
}
