/* SPDX-License-Identifier: MIT */
/*
 * bw_file - reads SIZE bytes of a cached file (read), overwrites them (write), or appends SIZE
 * bytes, for which the kernel allocates pages and blocks (append).
 *
 * All of the file is in the page cache, just written, and is gone through front to back, again and
 * again.  A large CPU cache holds the 4 MB of the default; a FILE larger than the last cache is
 * read from memory.  Nothing is synced; the kernel may write back in the background.  Copies that
 * share the file read all of it, or write to FILE bytes of their own in it.
 */
#include <err.h>
#include <string.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/memory.h"
#include "util/xalloc.h"

enum { READ, WRITE, APPEND };

static uint64_t size, whole; /* of an operation; of the file */
static _Thread_local int file;
static _Thread_local unsigned char *buffer;
static unsigned char *buffers[BENCH_COPIES]; /* which threads that have ended leave */
static _Thread_local uint64_t at, base;	     /* offset of the next operation; from here */

static const struct bench_parameter parameters[] = {
	{ "operation", BENCH_CHOICE, "read write append",
	  .help = "read: pread, write: pwrite in place, append: write at the end" },
	{ "size", BENCH_SIZE, "1 64 256 1k 4k 8k 16k 64k 256k 1m", 1, 64 << 20, .axis = true,
	  .help = "bytes in a call" },
	{ "file", BENCH_SIZE, "4m 256m", 1, UINT64_C(1) << 40, .fallback = "4m", .silent = true,
	  .help = "bytes in the file; append: size at which it is emptied" },
	{ 0 }
};

static const char *supported(void)
{
	bool apart = bench_choice(0) == WRITE && bench_is_shared();
	const char *reason = files_reason(bench_number(2) * (apart ? bench_copies() : 1));

	if (bench_number(1) > bench_number(2))
		return "an operation is larger than the file";
	/* The page cache must hold all of it. */
	return reason ? reason : memory_reason(bench_number(2) / MEMORY_LINE * MEMORY_LINE);
}

/* Word i of a file to read: no other operation reads the same. */
static uint64_t word(uint64_t i)
{
	return i * UINT64_C(0x9e3779b97f4a7c15);
}

static unsigned char byte_at(uint64_t offset)
{
	uint64_t w = word(offset / sizeof(w));
	unsigned char bytes[sizeof(w)];

	memcpy(bytes, &w, sizeof(w));
	return bytes[offset % sizeof(w)];
}

static void setup(void)
{
	size = bench_number(1);
	whole = bench_number(2);
	file = files_make_words(bench_choice(0) == APPEND ? 0 : whole, word);
}

/* A copy's buffer, and its part of the file. */
static void take_part(void)
{
	buffer = buffers[bench_copy()] = xcalloc(size, 1);
	if (bench_choice(0) != WRITE || !bench_is_shared())
		return;
	base = bench_copy() * whole;
	buffer[0] = (unsigned char)(bench_copy() * 77); /* what others write is another byte */
	for (at = 0; at + size <= whole; at += size)
		if (pwrite(file, buffer, size, (off_t)(base + at)) != (ssize_t)size)
			err(1, "pwrite");
	at = 0;
}

/* Reads must overwrite the buffer, and writes differ from those of the last batch.  The appended
 * file is truncated only when full, as appends would reuse the pages just freed. */
static void prepare(uint64_t n)
{
	if (!buffer)
		take_part();
	if (bench_choice(0) == READ)
		buffer[0] = buffer[size - 1] = (unsigned char)~buffer[size - 1];
	else
		memset(buffer, buffer[0] + 1, size);
	if (bench_choice(0) == APPEND && at + n * size > whole) {
		if (ftruncate(file, 0) || lseek(file, 0, SEEK_SET))
			err(1, "empty the file");
		at = 0;
	}
}

static void advance(void)
{
	at += size;
	if (at + size > whole)
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
			if (pwrite(file, buffer, size, (off_t)(base + at)) != (ssize_t)size)
				err(1, "pwrite");
		break;
	case APPEND:
		at += n * size;
		while (n--)
			if (write(file, buffer, size) != (ssize_t)size)
				err(1, "write");
	}
}

/* Whether the last of n operations was at its place in the file, which advance() does not tell. */
static const char *check(uint64_t n)
{
	static _Thread_local uint64_t turn;
	uint64_t turns = whole / size, last = (turn + n - 1) % turns * size;
	unsigned char found = 0;

	turn = (turn + n) % turns;
	if (bench_choice(0) == READ)
		return buffer[0] == byte_at(last) && buffer[size - 1] == byte_at(last + size - 1)
			   ? NULL
			   : "the bytes read are not those of the file";
	if (bench_choice(0) == APPEND) {
		last = at - size;
		if (lseek(file, 0, SEEK_END) != (off_t)at)
			return "the file has not grown by the bytes appended";
	}
	return pread(file, &found, 1, (off_t)(base + last + size - 1)) == 1 && found == buffer[0]
		   ? NULL
		   : "the bytes written are not in the file";
}

static uint64_t limit(void)
{
	return bench_choice(0) == APPEND ? whole / size : 0;
}

static void *state(size_t *n)
{
	*n = sizeof(file);
	return &file;
}

/* What one has appended, another would not find at its end. */
static const char *shares(void)
{
	return bench_choice(0) == APPEND ? NULL : "the open file";
}

const struct bench bench = {
	.summary = "Reading, overwriting or appending SIZE bytes of a cached file.",
	.operation = "one read or write of the next SIZE bytes, in the page cache",
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
