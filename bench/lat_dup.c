/* SPDX-License-Identifier: MIT */
/* lat_dup - copies a descriptor and closes the copy in a process with DESCRIPTORS open ones, below
 * which none is free. */
#include <err.h>
#include <stdlib.h>
#include <unistd.h>

#include "measure/bench.h"
#include "peer/sockets.h"

static int from, expected; /* descriptors: copied, copy */

static const struct bench_parameter parameters[] = {
	{ "descriptors", BENCH_COUNT, "10 1000 100000", 1, 10000000, .fallback = "10", .axis = true,
	  .help = "open descriptors of the process, at least" },
	{ 0 }
};

static const char *supported(void)
{
	return descriptors_reason(bench_number(0));
}

static void setup(void)
{
	int *fds = descriptors_new(bench_number(0));

	from = fds[0];
	free(fds);
	expected = dup(from);
	if (expected < 0 || close(expected))
		err(1, "dup");
}

static void run(uint64_t n)
{
	while (n--)
		if (dup(from) != expected || close(expected))
			err(1, "dup and close");
}

static const char *check(uint64_t n)
{
	return expected >= (int)bench_number(0) ? NULL : "descriptors below were free";
}

const struct bench bench = {
	.summary = "Copying a descriptor in a process with DESCRIPTORS open ones.",
	.operation = "one dup and one close",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
