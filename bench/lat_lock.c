/* SPDX-License-Identifier: MIT */
/*
 * lat_lock - takes and releases an uncontended lock: fcntl(2) of one byte of a file, in the name of
 * the process (fcntl) or of the open file (ofd), or flock(2) of the file.
 */
#include <err.h>
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

static int file;
static int (*set)(int fd, bool locked);

static const struct bench_parameter parameters[] = { { "call", BENCH_CHOICE, "fcntl flock ofd",
						       .fallback = "fcntl", .help = "that locks" },
						     { 0 } };

static int set_byte(int fd, bool locked)
{
	struct flock byte = { .l_type = locked ? F_WRLCK : F_UNLCK, .l_len = 1 };

	return fcntl(fd, F_SETLK, &byte);
}

static int set_open_byte(int fd, bool locked)
{
	struct flock byte = { .l_type = locked ? F_WRLCK : F_UNLCK, .l_len = 1 };

	return fcntl(fd, F_OFD_SETLK, &byte);
}

static int set_file(int fd, bool locked)
{
	return flock(fd, locked ? LOCK_EX | LOCK_NB : LOCK_UN);
}

static const char *supported(void)
{
	static int (*const calls[])(int, bool) = { set_byte, set_file, set_open_byte };
	const char *reason = files_supported();

	if (reason)
		return reason;
	set = calls[bench_choice(0)];
	file = files_make(1);
	return set(file, true) || set(file, false) ? "this file system has no locks" : NULL;
}

static void run(uint64_t n)
{
	while (n--)
		if (set(file, true) || set(file, false))
			err(1, "lock");
}

const struct bench bench = {
	.summary = "Locking a file, or a byte of it, and unlocking it, without contention.",
	.operation = "two calls: lock and unlock",
	.parameters = parameters,
	.kernel_entries = 2,
	.supported = supported,
	.run = run,
};
