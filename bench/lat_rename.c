/* SPDX-License-Identifier: MIT */
/* lat_rename - renames a file within its directory to a name not in use. */
#include <err.h>
#include <stdio.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/files.h"

static const char *const names[] = { FILES_FILE, "renamed" };
static int directory;
static unsigned current; /* which of its names the file has */

static void setup(void)
{
	close(files_make(0));
	directory = files_directory();
}

static void run(uint64_t n)
{
	while (n--) {
		if (renameat(directory, names[current], directory, names[!current]))
			err(1, "rename");
		current = !current;
	}
}

static const char *check(uint64_t n)
{
	return !faccessat(directory, names[current], F_OK, 0) &&
		       faccessat(directory, names[!current], F_OK, 0)
		   ? NULL
		   : "the file was not renamed";
}

const struct bench bench = {
	.summary = "Renaming a file within its directory.",
	.operation = "one rename, in a directory of one file",
	.kernel_entries = 1,
	.supported = files_supported,
	.setup = setup,
	.run = run,
	.check = check,
};
