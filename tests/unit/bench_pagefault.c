/* SPDX-License-Identifier: MIT */
/* How lat_pagefault maps its pages: a shared page of a file is no cheaper to touch than a private
 * one is everywhere, so that no time tells. */
#pragma GCC diagnostic ignored "-Wunused-parameter"
#include <stdbool.h>
#include <sys/mman.h>

#include "../tap.h"

static void *see_map(void *at, size_t n, int protection, int flags, int fd, off_t offset);
#define mmap see_map
#include "../../bench/lat_pagefault.c"
#undef mmap

#include "../bench_inside.h"

static struct {
	bool shared, file, writable;
} last;

static void *see_map(void *at, size_t n, int protection, int flags, int fd, off_t offset)
{
	last.shared = (flags & MAP_TYPE) == MAP_SHARED;
	last.file = fd >= 0;
	last.writable = protection & PROT_WRITE;
	return mmap(at, n, protection, flags, fd, offset);
}

static bool is_memory(void)
{
	return !last.shared && !last.file && last.writable;
}

static bool is_shared_memory(void)
{
	return last.shared && !last.file && last.writable;
}

static bool is_page_cache(void)
{
	return last.shared && last.file && !last.writable;
}

static bool is_shared_file(void)
{
	return last.shared && last.file && last.writable;
}

static bool is_private_file(void)
{
	return !last.shared && last.file && last.writable;
}

static bool is_program(void)
{
	return !last.shared && last.file && !last.writable && own.stride == 64 << 10;
}

int main(void)
{
	inside("lat_pagefault -GB3 -N100 -D/tmp anon", is_memory, "memory");
	inside("lat_pagefault -GB3 -N100 -D/tmp shmem", is_shared_memory, "shared memory");
	inside("lat_pagefault -GB3 -N100 -D/tmp file", is_page_cache, "a file to read");
	inside("lat_pagefault -GB3 -N100 -D/tmp file-write", is_shared_file, "a file to write");
	inside("lat_pagefault -GB3 -N100 -D/tmp file-private", is_private_file, "a copy of a file");
	inside("lat_pagefault -GB3 -N100 around", is_program, "a program of the system");
	return done_testing();
}
