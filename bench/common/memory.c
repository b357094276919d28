/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "stats/random.h"
#include "util/file.h"
#include "util/number.h"
#include "util/xalloc.h"

const struct bench_parameter memory_parameters[] = { MEMORY_SIZE_PARAMETER, { 0 } };

uint64_t memory_size(void)
{
	return bench_number(0);
}

const char *memory_supported(void)
{
	return memory_reason(memory_size());
}

/* The line "key: N kB" in a file of /proc, in bytes; fallback without such a line. */
static uint64_t proc_bytes(const char *path, const char *key, uint64_t fallback)
{
	char line[256];
	size_t n = strlen(key);
	FILE *f = fopen(path, "r");
	uint64_t bytes = fallback;

	if (!f)
		return fallback;
	while (fgets(line, sizeof(line), f))
		if (!strncmp(line, key, n) && line[n] == ':')
			bytes = strtoull(line + n + 1, NULL, 10) * 1024;
	fclose(f);
	return bytes;
}

/* Bytes left below the limit of the control group; UINT64_MAX without a limit. */
static uint64_t group_bytes(void)
{
	char limit[32], used[32];
	uint64_t most, now;

	if (!file_first_line("/sys/fs/cgroup/memory.max", limit, sizeof(limit)) ||
	    !file_first_line("/sys/fs/cgroup/memory.current", used, sizeof(used)) ||
	    !number_parse_u64(limit, &most) || !number_parse_u64(used, &now))
		return UINT64_MAX;
	return most > now ? most - now : 0;
}

const char *memory_reason(uint64_t size)
{
	/* Half as much again stays free, so that the machine does not swap. */
	uint64_t need = size + size / 2;
	struct rlimit space;

	if (size % MEMORY_LINE)
		return "the size is not a multiple of 64 bytes";
	if (need > proc_bytes("/proc/meminfo", "MemAvailable", UINT64_MAX))
		return "not enough free memory";
	if (need > group_bytes())
		return "the memory limit of the control group is too low";
	if (!getrlimit(RLIMIT_AS, &space) && space.rlim_cur != RLIM_INFINITY &&
	    need > space.rlim_cur)
		return "the limit of address space (ulimit -v) is too low";
	return NULL;
}

char *memory_reserve(uint64_t size)
{
	char *p = mmap(NULL, size + MEMORY_HUGE_PAGE, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap of %llu bytes", (unsigned long long)size);
	return p + (-(uintptr_t)p & (MEMORY_HUGE_PAGE - 1));
}

static void *map(uint64_t size, enum memory_pages pages)
{
	char *p = memory_reserve(size);

	if (mmap(p, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		err(1, "mmap of %llu bytes", (unsigned long long)size);
	/* Fails with EINVAL on a kernel without huge pages. */
	if (pages != MEMORY_USUAL)
		madvise(p, size, pages == MEMORY_HUGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
	return p;
}

uint64_t memory_huge_bytes(void)
{
	return proc_bytes("/proc/self/smaps_rollup", "AnonHugePages", 0);
}

const char *memory_huge_reason(void)
{
	uint64_t before = memory_huge_bytes();
	char *p = map(MEMORY_HUGE_PAGE, MEMORY_HUGE);
	uint64_t gained;

	*p = 1;
	gained = memory_huge_bytes() - before;
	munmap(p, MEMORY_HUGE_PAGE);
	return gained == MEMORY_HUGE_PAGE ? NULL : "MADV_HUGEPAGE gives no 2 MB page here";
}

void *memory_new(uint64_t size, enum memory_pages pages, uint64_t word)
{
	uint64_t before = memory_huge_bytes(), whole = size;
	volatile uint64_t *p;

	if (pages == MEMORY_HUGE)
		whole = (size + MEMORY_HUGE_PAGE - 1) / MEMORY_HUGE_PAGE * MEMORY_HUGE_PAGE;
	p = map(whole, pages);
	for (uint64_t i = 0; i < whole / sizeof(*p); i++)
		p[i] = word;
	if (pages == MEMORY_HUGE && memory_huge_bytes() - before < whole)
		errx(1, "only %llu of %llu bytes are in 2 MB pages: memory is fragmented",
		     (unsigned long long)(memory_huge_bytes() - before), (unsigned long long)whole);
	return (void *)p;
}

void *memory_shared(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		err(1, "mmap of %zu bytes", size);
	return p;
}

size_t *memory_sequence(size_t n, bool random)
{
	size_t *order = xcalloc(n, sizeof(*order));
	struct random r;

	for (size_t i = 0; i < n; i++)
		order[i] = i;
	random_seed(&r, random_fresh_seed());
	if (random)
		random_shuffle(&r, order, n);
	return order;
}

/* The words of p[size] that are checked: number 0 is the first, number PLACES the last. */
enum { PLACES = 1000 };

static char *place(const void *p, uint64_t size, uint64_t i)
{
	uint64_t last = size / sizeof(uint64_t) - 1;

	return (char *)(uintptr_t)p + last * i / PLACES * sizeof(uint64_t);
}

bool memory_holds(const void *p, uint64_t size, uint64_t word)
{
	uint64_t found = word;

	for (uint64_t i = 0; i <= PLACES && found == word; i++)
		memcpy(&found, place(p, size, i), sizeof(found));
	return found == word;
}

void memory_spoil(void *p, uint64_t size, uint64_t word)
{
	for (uint64_t i = 0; i <= PLACES; i++)
		memcpy(place(p, size, i), &word, sizeof(word));
}
