/* SPDX-License-Identifier: MIT */
/* How many bytes lat_uring moves, which no system call tells. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include "../../bench/lat_uring.c"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../tap.h"

/* lat_uring CALL BATCH fills as many bytes of its buffer, and no more. */
static void fills(const char *what, const char *size, size_t bytes)
{
	char *argv[] = { (char *)"lat_uring",	  (char *)"-GN10",	   (char *)"-D/tmp",
			 (char *)(uintptr_t)what, (char *)(uintptr_t)size, NULL };
	int status = -1;

	fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		dup2(null, 2);
		status = bench_main(5, argv, &bench);
		for (size_t i = 0; !status && i < sizeof(buffer); i++)
			status = (buffer[i] != 0) != (i < bytes);
		exit(status);
	}
	waitpid(pid, &status, 0);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 3)
		skip("io_uring is not supported here", 1);
	else
		ok(status == 0, "%s %s: %zu bytes", what, size, bytes);
}

int main(void)
{
	fills("nop", "8", 0);
	fills("read", "8", 8 * 4096);
	fills("fixed", "8", 8 * 4096);
	fills("send", "8", 8 * 64);
	fills("recv", "8", 8 * 64);
	fills("read", "1", 4096);
	return done_testing();
}
