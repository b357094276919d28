/* SPDX-License-Identifier: MIT */
/*
 * lat_fsync - writes SIZE bytes of a file and makes them durable.
 *
 * The cost depends on the device below the file system.  CALL-cpu measures the CPU time of the
 * caller, without the wait for the device.  A file that grows costs more than one that is
 * overwritten: its new size and blocks are logged as well.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"
#include "stats/random.h"
#include "util/xalloc.h"

enum { MOST = 64 << 20 }; /* bytes, at which a growing file is truncated */

static int file;
static char *buffer;
static struct random random;
static uint64_t size, at; /* of a write; offset of the next one */

/* Writes the pages out and waits for that, but neither for the metadata nor for the cache of the
 * device. */
static int sync_range(int fd)
{
	return sync_file_range(fd, 0, 0,
			       SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
				   SYNC_FILE_RANGE_WAIT_AFTER);
}

static const struct mode {
	int (*sync)(int);
	bool grows, cpu;
} modes[] = {
	{ fsync, false, false },     { fdatasync, false, false }, { fsync, true, false },
	{ fdatasync, true, false },  { fsync, false, true },	  { fdatasync, false, true },
	{ fsync, true, true },	     { fdatasync, true, true },	  { sync_range, false, false },
	{ sync_range, false, true },
};

static const struct mode *mode;

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE,
	  "fsync fdatasync fsync-grow fdatasync-grow "
	  "fsync-cpu fdatasync-cpu fsync-grow-cpu fdatasync-grow-cpu range range-cpu",
	  .fallback = "fdatasync",
	  .help = "call that syncs; range: sync_file_range; -grow: an appended file; -cpu: CPU "
		  "time only" },
	{ "size", BENCH_SIZE, "512 4k 16k 64k 256k 1m", 1, MOST, .fallback = "4k", .axis = true,
	  .help = "bytes written before each sync" },
	{ 0 }
};

static const char *supported(void)
{
	if (modes[bench_choice(0)].sync == sync_range && sync_range(files_directory()))
		return reason_errno("sync_file_range");
	return files_reason(modes[bench_choice(0)].grows ? MOST : bench_number(1));
}

static void setup(void)
{
	size = bench_number(1);
	mode = &modes[bench_choice(0)];
	/* Random, so that no file system can compress it. */
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
		err(1, "truncate the file");
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
		   : "the bytes written are not in the file";
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
	.operation = "pwrite to a clean file, and fsync, fdatasync or sync_file_range",
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
