/* SPDX-License-Identifier: MIT */
/*
 * lat_fsync - overwrites SIZE bytes of a file and makes them durable.
 *
 * What it costs is up to the device below the file system: a property of the machine under test's
 * disk, and on a file system in memory of nothing.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/scratch.h"
#include "util/xalloc.h"

static int file;
static char *buffer;
static uint64_t size;
static int (*sync_file)(int);

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "fsync fdatasync", .fallback = "fdatasync", .help = "that syncs" },
	{ "size", BENCH_SIZE, "512 4k 16k 64k 256k 1m", 1, 64 << 20, .fallback = "4k", .axis = true,
	  .help = "bytes written before each sync" },
	{ 0 }
};

static const char *supported(void)
{
	return scratch_reason(bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	sync_file = bench_choice(0) ? fdatasync : fsync;
	buffer = xcalloc(size, 1);
	file = scratch_file(size);
	if (fsync(file))
		err(1, "fsync");
}

static void run(uint64_t n)
{
	while (n--) {
		buffer[0]++;
		if (pwrite(file, buffer, size, 0) != (ssize_t)size)
			err(1, "pwrite");
		if (sync_file(file))
			err(1, "sync");
	}
}

static const char *check(uint64_t n)
{
	char found;

	(void)n;
	return pread(file, &found, 1, 0) == 1 && found == buffer[0]
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

static const struct bench bench = {
	.summary = "Overwriting SIZE bytes of a file and making them durable.",
	.operation = "pwrite and fsync or fdatasync",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
	.bytes = bytes,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
