/* SPDX-License-Identifier: MIT */
/*
 * lat_pagefault - a minor page fault: the first write to an anonymous page (anon), the same and
 * freeing the page (anon-free), the first read of one, which maps the page of zeros (zero), the
 * first write to a page shared with a child (cow), to 2 MB of memory (huge), or to shared memory
 * without a file (shmem), the first read of a mapped cached file (file), the first write to a page
 * of one, shared (file-write) or private (file-private), the first reads of three pages among 64 KB
 * of a program of the system and unmapping them (around).
 *
 * A fault of a program's page maps those around it, of which it soon reads some three; other
 * kernels have a fault for each, and some hypervisors build tables for each: hence the last kind.
 * The file of a program is in the page cache in smaller pieces than one that was just written.
 *
 * Where a fault maps neighbouring pages as well, one page of each such range is touched.  The
 * kernel's count of faults is the check; a kernel that counts none (gVisor) is not checked.
 */
#include <err.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/files.h"

enum { ANON, CACHED, COW, FREED, ZERO, HUGE, SHMEM, FILE_WRITE, FILE_PRIVATE, AROUND };
enum { PAGES = 4096, HUGE_PAGES = 16, USUAL_RANGE = 64 << 10, READ_OF_RANGE = 3, APART = 16 << 10 };

static const char program[] = "/bin/sh"; /* installed like those that applications start */

static const struct {
	int flags;
	bool file, reads;
} kinds[] = {
	[ANON] = { MAP_PRIVATE, false, false },	       [CACHED] = { MAP_SHARED, true, true },
	[COW] = { MAP_PRIVATE, false, false },	       [FREED] = { MAP_PRIVATE, false, false },
	[ZERO] = { MAP_PRIVATE, false, true },	       [HUGE] = { MAP_PRIVATE, false, false },
	[SHMEM] = { MAP_SHARED, false, false },	       [FILE_WRITE] = { MAP_SHARED, true, false },
	[FILE_PRIVATE] = { MAP_PRIVATE, true, false }, [AROUND] = { MAP_PRIVATE, true, true },
};

static _Thread_local char *region; /* `pages` pages, and one more */
static uint64_t pages;
static uint64_t page;
static _Thread_local struct {
	uint64_t stride;  /* bytes from one touch to the next */
	uint64_t touched; /* pages of the region, since it was mapped */
	bool counted;	  /* does this kernel count faults? */
	int file;
} own;
static _Thread_local uint64_t faults; /* before the batch */
static size_t kind;
static int child;

static const struct bench_parameter parameters[] = {
	{ "kind", BENCH_CHOICE,
	  "anon file cow anon-free zero huge shmem file-write file-private around",
	  .help = "kind of page that is touched" },
	{ 0 }
};

static bool has_range(void)
{
	struct stat st;

	return !access(program, R_OK) && !stat(program, &st) && st.st_size >= USUAL_RANGE;
}

static const char *supported(void)
{
	kind = bench_choice(0);
	page = kind == HUGE ? MEMORY_HUGE_PAGE : (uint64_t)sysconf(_SC_PAGESIZE);
	pages = kind == HUGE ? HUGE_PAGES : PAGES;
	const char *reason = memory_reason(2 * pages * page);
	if (!reason && kind == AROUND)
		reason = has_range() ? NULL : "/bin/sh cannot be read, or has less than 64 KB";
	else if (!reason && kinds[kind].file)
		reason = files_reason((pages + 1) * page);
	return !reason && kind == HUGE ? memory_huge_reason() : reason;
}

static uint64_t minor_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_minflt;
}

/* Maps the region anew, without pages. */
static void map(void)
{
	uint64_t size = (pages + 1) * page, span = kind == AROUND ? USUAL_RANGE : size;
	int flags = kinds[kind].flags | MAP_FIXED | (kinds[kind].file ? 0 : MAP_ANONYMOUS);
	int protection = PROT_READ | (kinds[kind].reads && kinds[kind].file ? 0 : PROT_WRITE);

	if (!region)
		region = memory_reserve(size);
	for (uint64_t at = 0; at < size; at += span)
		if (mmap(region + at, span < size - at ? span : size - at, protection, flags,
			 kinds[kind].file ? own.file : -1, 0) == MAP_FAILED)
			err(1, "mmap");
	own.touched = 0;
	/* Fails on a kernel without huge pages. */
	if (!kinds[kind].file)
		madvise(region, size, kind == HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

static void touch(volatile char *p, uint64_t n)
{
	if (kind == AROUND)
		for (; n--; p += own.stride)
			for (int i = 0; i < READ_OF_RANGE; i++)
				(void)p[i * APART];
	else if (kinds[kind].reads)
		for (; n--; p += own.stride)
			(void)*p;
	else
		for (; n--; p += own.stride)
			*p = 1;
}

static void run(uint64_t n)
{
	touch(region + own.touched * own.stride, n);
	if (kind != FREED && kind != AROUND)
		own.touched += n;
	else if (madvise(region, n * own.stride, MADV_DONTNEED))
		err(1, "madvise");
}

static uint64_t limit(void)
{
	return pages * page / own.stride;
}

/* Finds how many pages a fault maps: touches every page and counts the faults. */
static void setup(void)
{
	own.stride = page;
	if (kind == AROUND) {
		own.stride = USUAL_RANGE;
		own.file = open(program, O_RDONLY | O_CLOEXEC);
	} else if (kinds[kind].file)
		own.file = files_make((pages + 1) * page);
	for (int i = 0; i < 2; i++) { /* the first time, other pages fault too */
		map();
		faults = minor_faults();
		run(limit());
	}
	faults = minor_faults() - faults;
	own.counted = faults > 0;
	if (!own.counted && kind == CACHED)
		own.stride = USUAL_RANGE;
	while (own.counted && kind != AROUND && faults * own.stride * 3 / 2 < pages * page)
		own.stride *= 2;
}

static void prepare(uint64_t n)
{
	if (child)
		bench_reap(child);
	/*
	 * Single operations touch one page after another, as a heap that grows.  In a region mapped
	 * anew each would pay for page tables, and in gVisor for memory of the host, too.
	 */
	if (!region || kind == COW || kind == HUGE || own.touched + n > limit())
		map();
	if (kind == COW) {
		run(n);
		own.touched = 0;
		child = bench_fork();
		/* It copies pages of its own before it stops. */
		while (!child)
			raise(SIGSTOP);
		if (waitpid(child, NULL, WUNTRACED) != child)
			err(1, "waitpid");
	}
	/* The first fault takes longer in a sandbox such as gVisor. */
	if (kind == AROUND)
		(void)*(volatile char *)(region + pages * page);
	else
		touch(region + pages * page, 1);
	faults = minor_faults();
}

static const char *check(uint64_t n)
{
	/* Where a file is cached in large pieces, one fault may map several ranges. */
	if (own.counted && minor_faults() - faults < (kind == AROUND ? 1 : n))
		return "fewer faults were counted than pages touched";
	if (kind != HUGE)
		return NULL;
	faults = minor_faults();
	region[page - 1] = 1;
	if (minor_faults() != faults)
		return "a fault mapped less than 2 MB";
	return NULL;
}

/* Threads fault in one address space, each in a region of its own. */
static void *state(size_t *size)
{
	*size = sizeof(own);
	return bench_choice(0) == COW ? NULL : &own;
}

static const char *shares(void)
{
	return kinds[bench_choice(0)].file && bench_choice(0) != AROUND ? "the file" : NULL;
}

const struct bench bench = {
	.summary = "A minor page fault: of new memory, a cached file, or copy on write.",
	.operation = "one minor fault; anon-free: and freeing its page; around: reads of three "
		     "pages, and unmapping",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
	.shares = shares,
	.state = state,
};
