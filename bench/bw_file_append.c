/* SPDX-License-Identifier: MIT */
/*
 * bw_file_append - write(2) of SIZE bytes at the end of a file, which becomes longer: pages are made
 * and blocks set aside.  Nothing is synced; the kernel may write back in the background.
 */
#include <err.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/scratch.h"
#include "util/xalloc.h"

enum {
	MOST = 4 << 20
}; /* bytes in the file, then it begins anew: more, and we wait for the disk */

static int file;
static char *buffer;
static uint64_t size, end;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE,
						       "1 64 256 1k 4k 16k 64k 256k", 1, MOST,
						       .axis = true, .help = "bytes in a write" },
						     { 0 } };

static const char *supported(void)
{
	return scratch_reason(MOST);
}

static void setup(void)
{
	size = bench_number(0);
	buffer = xcalloc(size, 1);
	memset(buffer, SCRATCH_BYTE, size);
	file = scratch_file(0);
}

/* Not with every batch: the pages that it had just freed are the first that it gets again. */
static void batch(uint64_t n)
{
	if (end + n * size <= MOST)
		return;
	if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
		err(1, "empty the file");
	end = 0;
}

static void run(uint64_t n)
{
	end += n * size;
	while (n--)
		if (write(file, buffer, size) != (ssize_t)size)
			err(1, "write");
}

static const char *check(uint64_t n)
{
	struct stat st;
	char found = 0;

	(void)n;
	return !fstat(file, &st) && (uint64_t)st.st_size == end &&
		       pread(file, &found, 1, st.st_size - 1) == 1 && found == SCRATCH_BYTE
		   ? NULL
		   : "what was written is not in the file";
}

static void teardown(void)
{
	close(file);
}

static uint64_t bytes(void)
{
	return size;
}

static uint64_t limit(void)
{
	return MOST / bench_number(0);
}

static const struct bench bench = {
	.summary = "Appending SIZE bytes to a file.",
	.operation = "one write of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.batch = batch,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
	.limit = limit,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
