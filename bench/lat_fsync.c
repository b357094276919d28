/* SPDX-License-Identifier: MIT */
/*
 * lat_fsync - writes SIZE bytes of a file and makes them durable.
 *
 * What it costs is up to the device below the file system: a property of the machine under test's
 * disk, and on a file system in memory of nothing.  The device is waited for; what the CPU does
 * meanwhile for the caller is a measurement of its own (CALL-cpu).  A file that grows has to log its new
 * size and blocks as well: more than one that is overwritten.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { MOST = 64 << 20 }; /* bytes: a growing file begins anew */

static int file;
static char *buffer;
static struct random random;
static uint64_t size, at; /* of a write; where the next one goes */

static const struct mode {
	int (*sync)(int);
	bool grows, cpu;
} modes[] = {
	{ fsync, false, false },    { fdatasync, false, false }, { fsync, true, false },
	{ fdatasync, true, false }, { fsync, false, true },	 { fdatasync, false, true },
	{ fsync, true, true },	    { fdatasync, true, true },
};

static const struct mode *mode;

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE,
	  "fsync fdatasync fsync-grow fdatasync-grow "
	  "fsync-cpu fdatasync-cpu fsync-grow-cpu fdatasync-grow-cpu",
	  .fallback = "fdatasync",
	  .help = "that syncs; -grow: an appended file; -cpu: CPU time only" },
	{ "size", BENCH_SIZE, "512 4k 16k 64k 256k 1m", 1, MOST, .fallback = "4k", .axis = true,
	  .help = "bytes written before each sync" },
	{ 0 }
};

static const char *supported(void)
{
	return files_reason(modes[bench_choice(0)].grows ? MOST : bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	mode = &modes[bench_choice(0)];
	/* What no file system can compress or leave out. */
	buffer = xmalloc(size);
	random_seed(&random, random_fresh_seed());
	for (uint64_t i = 0; i < size; i++)
		buffer[i] = (char)random_next(&random);
	file = files_make(mode->grows ? 0 : size);
	if (fsync(file))
		err(1, "fsync");
}

static void prepare(uint64_t n)
{
	if (!mode->grows || at + n * size <= MOST)
		return;
	if (ftruncate(file, 0) || fsync(file))
		err(1, "begin the file anew");
	at = 0;
}

static void run(uint64_t n)
{
	while (n--) {
		buffer[0]++;
		if (pwrite(file, buffer, size, (off_t)at) != (ssize_t)size)
			err(1, "pwrite");
		if (mode->sync(file))
			err(1, "sync");
		if (mode->grows)
			at += size;
	}
}

static const char *check(uint64_t n)
{
	off_t last = mode->grows ? (off_t)(at - size) : 0;
	char found;

	return pread(file, &found, 1, last) == 1 && found == buffer[0]
		   ? NULL
		   : "what was written is not in the file";
}

static uint64_t limit(void)
{
	return modes[bench_choice(0)].grows ? MOST / bench_number(1) : 0;
}

static bool cpu_time(void)
{
	return modes[bench_choice(0)].cpu;
}

const struct bench bench = {
	.summary = "Writing SIZE bytes of a file and making them durable.",
	.operation = "pwrite and fsync or fdatasync",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.cpu_time = cpu_time,
	.transfers = 1,
	.limit = limit,
};
