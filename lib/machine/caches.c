/* SPDX-License-Identifier: MIT */
#include "machine/caches.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "machine/cpus.h"
#include "util/file.h"
#include "util/number.h"

enum {
	LINE = 64,
	PAGE = 4096,
	CODE = 8 << 20, /* bytes: a page for each entry of a large TLB */
	DATA_MOST = 256 << 20,
};

static unsigned char *data;
static size_t data_size;
static unsigned char *code; /* a function in each page, NULL: not permitted */

/* The size of the largest cache in bytes, or 8 MB when the kernel does not say. */
static size_t cache_size(void)
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

/* Memory that children do not have: copying its page tables would make fork(2) slower. */
static void *reserve(size_t bytes)
{
	void *p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		return NULL;
	madvise(p, bytes, MADV_DONTFORK);
	madvise(p, bytes, MADV_HUGEPAGE);
	return p;
}

/* The function in page i begins on another line than those of the pages before. */
static unsigned char *function(size_t i)
{
	return code + i * PAGE + i * LINE % PAGE;
}

/* Writes a function that only returns into each page. */
static void make_code(void)
{
#if defined(__x86_64__)
	static const unsigned char ret[] = { 0xc3 };
#elif defined(__aarch64__)
	static const unsigned char ret[] = { 0xc0, 0x03, 0x5f, 0xd6 };
#else
	static const unsigned char ret[1]; /* not known */
#endif

	if (!ret[0] || !(code = reserve(CODE)))
		return;
	for (size_t i = 0; i < CODE / PAGE; i++)
		memcpy(function(i), ret, sizeof(ret));
	__builtin___clear_cache((char *)code, (char *)code + CODE);
	if (!mprotect(code, CODE, PROT_READ | PROT_EXEC))
		return;
	munmap(code, CODE);
	code = NULL;
}

static int prepare(struct error *e)
{
	if (data)
		return 0;
	data_size = 2 * cache_size();
	data_size = data_size < DATA_MOST ? data_size : DATA_MOST;
	data = reserve(data_size);
	if (!data)
		return error_set(e, "no memory to empty the caches with");
	memset(data, 1, data_size);
	make_code();
	return 0;
}

int caches_empty(const int *cpus, size_t n, struct error *e)
{
	if (prepare(e))
		return -1;
	for (size_t k = n; k--;) {
		if (cpus_pin(cpus[k], e))
			return -1;
		for (size_t i = 0; code && i < CODE / PAGE; i++) {
			void (*f)(void);
			unsigned char *at = function(i);

			memcpy(&f, &at, sizeof(f));
			f();
		}
		for (size_t i = 0; i < data_size; i += LINE)
			((volatile unsigned char *)data)[i]++;
	}
	return 0;
}
