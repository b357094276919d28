/* SPDX-License-Identifier: MIT */
/* Which directory files_quick_directory() chooses, with a clock that says how long each takes; how
 * much must be free. */
#include "../tap.h"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include "measure/bench.h"
#include "measure/clock.h"

static int time_in(int directory);
static int fill_disk(const char *path, struct statvfs *out);
#define clock_nanoseconds() ((uint64_t)time_in(directory))
#define statvfs(path, out) fill_disk(path, out)
#include "../../bench/common/files.c"

/* 100 blocks of 4 KB are free, 3 more for root. */
static int fill_disk(const char *at, struct statvfs *out)
{
	(void)at;
	out->f_blocks = 1000;
	out->f_bfree = 103;
	out->f_bavail = 100;
	out->f_frsize = 4096;
	return 0;
}

static const int *times; /* of the places, in the order in which they are tried */
static int readings;
static ino_t quickest;
static bool started_warm;

static ino_t inode_of(int fd)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : st.st_ino;
}

/* 0 at the start, which comes after the first file. */
static int time_in(int directory)
{
	char second[FILES_NAME];
	int place = readings / 2, best = 0;

	files_name(second, 1);
	if (readings++ % 2 == 0) {
		started_warm &= faccessat(directory, second, F_OK, 0) != 0;
		files_name(second, 0);
		started_warm &= faccessat(directory, second, F_OK, 0) == 0;
		return 0;
	}
	for (int i = 0; i < 4; i++)
		best = times[i] < times[best] ? i : best;
	if (place == best)
		quickest = inode_of(directory);
	return times[place];
}

static void chooses(const int t[4], const char *what)
{
	struct stat st;
	int before = dup(0);

	times = t;
	readings = 0;
	quickest = 0;
	started_warm = true;
	int chosen = files_quick_directory();
	ok(quickest && inode_of(chosen) == quickest, "%s is chosen", what);
	ok(started_warm, "and the first file in a place is not timed");
	ok(readings == 8, "of four places");
	ok(!fstat(chosen, &st) && S_ISDIR(st.st_mode) && !close(chosen) && !close(before),
	   "it is open");
	int after = dup(0);
	ok(after == before, "and the others are closed");
	close(after);
}

/* What files.c needs of the front end. */
const struct bench bench;
const char *bench_directory(void)
{
	return "/tmp";
}
size_t bench_copy(void)
{
	return 0;
}

int main(void)
{
	files_path();
	ok(!files_reason(50 * 4096) && files_reason(50 * 4096 + 1),
	   "twice as much as a file needs must be free");
	chooses((const int[]){ 9, 3, 5, 4 }, "the second");
	chooses((const int[]){ 5, 6, 4, 3 }, "the last");
	chooses((const int[]){ 2, 6, 4, 3 }, "the first");
	return done_testing();
}
