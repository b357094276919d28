/* SPDX-License-Identifier: MIT */
/*
 * lat_pagefault - a minor page fault: the first write to an anonymous page (anon), the same and
 * freeing the page (anon-free), the first read of a mapped cached file (file), the first write to a
 * page shared with a child (cow).
 *
 * Where a fault maps neighbouring pages as well, one page of each such range is touched.  The
 * kernel's count of faults is the check; a kernel that counts none (gVisor) is not checked.
 */
#include <err.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/files.h"

enum { ANON, CACHED, COW, FREED };
enum { PAGES = 4096, USUAL_RANGE = 64 << 10 };

static char *region;	      /* PAGES pages, and one more */
static uint64_t page, stride; /* bytes in a page; from one touch to the next */
static uint64_t faults;	      /* before the batch */
static bool counted;	      /* does this kernel count faults? */
static size_t kind;
static int file, child;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE, "anon file cow anon-free", .help = "of page" }, { 0 }
};

static const char *supported(void)
{
	uint64_t size = PAGES * (uint64_t)sysconf(_SC_PAGESIZE);

	return bench_choice(0) == CACHED ? files_reason(size) : memory_reason(2 * size);
}

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_SELF, &usage);
	return (uint64_t)usage.ru_minflt;
}

/* Maps the region anew, without pages. */
static void map(void)
{
	uint64_t size = (PAGES + 1) * page;
	void *p = kind == CACHED ? mmap(region, size, PROT_READ, MAP_SHARED | MAP_FIXED, file, 0)
				 : mmap(region, size, PROT_READ | PROT_WRITE,
					MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap");
	/* Small pages; fails on a kernel without huge pages. */
	if (kind != CACHED)
		madvise(region, size, MADV_NOHUGEPAGE);
}

static void touch(volatile char *p, uint64_t n)
{
	if (kind == CACHED)
		for (; n--; p += stride)
			(void)*p;
	else
		for (; n--; p += stride)
			*p = 1;
}

static void run(uint64_t n)
{
	touch(region, n);
	if (kind == FREED && madvise(region, n * stride, MADV_DONTNEED))
		err(1, "madvise");
}

/* Finds how many pages a fault maps: touches every page and counts the faults. */
static void setup(void)
{
	kind = bench_choice(0);
	stride = page = (uint64_t)sysconf(_SC_PAGESIZE);
	region = memory_reserve((PAGES + 1) * page);
	if (kind == CACHED)
		file = files_make((PAGES + 1) * page);
	for (int i = 0; i < 2; i++) { /* the first time, other pages fault too */
		map();
		faults = minor_faults();
		run(PAGES);
	}
	faults = minor_faults() - faults;
	counted = faults > 0;
	if (!counted && kind == CACHED)
		stride = USUAL_RANGE;
	while (counted && faults * stride * 3 / 2 < PAGES * page)
		stride *= 2;
}

static uint64_t limit(void)
{
	return PAGES * page / stride;
}

static void prepare(uint64_t n)
{
	if (child)
		bench_reap(child);
	map();
	if (kind == COW) {
		run(n);
		child = bench_fork();
		/* It copies pages of its own before it stops. */
		while (!child)
			raise(SIGSTOP);
		if (waitpid(child, NULL, WUNTRACED) != child)
			err(1, "waitpid");
	}
	/* The first fault takes longer in a sandbox such as gVisor. */
	touch(region + PAGES * page, 1);
	faults = minor_faults();
}

static const char *check(uint64_t n)
{
	if (counted && minor_faults() - faults < n)
		return "fewer faults were counted than pages touched";
	return NULL;
}

const struct bench bench = {
	.summary = "A minor page fault: of new memory, a cached file, or copy on write.",
	.operation = "one minor fault; anon-free: and freeing its page",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
