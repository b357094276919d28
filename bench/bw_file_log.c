/* SPDX-License-Identifier: MIT */
/*
 * bw_file_log - write(2) of SIZE bytes to the end of a file that is open with O_APPEND, to which
 * several copies write as to one log.
 *
 * Copies that share the file have opened it themselves: they contend for the inode, not for a
 * position.  The file begins empty and is emptied when it has 64 MB; nothing is synced.
 */
#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "util/xalloc.h"

enum { FULL = 64 << 20, BATCH = 16 << 20 };

static _Thread_local int file;
static _Thread_local char *record;  /* each byte tells the copy */
static char *records[BENCH_COPIES]; /* which threads that have ended leave */
static _Thread_local off_t before;
static uint64_t size;

static const struct bench_parameter parameters[] = { { "size", BENCH_SIZE, "64 4k 64k", 1, BATCH,
						       .fallback = "4k", .axis = true,
						       .help = "bytes in a write" },
						     { 0 } };

static const char *supported(void)
{
	return files_reason(2 * FULL);
}

static void setup(void)
{
	size = bench_number(0);
	file = files_make(0);
	if (fcntl(file, F_SETFL, O_APPEND))
		err(1, "O_APPEND");
}

/* Whether this copy shares the file of the first, which alone looks at its size and empties it. */
static bool has_other_owner(void)
{
	return bench_is_shared() && bench_copy();
}

/* Where the position is makes no difference to a write at the end. */
static void prepare(uint64_t n)
{
	struct stat st = { 0 };

	if (!record) {
		record = records[bench_copy()] = xmalloc(size);
		memset(record, (int)bench_copy() + 1, size);
		if (has_other_owner())
			file = openat(files_directory(), FILES_FILE, O_WRONLY | O_APPEND);
	}
	if (!has_other_owner() && (fstat(file, &st) || (st.st_size >= FULL && ftruncate(file, 0))))
		err(1, "empty the file");
	before = st.st_size >= FULL ? 0 : st.st_size;
	if (lseek(file, 0, SEEK_SET))
		err(1, "lseek");
}

static void run(uint64_t n)
{
	while (n--)
		if (write(file, record, size) != (ssize_t)size)
			err(1, "write");
}

static const char *check(uint64_t n)
{
	char first = 0, last = 1;
	struct stat st;

	if (has_other_owner())
		return fcntl(file, F_GETFL) & O_APPEND ? NULL : "the file is open at a position";
	if (fstat(file, &st) || st.st_size < before + (off_t)(n * size))
		return "the file has not grown";
	return pread(file, &first, 1, st.st_size - (off_t)size) == 1 &&
		       pread(file, &last, 1, st.st_size - 1) == 1 && first == last
		   ? NULL
		   : "the last record is not whole";
}

static uint64_t limit(void)
{
	return BATCH / bench_number(0);
}

static const char *shares(void)
{
	return "the file";
}

static void *state(size_t *n)
{
	*n = sizeof(file);
	return &file;
}

const struct bench bench = {
	.summary = "Appending SIZE bytes to a file that is open with O_APPEND.",
	.operation = "one write of SIZE bytes, into the page cache",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
	.limit = limit,
	.shares = shares,
	.state = state,
};
