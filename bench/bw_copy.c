/* SPDX-License-Identifier: MIT */
/*
 * bw_copy - copies a cached file over another of the same file system, SIZE bytes at a time: inside
 * the kernel by copy_file_range(2), by sendfile(2) or through a pipe (splice), or by read and write
 * (buffer).  copy_file_range may share the blocks instead, on file systems that can (XFS, btrfs).
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"
#include "util/xalloc.h"

enum { FILE_SIZE = 4 << 20 };

static int from, to, ends[2];
static off_t at, first; /* offsets of the next operation in both files, of the first of a batch */
static size_t size;
static char *buffer, mark;

static ssize_t copy_range(void)
{
	off_t in = at, out = at;

	return copy_file_range(from, &in, to, &out, size, 0);
}

static ssize_t send_file(void)
{
	off_t in = at;

	return lseek(to, at, SEEK_SET) < 0 ? -1 : sendfile(to, from, &in, size);
}

static ssize_t splice_pipe(void)
{
	off_t in = at, out = at;

	if (splice(from, &in, ends[1], NULL, size, 0) != (ssize_t)size)
		return -1;
	return splice(ends[0], NULL, to, &out, size, 0);
}

static ssize_t read_write(void)
{
	return pread(from, buffer, size, at) == (ssize_t)size ? pwrite(to, buffer, size, at) : -1;
}

static ssize_t (*const ways[])(void) = { copy_range, send_file, splice_pipe, read_write };
static ssize_t (*copy)(void);

static const struct bench_parameter parameters[] = {
	{ "how", BENCH_CHOICE, "copy_file_range sendfile splice buffer",
	  .help =
	      "call that copies; sendfile: with lseek; splice: twice; buffer: pread and pwrite" },
	{ "size", BENCH_SIZE, "4k 64k 1m", 1, FILE_SIZE, .fallback = "64k", .axis = true,
	  .help = "bytes copied" },
	{ 0 }
};

static const char *supported(void)
{
	const char *reason = files_reason(2 * FILE_SIZE);

	if (reason)
		return reason;
	if (chdir(files_path()))
		err(1, "%s", files_path());
	size = bench_number(1);
	copy = ways[bench_choice(0)];
	buffer = xcalloc(size, 1);
	to = files_make(FILE_SIZE);
	if (renameat(AT_FDCWD, FILES_FILE, AT_FDCWD, "copy") || pipe(ends))
		err(1, "a copy in %s", files_path());
	from = files_make(FILE_SIZE);
	if (copy == splice_pipe && fcntl(ends[1], F_SETPIPE_SZ, size) < (int)size)
		return reason_errno("a pipe of this size");
	return copy() == (ssize_t)size ? NULL : reason_errno("this way of copying");
}

/* What the first operation copies is new. */
static void prepare(uint64_t n)
{
	first = at;
	mark++;
	if (pwrite(from, &mark, 1, at) != 1)
		err(1, "pwrite");
}

static void run(uint64_t n)
{
	while (n--) {
		if (copy() != (ssize_t)size)
			err(1, "copy of %zu bytes", size);
		at = at + 2 * (off_t)size <= FILE_SIZE ? at + (off_t)size : 0;
	}
}

static const char *check(uint64_t n)
{
	char found;

	return pread(to, &found, 1, first) == 1 && found == mark ? NULL
								 : "the copy differs from the file";
}

const struct bench bench = {
	.summary = "Copying SIZE bytes of a cached file to another file.",
	.operation = "copying SIZE bytes",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.prepare = prepare,
	.run = run,
	.check = check,
	.transfers = 1,
};
