/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <err.h>
#include <fcntl.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "measure/bench.h"

const char *scratch_reason(uint64_t size)
{
	const char *reason = bench_directory_reason();
	struct statvfs fs;

	if (reason)
		return reason;
	/* Twice as much, lest we fill what others need; some file systems say nothing: 0 blocks. */
	if (!statvfs(bench_directory(), &fs) && fs.f_blocks && fs.f_bavail * fs.f_frsize < 2 * size)
		return "not enough free space in the directory under test (-D)";
	return NULL;
}

int scratch_directory(void)
{
	int fd = open(bench_directory(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		err(1, "open %s", bench_directory());
	return fd;
}

int scratch_file(uint64_t size)
{
	static char block[1 << 16];
	int directory = scratch_directory();
	int fd = openat(directory, SCRATCH_FILE, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	if (fd < 0)
		err(1, "create a file in %s", bench_directory());
	memset(block, SCRATCH_BYTE, sizeof(block));
	for (uint64_t at = 0; at < size;) {
		uint64_t part = size - at < sizeof(block) ? size - at : sizeof(block);
		ssize_t n = pwrite(fd, block, part, (off_t)at);

		if (n <= 0)
			err(1, "write a file in %s", bench_directory());
		at += (uint64_t)n;
	}
	close(directory);
	return fd;
}
