/* SPDX-License-Identifier: MIT */
/* lat_random - getrandom(2) of SIZE bytes, by the system call or by the C library, which may have
 * the kernel's generator in its vDSO. */
#include <err.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"

enum { MOST = 64 << 10 };

static unsigned char bytes[MOST];
static size_t size;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "16 256 4k", 16, MOST, .axis = true, .help = "bytes in a call" },
	{ "by", BENCH_CHOICE, "call libc", .fallback = "call",
	  .help = "system call, or function of the C library" },
	{ 0 }
};

static void setup(void)
{
	size = bench_number(0);
}

/* Sixteen random bytes are all zero once in 2^128 times. */
static void prepare(uint64_t n)
{
	for (size_t i = 0; i < size; i++)
		bytes[i] = 0;
}

static void run(uint64_t n)
{
	if (bench_choice(1))
		while (n--) {
			if (getrandom(bytes, size, 0) != (ssize_t)size)
				err(1, "getrandom");
		}
	else
		while (n--)
			if (syscall(SYS_getrandom, bytes, size, 0) != (long)size)
				err(1, "getrandom");
}

static const char *check(uint64_t n)
{
	unsigned some = 0;

	for (size_t i = 1; i <= 16; i++)
		some |= bytes[size - i];
	return some ? NULL : "the last bytes are all zero";
}

const struct bench bench = {
	.summary = "SIZE random bytes from the kernel.",
	.operation = "one getrandom",
	.parameters = parameters,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
};
