/* SPDX-License-Identifier: MIT */
/* Buffers and files of benchmarks. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../bench/common/memory.h"
#include "../../bench/common/files.h"
#include "../tap.h"

static void test_memory(void)
{
	enum { SIZE = 1 << 20 };
	uint64_t faults = memory_faults();
	uint64_t *p = memory_new(SIZE, MEMORY_SMALL, 7);
	char *shifted = (char *)p + 3;

	cmp_int((uintptr_t)p % MEMORY_HUGE_PAGE, 0, "buffers are aligned to 2 MB");
	ok(memory_holds(p, SIZE, 7), "each word is what was asked for");
	ok(!memory_holds(p, SIZE, 8), "and no other");
	p[SIZE / sizeof(*p) - 1] = 8;
	ok(!memory_holds(p, SIZE, 7), "the last word is looked at");
	memset(shifted, 0, SIZE / 2);
	ok(memory_holds(shifted, SIZE / 2, 0), "at any alignment");
	memory_spoil(shifted, SIZE / 2, 9);
	ok(memory_holds(shifted, SIZE / 2, 9), "what was spoilt is seen");
	ok(p[2] == 0 && p[SIZE / 2 / sizeof(*p) + 1] == 7, "and no more was");
	faults = memory_faults() - faults;
	if (faults)
		ok(faults >= SIZE / (uint64_t)sysconf(_SC_PAGESIZE), "each page was faulted in");
	else
		pass("each page was faulted in # SKIP this kernel counts no faults");
	ok(memory_reason(100) != NULL, "100 bytes are no multiple of 64");
	ok(memory_reason(UINT64_C(1) << 50) != NULL, "nobody has 1 PB of memory");
	ok(!memory_reason(4096), "4 KB are to be had");
}

static void test_huge(void)
{
	const char *reason = memory_huge_reason();

	if (reason) {
		pass("2 MB pages # SKIP %s", reason);
		return;
	}
	ok(memory_holds(memory_new(4 << 20, MEMORY_HUGE, 5), 4 << 20, 5), "2 MB pages hold words");
}

static void test_scratch(void)
{
	unsigned char first, last;
	struct stat st;
	int fd = files_make(100001), directory = files_directory();

	ok(!fstat(fd, &st) && st.st_size == 100001, "a file has the size asked for");
	ok(pread(fd, &first, 1, 0) == 1 && pread(fd, &last, 1, 100000) == 1 &&
	       first == FILES_BYTE && last == FILES_BYTE,
	   "and is full of the byte promised");
	ok(!faccessat(directory, FILES_FILE, R_OK | W_OK, 0), "it lies in the directory");
	ok(files_reason(UINT64_C(1) << 60) != NULL, "no disk here has an exabyte");
	close(fd);
	close(directory);
}

int main(void)
{
	test_memory();
	test_huge();
	test_scratch();
	return done_testing();
}
