/* SPDX-License-Identifier: MIT */
/*
 * lat_path - walks a relative path of DEPTH components to a file: open and close (open), stat
 * (stat), or, for a missing file, stat (enoent) or open (missing).  All names are cached, missing
 * ones too.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

enum { OPEN, STAT, ENOENT_, MISSING };
enum { MOST = 64 };

static char path[2 * MOST];

static const struct bench_parameter parameters[] = {
	{ "call", BENCH_CHOICE, "open stat enoent missing", .help = "at the end of the path" },
	{ "depth", BENCH_COUNT, "1 2 4 8 16", 1, MOST, .fallback = "1", .axis = true,
	  .help = "components in the path" },
	{ 0 }
};

/* "d/d/d/f", or "d/d/d/m" with nothing there. */
static void setup(void)
{
	uint64_t depth = bench_number(1);

	if (chdir(files_path()))
		err(1, "%s", files_path());
	for (uint64_t i = 0; i < depth - 1; i++) {
		memcpy(path + 2 * i, "d/", 3);
		if (mkdir(path, 0700))
			err(1, "mkdir");
	}
	memcpy(path + 2 * (depth - 1), "f", 2);
	if (close(open(path, O_CREAT | O_EXCL | O_WRONLY, 0600)))
		err(1, "create a file");
	if (bench_choice(0) >= ENOENT_)
		path[2 * (depth - 1)] = 'm';
}

static void open_file(uint64_t n)
{
	while (n--) {
		int fd = open(path, O_RDONLY);

		if (fd < 0 || close(fd))
			err(1, "open");
	}
}

static void stat_file(uint64_t n)
{
	struct stat st;

	while (n--)
		if (stat(path, &st) || !S_ISREG(st.st_mode))
			err(1, "stat");
}

static void miss_stat(uint64_t n)
{
	struct stat st;

	while (n--)
		if (!stat(path, &st) || errno != ENOENT)
			err(1, "stat of a missing file");
}

static void miss_open(uint64_t n)
{
	while (n--)
		if (open(path, O_RDONLY) >= 0 || errno != ENOENT)
			err(1, "open of a missing file");
}

static void run(uint64_t n)
{
	static void (*const calls[])(uint64_t) = { open_file, stat_file, miss_stat, miss_open };

	calls[bench_choice(0)](n);
}

const struct bench bench = {
	.summary = "Finding a file through a path of DEPTH components.",
	.operation = "open and close, or one call",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = files_supported,
	.setup = setup,
	.run = run,
};
