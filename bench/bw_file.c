/* SPDX-License-Identifier: MIT */
/*
 * bw_file - reads SIZE bytes of a cached file (read), overwrites them (write), or appends SIZE
 * bytes, for which the kernel allocates pages and blocks (append).
 *
 * Reads and writes proceed through a 4 MB file, which a large CPU cache holds.  Nothing is synced;
 * the kernel may write back in the background.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "util/xalloc.h"

enum { READ, WRITE, APPEND };
enum {
	FILE_SIZE = 4 << 20
}; /* an appended file is truncated at this size, before the disk is waited for */

static int file;
static char *buffer;
static uint64_t size, at, last; /* of an operation; offset of the next one and of the last one */

static const struct bench_parameter parameters[] = {
	{ "operation", BENCH_CHOICE, "read write append",
	  .help = "read: pread, write: pwrite in place, append: write at the end" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 8k 16k 64k 256k 1m", 1, FILE_SIZE, .axis = true,
	  .help = "bytes in a call" },
	{ 0 }
};

static const char *supported(void)
{
	return files_reason(FILE_SIZE);
}

static void setup(void)
{
	size = bench_number(1);
	buffer = xcalloc(size, 1);
	file = files_make(bench_choice(0) == APPEND ? 0 : FILE_SIZE);
}

/* Reads must overwrite the buffer, and writes differ from those of the last batch.  The appended
 * file is truncated only when full, as appends would reuse the pages just freed. */
static void prepare(uint64_t n)
{
	if (bench_choice(0) == READ)
		buffer[0] = buffer[size - 1] = 0;
	else
		memset(buffer, buffer[0] + 1, size);
	if (bench_choice(0) == APPEND && at + n * size > FILE_SIZE) {
		if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
			err(1, "empty the file");
		at = 0;
	}
}

static void advance(void)
{
	last = at;
	at += size;
	if (at + size > FILE_SIZE)
		at = 0;
}

static void run(uint64_t n)
{
	switch (bench_choice(0)) {
	case READ:
		for (; n--; advance())
			if (pread(file, buffer, size, (off_t)at) != (ssize_t)size)
				err(1, "pread");
		break;
	case WRITE:
		for (; n--; advance())
			if (pwrite(file, buffer, size, (off_t)at) != (ssize_t)size)
				err(1, "pwrite");
		break;
	case APPEND:
		at += n * size;
		last = at - size;
		while (n--)
			if (write(file, buffer, size) != (ssize_t)size)
				err(1, "write");
	}
}

static const char *check(uint64_t n)
{
	char found = 0;

	if (bench_choice(0) == READ)
		return buffer[0] == FILES_BYTE && buffer[size - 1] == FILES_BYTE
			   ? NULL
			   : "the bytes read are not those of the file";
	if (bench_choice(0) == APPEND && lseek(file, 0, SEEK_END) != (off_t)at)
		return "the file has not grown by the bytes appended";
	return pread(file, &found, 1, (off_t)(last + size - 1)) == 1 && found == buffer[0]
		   ? NULL
		   : "the bytes written are not in the file";
}

static uint64_t limit(void)
{
	return bench_choice(0) == APPEND ? FILE_SIZE / bench_number(1) : 0;
}

const struct bench bench = {
	.summary = "Reading, overwriting or appending SIZE bytes of a cached file.",
	.operation = "one read or write of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
	.limit = limit,
};
