/* SPDX-License-Identifier: MIT */
/*
 * lat_fork - fork(2) of a process that has written to SIZE bytes since its last fork, the end of
 * the child, and the wait.  The page tables are copied; lat_pagefault cow is the price of each page
 * written to afterwards.
 */
#include <err.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"

static volatile char *memory;
static uint64_t page, ended;
static bool forked;

static const struct bench_parameter parameters[] = {
	{ "size", BENCH_SIZE, "1m 8m 64m 512m", 4096, UINT64_C(1) << 40, .axis = true,
	  .help = "bytes of memory in use, in base pages" },
	{ 0 }
};

static void setup(void)
{
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	memory = memory_new(memory_size(), MEMORY_SMALL, 1);
}

static uint64_t faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

static void prepare(uint64_t n)
{
	uint64_t before = faults();

	for (uint64_t i = 0; i < memory_size(); i += page)
		memory[i]++;
	/* gVisor counts no faults at all. */
	if (forked && before && faults() - before < memory_size() / page)
		errx(1, "the last fork has not shared all pages");
	ended = 0;
	forked = true;
}

static void run(uint64_t n)
{
	while (n--) {
		pid_t pid = fork();
		int status;

		if (pid < 0)
			err(1, "fork");
		if (pid == 0)
			_exit(memory[0] != memory[memory_size() - page]);
		if (waitpid(pid, &status, 0) != pid)
			err(1, "waitpid");
		ended += status == 0;
	}
}

static const char *check(uint64_t n)
{
	return ended == n ? NULL : "a child did not have the memory";
}

/* The second fork in a row finds the pages write-protected. */
static uint64_t limit(void)
{
	return 1;
}

const struct bench bench = {
	.summary = "Forking a process with SIZE bytes of memory in use.",
	.operation = "one child that ends at once: fork, exit, wait",
	.parameters = parameters,
	.kernel_entries = 3,
	.supported = memory_supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
