/* SPDX-License-Identifier: MIT */
/* lat_mprotect - withdraws the permission to write to SIZE bytes of allocated memory, and restores
 * it. */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"

static char *buffer;
static int zeros;
static bool writable = true;

static const char *supported(void)
{
	zeros = open("/dev/zero", O_RDONLY);
	return zeros < 0 ? "/dev/zero cannot be opened" : memory_supported();
}

static void setup(void)
{
	buffer = memory_new(memory_size(), MEMORY_SMALL, 1);
}

static void run(uint64_t n)
{
	while (n--) {
		writable = !writable;
		if (mprotect(buffer, memory_size(), PROT_READ | (writable ? PROT_WRITE : 0)))
			err(1, "mprotect");
	}
}

/* A read(2) into the buffer shows whether it is writable. */
static const char *check(uint64_t n)
{
	if (read(zeros, buffer, 1) == 1)
		return writable ? NULL : "protected memory could be written";
	return !writable && errno == EFAULT ? NULL : "memory could not be written";
}

const struct bench bench = {
	.summary = "Changing the protection of SIZE bytes of memory in use.",
	.operation = "one mprotect",
	.parameters = memory_parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
};
