/* SPDX-License-Identifier: MIT */
#include "machine/caches.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "util/file.h"
#include "util/number.h"

enum { LINE = 64 };

/* Data in base pages or to empty the caches with, as large as it has been asked for. */
static struct data {
	unsigned char *at;
	size_t bytes;
} footprint, everything;

static unsigned char *code; /* a jump to the next line in each line, and back at the end */
static bool has_tried_code;

/* What the kernel says of the largest cache, in bytes; 8 MB when it says nothing. */
static uint64_t stated_size(void)
{
	uint64_t largest = 0, size;

	for (int i = 0; i < 8; i++) {
		char path[96], line[32];

		snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu0/cache/index%d/size", i);
		if (file_first_line(path, line, sizeof(line)) && number_parse_size(line, &size) &&
		    size > largest)
			largest = size;
	}
	return largest ? largest : 8 << 20;
}

/* How many bytes empty all caches. */
static size_t size_of_all(void)
{
	const char *measured = getenv(CACHES_VARIABLE);
	uint64_t size;

	if (measured && number_parse_size(measured, &size) && size >= LINE)
		return 2 * size;
	size = 2 * stated_size();
	return size < CACHES_DATA ? size : CACHES_DATA;
}

/* Memory that children do not have: copying its page tables would make fork(2) slower. */
static void *reserve(size_t bytes, int pages)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_DONTFORK);
	madvise(p, bytes, pages);
	return p;
}

/* Makes the code, if that is possible here. */
static void make_code(void)
{
#if defined(__x86_64__)
	static const unsigned char jump[] = { 0xeb, LINE - 2 }, back[] = { 0xc3 };
#elif defined(__aarch64__)
	static const unsigned char jump[] = { LINE / 4, 0, 0, 0x14 };
	static const unsigned char back[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
	static const unsigned char jump[1], back[1]; /* not known */
#endif

	has_tried_code = true;
	if (!jump[0] || !(code = reserve(CACHES_CODE, MADV_NOHUGEPAGE)))
		return;
	for (size_t i = 0; i < CACHES_CODE; i += LINE)
		memcpy(code + i, jump, sizeof(jump));
	memcpy(code + CACHES_CODE - LINE, back, sizeof(back));
	__builtin___clear_cache((char *)code, (char *)code + CACHES_CODE);
	if (!mprotect(code, CACHES_CODE, PROT_READ | PROT_EXEC))
		return;
	munmap(code, CACHES_CODE);
	code = NULL;
}

bool caches_run_code(void)
{
	return code != NULL;
}

/* Runs the last lines of the code, which return. */
static void run_code(uint64_t bytes)
{
	unsigned char *at = code + CACHES_CODE - bytes / LINE * LINE;
	void (*f)(void);

	memcpy(&f, &at, sizeof(f));
	f();
}

static int prepare(struct data *d, size_t bytes, int pages, struct error *e)
{
	if (!has_tried_code)
		make_code();
	if (d->bytes >= bytes)
		return 0;
	if (d->at)
		munmap(d->at, d->bytes);
	*d = (struct data){ reserve(bytes, pages), bytes };
	if (!d->at) {
		d->bytes = 0;
		return error_set(e, "no memory to fill the caches with");
	}
	return 0; /* its pages come when they are touched */
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

int caches_touch(uint64_t bytes, struct error *e)
{
	bool all = bytes == CACHES_ALL;
	struct data *d = all ? &everything : &footprint;
	size_t n = all ? size_of_all() : least(bytes, CACHES_DATA);

	if (prepare(d, n, all ? MADV_HUGEPAGE : MADV_NOHUGEPAGE, e))
		return -1;
	if (code && bytes >= LINE)
		run_code(least(bytes, CACHES_CODE));
	for (size_t i = 0; i < n; i += LINE)
		((volatile unsigned char *)d->at)[i]++;
	return 0;
}
