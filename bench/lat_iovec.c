/* SPDX-License-Identifier: MIT */
/*
 * lat_iovec - readv(2) or writev(2) of SEGMENTS buffers of 64 bytes, as of headers, preadv2(2) with
 * RWF_NOWAIT (nowait) or pwritev2(2) in place, from or to a file that is in the page cache.
 */
#include <err.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"
#include "util/xalloc.h"

enum { READV, WRITEV, NOWAIT, PWRITEV2 };
enum { SEGMENT = 64, SEGMENTS_MOST = 1024, FILE_SIZE = 4 << 20 };

static int file, segments;
static ssize_t size; /* of an operation */
static char *buffer;
static struct iovec vector[SEGMENTS_MOST];

/* The wrapper of the C library is younger than the call; the second half of the offset is 0. */
static ssize_t read_at_once(off_t at)
{
	return syscall(SYS_preadv2, file, vector, segments, at, 0, RWF_NOWAIT);
}

static ssize_t write_at(off_t at)
{
	return syscall(SYS_pwritev2, file, vector, segments, at, 0, 0);
}

static bool writes(void)
{
	return bench_choice(0) == WRITEV || bench_choice(0) == PWRITEV2;
}

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "readv writev nowait pwritev2",
	  .help = "call that is measured; nowait: preadv2 with RWF_NOWAIT" },
	{ "segments", BENCH_COUNT, "1 2 8 64", 1, SEGMENTS_MOST, .fallback = "8", .axis = true,
	  .help = "buffers of 64 bytes in a call" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = files_reason(FILE_SIZE);

	if (reason)
		return reason;
	segments = (int)bench_number(1);
	size = (ssize_t)segments * SEGMENT;
	buffer = xcalloc((size_t)size, 2);
	/* Every other 64 bytes, so that the kernel cannot join the buffers. */
	for (int i = 0; i < segments; i++)
		vector[i] = (struct iovec){ buffer + 2 * i * SEGMENT, SEGMENT };
	file = files_make(FILE_SIZE);
	if (bench_choice(0) == NOWAIT && read_at_once(0) != size)
		return reason_errno("preadv2 with RWF_NOWAIT");
	if (bench_choice(0) == PWRITEV2 && write_at(0) != size)
		return reason_errno("pwritev2");
	return NULL;
}

static void prepare(uint64_t n)
{
	memset(buffer, writes() ? buffer[0] + 1 : 0, 2 * (size_t)size);
	if (lseek(file, 0, SEEK_SET))
		err(1, "lseek");
}

static void run(uint64_t n)
{
	off_t at = 0;

	switch (bench_choice(0)) {
	case READV:
		while (n--)
			if (readv(file, vector, segments) != size)
				err(1, "readv");
		break;
	case WRITEV:
		while (n--)
			if (writev(file, vector, segments) != size)
				err(1, "writev");
		break;
	case NOWAIT:
		for (; n--; at += size)
			if (read_at_once(at) != size)
				err(1, "preadv2");
		break;
	case PWRITEV2:
		for (; n--; at += size)
			if (write_at(at) != size)
				err(1, "pwritev2");
	}
}

static const char *check(uint64_t n)
{
	char found = 0, wanted = writes() ? buffer[0] : FILES_BYTE;

	if (writes() && pread(file, &found, 1, (off_t)n * size - 1) != 1)
		err(1, "pread");
	if (!writes())
		found = buffer[2 * size - SEGMENT - 1];
	return found == wanted ? NULL : "the last segment did not arrive";
}

static uint64_t limit(void)
{
	return FILE_SIZE / (uint64_t)size;
}

const struct bench bench = {
	.summary = "Reading or writing SEGMENTS buffers of a cached file in one call.",
	.operation = "one call with SEGMENTS buffers",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
