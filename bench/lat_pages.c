/* SPDX-License-Identifier: MIT */
/*
 * lat_pages - what a process does to SIZE bytes of memory that it has written to, in base pages.
 *
 * THREADS threads of the process run meanwhile, each on a CPU of its own: the kernel has to
 * interrupt them where their TLBs may hold a mapping that goes away.
 */
#include <err.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "measure/bench.h"
#include "common/memory.h"
#include "common/reason.h"
#include "common/team.h"

#ifndef MADV_COLLAPSE /* of Linux 6.1 */
#define MADV_COLLAPSE 25
#endif

enum { REGIONS = 64, MOST_BYTES = 32 << 20 }; /* of a batch that uses them up */
static uint64_t size, page, stride;
static char *area, *home; /* of all regions; of the one that mremap moves */
static long heap;	  /* its end */
static uint64_t huge;	  /* bytes in huge pages before the batch */
static int zeros;
static bool writable = true;

static const struct bench_parameter parameters[] = {
	{ "what", BENCH_CHOICE, "munmap dontneed free mremap mprotect touch heap map collapse",
	  .help = "call that is measured; free: MADV_FREE; mremap: to another address; touch: map, "
		  "write, unmap; heap: by brk; map: map, unmap; collapse: into huge pages" },
	{ "size", BENCH_SIZE, "4k 64k 1m 16m 1g", 4096, UINT64_C(1) << 36, .fallback = "4k",
	  .axis = true, .help = "bytes of memory" },
	{ "threads", BENCH_COUNT, "0 1 3 7", 0, 1023, .fallback = "0",
	  .help = "other threads running meanwhile" },
	{ 0 }
};

static char *region(uint64_t i)
{
	return area + i * stride;
}

static void map(char *at, int protection)
{
	if (mmap(at, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		err(1, "mmap");
}

/* Takes an address range again that should be free; false if it was not. */
static bool retake(char *at)
{
	return mmap(at, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) == at;
}

static void write_to(volatile char *p)
{
	for (uint64_t i = 0; i < size; i += page)
		p[i] = 1;
}

static void unmap(char *p)
{
	if (munmap(p, size))
		err(1, "munmap");
}

static void drop(char *p)
{
	if (madvise(p, size, MADV_DONTNEED))
		err(1, "madvise");
}

static void release(char *p)
{
	if (madvise(p, size, MADV_FREE))
		err(1, "madvise");
}

static void move(char *unused)
{
	char *to = home == region(0) ? region(1) : region(0);

	if (mremap(home, size, size, MREMAP_MAYMOVE | MREMAP_FIXED, to) != to)
		err(1, "mremap");
	home = to;
}

static void protect(char *unused)
{
	writable = !writable;
	if (mprotect(home, size, PROT_READ | (writable ? PROT_WRITE : 0)))
		err(1, "mprotect");
}

static void touch(char *p)
{
	map(p, PROT_READ | PROT_WRITE);
	write_to(p);
	unmap(p);
}

static void map_alone(char *p)
{
	map(p, PROT_READ | PROT_WRITE);
	unmap(p);
}

static void collapse(char *p)
{
	if (madvise(p, size, MADV_COLLAPSE))
		err(1, "madvise");
}

static void grow(char *unused)
{
	if (syscall(SYS_brk, heap + (long)size) != heap + (long)size)
		errx(1, "brk does not grow the heap");
	write_to((char *)heap);
	if (syscall(SYS_brk, heap) != heap)
		errx(1, "brk does not shrink the heap");
}

static const struct {
	void (*act)(char *p);
	bool uses_up; /* the memory that prepare() has written to */
} acts[] = {
	{ unmap, true }, { drop, true },       { release, true },
	{ move, false }, { protect, false },   { touch, false },
	{ grow, false }, { map_alone, false }, { collapse, true },
};
enum { UNMAP, DROP, RELEASE, MOVE, PROTECT, TOUCH, GROW, MAP, COLLAPSE };

/* Why this kernel does not collapse pages, or NULL; tries it. */
static const char *collapse_reason(void)
{
	char *p = memory_reserve(MEMORY_HUGE_PAGE);

	if (mprotect(p, MEMORY_HUGE_PAGE, PROT_READ | PROT_WRITE))
		err(1, "mprotect");
	*p = 1;
	bool can = !madvise(p, MEMORY_HUGE_PAGE, MADV_COLLAPSE);
	return can ? NULL : reason_errno("MADV_COLLAPSE");
}

static const char *supported(void)
{
	const char *reason = team_reason(bench_number(2));

	size = bench_number(1);
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	zeros = open("/dev/zero", O_RDONLY);
	if (bench_choice(0) == COLLAPSE) {
		page = MEMORY_HUGE_PAGE;
		reason = reason ? reason : collapse_reason();
	}
	if (reason || size % page || zeros < 0)
		return reason	   ? reason
		       : zeros < 0 ? "/dev/zero cannot be opened"
				   : "the size is not a multiple of a page";
	return memory_reason(size + MOST_BYTES);
}

static uint64_t limit(void)
{
	uint64_t most = MOST_BYTES / size;

	if (!acts[bench_choice(0)].uses_up)
		return 0;
	return most < 1 ? 1 : most < REGIONS ? most : REGIONS;
}

/* Whether memory written to may get huge pages; no kernel that lacks the call has them. */
static void permit_huge(bool permitted)
{
	if (prctl(PR_SET_THP_DISABLE, !permitted, 0, 0, 0))
		warn("prctl");
}

/* The regions lie a page apart, lest they become one mapping. */
static void setup(void)
{
	uint64_t n = limit();

	permit_huge(false);
	stride = size + page;
	page = (uint64_t)sysconf(_SC_PAGESIZE);
	area = memory_reserve((n < 2 ? 2 : n) * stride);
	home = area;
	map(home, PROT_READ | PROT_WRITE);
	write_to(home);
	team_start(bench_number(2));
}

static void prepare(uint64_t n)
{
	bool collapses = bench_choice(0) == COLLAPSE;

	heap = syscall(SYS_brk, 0);
	if (collapses)
		permit_huge(false);
	for (uint64_t i = 0; acts[bench_choice(0)].uses_up && i < n; i++) {
		map(region(i), PROT_READ | PROT_WRITE);
		write_to(region(i));
	}
	if (collapses) {
		permit_huge(true);
		huge = memory_huge_bytes();
	}
	team_gather();
}

static void run(uint64_t n)
{
	void (*act)(char *p) = acts[bench_choice(0)].act;
	uint64_t step = acts[bench_choice(0)].uses_up ? stride : 0;

	for (char *p = area; n--; p += step)
		act(p);
}

static const char *check(uint64_t n)
{
	bool good = true;

	switch (bench_choice(0)) {
	case UNMAP:
		for (uint64_t i = 0; i < n; i++)
			good &= retake(region(i));
		return good ? NULL : "a region is still mapped";
	case DROP:
		for (uint64_t i = 0; i < n; i++)
			good &= region(i)[0] == 0 && region(i)[size - 1] == 0;
		return good ? NULL : "a region still has its contents";
	case MOVE:
		good = home[0] == 1 && home[size - page] == 1;
		return good && retake(home == area ? region(1) : area) ? NULL
								       : "the memory has not moved";
	case PROTECT:
		good = (read(zeros, home, 1) == 1) == writable;
		return good ? NULL : "memory is not protected as it should be";
	case COLLAPSE:
		return memory_huge_bytes() - huge == n * size ? NULL : "no huge pages were made";
	case MAP:
	case TOUCH: return retake(area) ? NULL : "the memory is still mapped";
	}
	return NULL;
}

const struct bench bench = {
	.summary = "Mapping, unmapping, moving, protecting or touching SIZE bytes of memory.",
	.operation =
	    "one call; touch: mmap, a write to each page and munmap; heap: the same by brk; "
	    "map: mmap and munmap",
	.parameters = parameters,
	.kernel_entries = 1,
	.supported = supported,
	.setup = setup,
	.prepare = prepare,
	.run = run,
	.check = check,
	.limit = limit,
};
