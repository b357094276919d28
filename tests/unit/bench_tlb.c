/* SPDX-License-Identifier: MIT */
/* Where the lines of lat_tlb lie: times tell pages from lines, but not the sets of the caches. */
#include "../../bench/lat_tlb.c"

#include "../bench_inside.h"

enum { SETS = 64 }; /* at least, by the bits of the offset within a page */

static char *first(void)
{
	struct line *least = lines[0];

	for (size_t i = 0; i < nlines; i++)
		least = lines[i] < least ? lines[i] : least;
	return (char *)((uintptr_t)least & ~(uintptr_t)4095);
}

/* A line in each page, and as many at each offset. */
static bool is_spread(void)
{
	size_t pages[4096] = { 0 }, sets[SETS] = { 0 }, bad = nlines != 4096;

	for (size_t i = 0; i < nlines; i++) {
		size_t offset = (size_t)((char *)lines[i] - first());

		pages[offset / 4096 % 4096]++;
		sets[offset / MEMORY_LINE % SETS]++;
	}
	for (size_t i = 0; i < nlines; i++)
		bad += pages[i % 4096] != 1 || sets[i % SETS] != nlines / SETS;
	return !bad;
}

/* No farther apart than so many lines are. */
static bool is_packed(void)
{
	for (size_t i = 0; i < nlines; i++)
		if ((char *)lines[i] >= first() + nlines * MEMORY_LINE)
			return false;
	return lines[0] != lines[1];
}

int main(void)
{
	if (sysconf(_SC_PAGESIZE) != 4096) {
		skip("pages are not of 4096 bytes", 2);
		return done_testing();
	}
	inside("lat_tlb -GN10000 4096 spread", is_spread, "spread over pages and sets");
	inside("lat_tlb -GN10000 4096 packed", is_packed, "together");
	return done_testing();
}
