/* SPDX-License-Identifier: MIT */
/* What cpu_start asks the processor. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/cpu_start.c"

#include <string.h>
#include <sys/mman.h>

#include "../bench_inside.h"

static size_t *length; /* of the list that the first process has found; all processes share it */

/* Follows two starts, step by step: each asks all that was found, in its order. */
static bool asks_all(void)
{
	size_t asked = 0;
	struct question q;
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (!ptrace(PTRACE_TRACEME, 0, NULL, NULL))
			kill(getpid(), SIGTRAP);
		run(2);
		_exit(0);
	}
	*length = nquestions;
	while (waitpid(pid, &status, 0) == pid && WIFSTOPPED(status)) {
		if (is_question(pid, &q) && memcmp(&q, &questions[asked++ % nquestions], sizeof(q)))
			printf("# question %zu is another\n", asked);
		else if (!ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL))
			continue;
		kill(pid, SIGKILL);
	}
	return WIFEXITED(status) && asked == 2 * nquestions;
}

static bool is_as_long(void)
{
	return nquestions == *length;
}

int main(void)
{
	length =
	    mmap(NULL, sizeof(*length), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (length == MAP_FAILED)
		return 1;
	inside("cpu_start -GN10", asks_all, "a start asks all that was found, in this order");
	inside("cpu_start -GN10", is_as_long, "another process finds as much");
	return done_testing();
}
