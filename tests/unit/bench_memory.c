/* SPDX-License-Identifier: MIT */
/* The memory of the canaries is made before the benchmark's: else it empties the caches that
 * setup() has filled, and the first batch is slower than the others. */
#include <stdio.h>
#include <unistd.h>

#include "measure/bench.h"
#include "util/file.h"

static long before, most; /* pages of address space in setup(), and after a batch */
static unsigned batches;

static long pages(void)
{
	char line[100];
	long n = -1;

	return file_first_line("/proc/self/statm", line, sizeof(line)) &&
		       sscanf(line, "%ld", &n) == 1
		   ? n
		   : -1;
}

static void setup(void)
{
	before = pages();
}

static void run(uint64_t n)
{
	for (volatile uint64_t turns = 100 * n; turns; turns--)
		;
}

static const char *check(uint64_t n)
{
	(void)n;
	most = pages() > most ? pages() : most;
	batches++;
	return NULL;
}

const struct bench bench = {
	.summary = "s", .operation = "o", .run = run, .setup = setup, .check = check
};

#include "../bench_inside.h"

/* By 4 MB or more. */
static bool has_not_grown(void)
{
	return batches > 5 && before > 0 && (most - before) * sysconf(_SC_PAGESIZE) < 4 << 20;
}

int main(void)
{
	inside("fake", has_not_grown, "no memory is made between setup and the last batch");
	return done_testing();
}
