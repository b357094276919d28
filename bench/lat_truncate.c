/* SPDX-License-Identifier: MIT */
/* lat_truncate - ftruncate(2) of a file of one page to nothing, and of nothing to one page. */
#include <err.h>
#include <sys/stat.h>
#include <unistd.h>

#include "measure/bench.h"
#include "measure/scratch.h"

enum { PAGE = 4096 };

static int file;
static off_t length = PAGE;

static const char *supported(void)
{
	return scratch_reason(PAGE);
}

static void setup(void)
{
	file = scratch_file(PAGE);
}

static void run(uint64_t n)
{
	while (n--) {
		length = PAGE - length;
		if (ftruncate(file, length))
			err(1, "ftruncate");
	}
}

static const char *check(uint64_t n)
{
	struct stat st;

	(void)n;
	return !fstat(file, &st) && st.st_size == length ? NULL : "the file has another length";
}

static void teardown(void)
{
	close(file);
}

static const struct bench bench = {
	.summary = "Changing the length of a file between nothing and one page.",
	.operation = "one ftruncate",
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.run = run,
	.check = check,
	.teardown = teardown,
};

int main(int argc, char **argv)
{
	return bench_main(argc, argv, &bench);
}
