/* SPDX-License-Identifier: MIT */
/*
 * lat_rename - renames a file within its directory to a name not in use.
 *
 * It goes through two names again and again, or in a directory that holds FILES others through
 * 1024, which lie all over a directory that is sorted by hashes.
 */
#include <err.h>
#include <stdio.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

enum { MOST = 1024 };

static char names[MOST][FILES_NAME] = { FILES_FILE };
static unsigned nnames, current; /* current: which of its names the file has */
static int directory;

static const struct bench_parameter parameters[] = { { "files", BENCH_COUNT, "10 1000 100000", 0,
						       10000000, .fallback = "0", .silent = true,
						       .help = "other files in the directory" },
						     { 0 } };

static void setup(void)
{
	close(files_make(0));
	directory = files_directory();
	files_fill(directory, bench_number(0));
	nnames = bench_number(0) ? MOST : 2;
	for (unsigned i = 1; i < nnames; i++)
		snprintf(names[i], sizeof(names[i]), "renamed%u", i);
}

static unsigned next(void)
{
	return current + 1 < nnames ? current + 1 : 0;
}

static void run(uint64_t n)
{
	for (; n--; current = next())
		if (renameat(directory, names[current], directory, names[next()]))
			err(1, "rename");
}

static const char *check(uint64_t n)
{
	unsigned last = current ? current - 1 : nnames - 1;

	return !faccessat(directory, names[current], F_OK, 0) &&
		       faccessat(directory, names[last], F_OK, 0)
		   ? NULL
		   : "the file was not renamed";
}

const struct bench bench = {
	.summary = "Renaming a file within its directory.",
	.operation = "one rename",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = files_supported,
	.setup = setup,
	.run = run,
	.check = check,
};
