/* SPDX-License-Identifier: MIT */
/*
 * lat_truncate - ftruncate(2) of a file of one page to length 0.
 *
 * The page has just been written and is in the page cache only, so that the call frees it and, on
 * file systems that allocate late, a reservation of a block.
 */
#include <err.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/files.h"
#include "measure/bench.h"
#include "peer/sockets.h"

enum { FILES = 64, PAGE = 4096 };

static int files[FILES];
static char page[PAGE];

static const char *supported(void)
{
	const char *reason = descriptors_reason(FILES);

	return reason ? reason : files_supported();
}

static void setup(void)
{
	int directory = files_directory();

	memset(page, FILES_BYTE, sizeof(page));
	for (int i = 0; i < FILES; i++) {
		char name[16];

		snprintf(name, sizeof(name), "f%d", i);
		files[i] = openat(directory, name, O_RDWR | O_CREAT | O_EXCL, 0600);
		if (files[i] < 0)
			err(1, "create a file in %s", files_path());
	}
	close(directory);
}

static void prepare(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (pwrite(files[i], page, sizeof(page), 0) != (ssize_t)sizeof(page))
			err(1, "pwrite");
}

static void run(uint64_t n)
{
	for (uint64_t i = 0; i < n; i++)
		if (ftruncate(files[i], 0))
			err(1, "ftruncate");
}

static const char *check(uint64_t n)
{
	struct stat st;

	for (uint64_t i = 0; i < n; i++)
		if (fstat(files[i], &st) || st.st_size)
			return "a file is not empty";
	return NULL;
}

static uint64_t limit(void)
{
	return FILES;
}

const struct bench bench = {
	.summary = "Truncating a file of one page, not yet written to the disk, to length 0.",
	.operation = "one ftruncate of a page that was just written",
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
