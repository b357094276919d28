/* SPDX-License-Identifier: MIT */
/* lat_brk - grows the heap by one page and gives it back, by brk(2) itself. */
#include <err.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"

static long end, page;

static const char *supported(void)
{
	page = sysconf(_SC_PAGESIZE);
	end = syscall(SYS_brk, 0);
	if (syscall(SYS_brk, end + page) != end + page)
		return "brk does not grow the heap";
	return syscall(SYS_brk, end) == end ? NULL : "brk does not shrink the heap";
}

static void run(uint64_t n)
{
	while (n--)
		if (syscall(SYS_brk, end + page) != end + page || syscall(SYS_brk, end) != end)
			errx(1, "brk did not move the end of the heap");
}

const struct bench bench = {
	.summary = "Growing the heap by one page, untouched, and shrinking it again.",
	.operation = "two calls of brk",
	.kernel_entries = 2,
	.supported = supported,
	.run = run,
};
