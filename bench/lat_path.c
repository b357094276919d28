/* SPDX-License-Identifier: MIT */
/*
 * lat_path - walks a relative path of DEPTH components to a file and opens and closes it (open;
 * creat: with O_CREAT; openat2: with RESOLVE_BENEATH), asks about it (stat, statx, access), reads a
 * symbolic link (readlink), or, for a missing file, fails to stat (enoent) or open (missing) it.
 * All names are cached, missing ones too.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"
#include "common/reason.h"

enum { MOST = 64 };
enum { OPENAT2 = 437, BENEATH = 0x08 /* RESOLVE_BENEATH */ }; /* for C libraries before 2020 */
enum { BASIC = 0x7ff /* STATX_BASIC_STATS */ };

static _Thread_local char path[2 * MOST];

static bool opened(long fd)
{
	return fd >= 0 && !close((int)fd);
}

static bool open_file(void)
{
	return opened(open(path, O_RDONLY));
}

static bool stat_file(void)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode);
}

static bool miss_stat(void)
{
	struct stat st;

	return stat(path, &st) && errno == ENOENT;
}

static bool miss_open(void)
{
	return open(path, O_RDONLY) < 0 && errno == ENOENT;
}

static bool open_creating(void)
{
	return opened(open(path, O_RDONLY | O_CREAT, 0600));
}

static bool open_beneath(void)
{
	const uint64_t how[3] = { O_RDONLY, 0, BENEATH };

	return opened(syscall(OPENAT2, AT_FDCWD, path, how, sizeof(how)));
}

static bool statx_file(void)
{
	uint32_t found[64]; /* struct statx, which begins with the mask of what was found */

	return !syscall(SYS_statx, AT_FDCWD, path, 0, BASIC, found) && found[0] & BASIC;
}

static bool access_file(void)
{
	return !access(path, R_OK);
}

static bool read_link(void)
{
	char target[8];

	return readlink(path, target, sizeof(target)) == 1;
}

static bool (*const calls[])(void) = { open_file,  stat_file,	  miss_stat,
				       miss_open,  open_creating, open_beneath,
				       statx_file, access_file,	  read_link };

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "open stat enoent missing creat openat2 statx access readlink",
	  .help = "call at the end of the path; enoent, missing: stat and open of no file" },
	{ "depth", BENCH_COUNT, "1 2 4 8 16", 1, MOST, .fallback = "1", .axis = true,
	  .help = "components in the path" },
	{ 0 }
};

/* "d/d/d/f", or "d/d/d/m" with nothing there, or "d/d/d/l", a link to f. */
static void make_path(void)
{
	uint64_t depth = bench_number(1);
	char *last = path + 2 * (depth - 1);

	/* Threads get a working directory each. */
	if (bench_copy() && unshare(CLONE_FS))
		err(1, "unshare");
	if (bench_copy() ? fchdir(files_new_directory()) : chdir(files_path()))
		err(1, "%s", files_path());
	for (uint64_t i = 0; i < depth - 1; i++) {
		memcpy(path + 2 * i, "d/", 3);
		if (mkdir(path, 0700))
			err(1, "mkdir");
	}
	*last = 'l';
	if (symlink("f", path))
		err(1, "symlink");
	*last = 'f';
	if (close(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600)))
		err(1, "create a file");
	if (calls[bench_choice(0)] == miss_stat || calls[bench_choice(0)] == miss_open)
		*last = 'm';
	if (calls[bench_choice(0)] == read_link)
		*last = 'l';
}

static const char *supported(void)
{
	const char *reason = files_supported();

	if (reason)
		return reason;
	make_path();
	return calls[bench_choice(0)]() ? NULL : reason_errno("the call");
}

static void *state(size_t *size)
{
	*size = sizeof(path);
	return path;
}

static const char *shares(void)
{
	return "the file and its directories";
}

static void run(uint64_t n)
{
	bool (*call)(void) = calls[bench_choice(0)];

	while (n--)
		if (!call())
			err(1, "%s", path);
}

const struct bench bench = {
	.summary = "Finding a file through a path of DEPTH components.",
	.operation = "one call; open, creat and openat2: and one close",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.run = run,
	.shares = shares,
	.state = state,
};
