/* SPDX-License-Identifier: MIT */
/* lat_fslayer - write(2) of one byte to /dev/null: the path through the file layer only. */
#include <err.h>
#include <fcntl.h>
#include <unistd.h>

#include "measure/bench.h"

static int null = -1;

static const char *supported(void)
{
	null = open("/dev/null", O_WRONLY);
	return null < 0 ? "/dev/null cannot be opened" : NULL;
}

static void run(uint64_t n)
{
	while (n--)
		if (write(null, "", 1) != 1)
			err(1, "write to /dev/null");
}

const struct bench bench = {
	.summary = "The path through the kernel's file layer: a byte to /dev/null.",
	.operation = "one write",
	.kernel_entries = 1,
	.supported = supported,
	.run = run,
};
