/* SPDX-License-Identifier: MIT */
/* lat_truncate - ftruncate(2) of a file of one page to length 0: frees a page and a block. */
#include <err.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/clock.h"
#include "common/files.h"

enum { PAGE = 4096 };

static int file;
static char page[PAGE];

static void setup(void)
{
	memset(page, FILES_BYTE, sizeof(page));
	file = files_make(0);
}

static void run(uint64_t n)
{
	while (n--) {
		clock_pause();
		if (pwrite(file, page, sizeof(page), 0) != (ssize_t)sizeof(page))
			err(1, "pwrite");
		clock_resume();
		if (ftruncate(file, 0))
			err(1, "ftruncate");
	}
}

static const char *check(uint64_t n)
{
	struct stat st;

	return !fstat(file, &st) && !st.st_size ? NULL : "the file is not empty";
}

const struct bench bench = {
	.summary = "Truncating a file of one page to length 0.",
	.operation = "one ftruncate",
	.kernel_entries = 1,
	.supported = files_supported,
	.setup = setup,
	.run = run,
	.check = check,
};
