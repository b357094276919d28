/* SPDX-License-Identifier: MIT */
/*
 * lat_getdents - reads all names in a directory of N files: lseek to its start, then getdents64
 * with a buffer of 32 KB, as the C library does, to the end.
 */
#include <err.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

enum { ENTRY = 24 }; /* least bytes of a name in a listing */

static int directory;
static uint64_t listed, whole; /* bytes of entries: read in a batch, in the directory */
static char buffer[32 << 10];

static const struct bench_parameter parameters[] = {
	{ "files", BENCH_COUNT, "1 10 100 1000 10000 100000", 1, 1000000, .fallback = "10",
	  .axis = true, .help = "files in the directory" },
	{ 0 }
};

static long read_entries(void)
{
	long n = syscall(SYS_getdents64, directory, buffer, sizeof(buffer));

	if (n < 0)
		err(1, "getdents64");
	return n;
}

static void rewind_directory(void)
{
	if (lseek(directory, 0, SEEK_SET))
		err(1, "lseek");
}

static void setup(void)
{
	directory = files_directory();
	files_fill(directory, bench_number(0));
	rewind_directory();
	for (long n; (n = read_entries()) > 0;)
		whole += (uint64_t)n;
	if (whole < bench_number(0) * ENTRY)
		errx(1, "the directory lists fewer files than were made");
}

static void run(uint64_t n)
{
	listed = 0;
	while (n--) {
		rewind_directory();
		for (long got; (got = read_entries()) > 0;)
			listed += (uint64_t)got;
	}
}

static const char *check(uint64_t n)
{
	return listed == n * whole ? NULL : "a listing was incomplete";
}

const struct bench bench = {
	.summary = "Listing a directory of N files.",
	.operation = "lseek to the start and getdents64 to the end of a cached directory",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = files_supported,
	.setup = setup,
	.run = run,
	.check = check,
};
