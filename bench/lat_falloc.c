/* SPDX-License-Identifier: MIT */
/*
 * lat_falloc - fallocate(2) of SIZE bytes: appends blocks to a file that was emptied before
 * (extend), or takes them from one whose bytes are in the page cache and not yet on the disk
 * (punch).
 */
#include <err.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"

enum { EXTEND, PUNCH };
enum { FILE_SIZE = 16 << 20 };

static int file, mode;
static off_t size;
static struct stat before;

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "extend punch", .fallback = "extend",
	  .help = "extend the file, or punch a hole in it" },
	{ "size", BENCH_SIZE, "4k 64k 1m", 4096, FILE_SIZE, .fallback = "64k", .axis = true,
	  .help = "bytes in a call" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = files_reason(FILE_SIZE);

	if (reason)
		return reason;
	size = (off_t)bench_number(1);
	mode = bench_choice(0) == PUNCH ? FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE : 0;
	file = files_make((uint64_t)size);
	return fallocate(file, mode, 0, size) ? reason_errno("fallocate") : NULL;
}

static void prepare(uint64_t n)
{
	close(file);
	file = files_make(bench_choice(0) == PUNCH ? n * (uint64_t)size : 0);
	if (fstat(file, &before))
		err(1, "fstat");
}

static void run(uint64_t n)
{
	for (off_t at = 0; n--; at += size)
		if (fallocate(file, mode, at, size))
			err(1, "fallocate");
}

static const char *check(uint64_t n)
{
	struct stat after;
	char last;

	if (fstat(file, &after))
		err(1, "fstat");
	if (after.st_size != (off_t)n * size)
		return "the file has another size";
	if (bench_choice(0) == EXTEND)
		return after.st_blocks >= (blkcnt_t)n * size / 512 ? NULL : "no blocks were added";
	return pread(file, &last, 1, after.st_size - 1) == 1 && !last ? NULL : "there is no hole";
}

static uint64_t limit(void)
{
	return FILE_SIZE / bench_number(1);
}

const struct bench bench = {
	.summary = "Giving blocks to a file, or taking them.",
	.operation = "one fallocate of SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
