/* SPDX-License-Identifier: MIT */
/*
 * memory.h - buffers for benchmarks that touch memory: mapped, and every page really there.
 * Part of the front end of a benchmark program: what fails ends it with status 1.
 */
#ifndef MEMORY_H
#define MEMORY_H

#include <stdbool.h>
#include <stdint.h>

#include "measure/bench.h"

enum memory_pages {
	MEMORY_USUAL, /* what an application gets that asks for nothing */
	MEMORY_SMALL, /* base pages only */
	MEMORY_HUGE,  /* 2 MB pages only: memory_huge_reason() says why not */
};

enum { MEMORY_HUGE_PAGE = 2 << 20, MEMORY_LINE = 64 };

/* The first parameter of all these benchmarks: SIZE, a multiple of MEMORY_LINE, so that loops need
 * no tail; suggested is the grid of the 1997 suite, from the first cache to memory. */
#define MEMORY_SIZE_PARAMETER \
	{ \
		"size", BENCH_SIZE, "2k 4k 8k 16k 32k 64k 128k 256k 512k 1m 2m 4m 8m 16m 32m 64m", \
		    MEMORY_LINE, UINT64_C(1) << 40, .axis = true, .help = "bytes in the buffer" \
	}
/* The table for those that have no other parameter. */
extern const struct bench_parameter memory_parameters[];
/* SIZE. */
uint64_t memory_size(void);
/* Why a buffer of SIZE bytes cannot be had, or NULL. */
const char *memory_supported(void);

/* Why buffers of size bytes in all cannot be had by this process, or NULL. */
const char *memory_reason(uint64_t size);
/* Why 2 MB pages cannot be had here, or NULL: found out by mapping one. */
const char *memory_huge_reason(void);

/*
 * A fresh buffer of size bytes at a multiple of 2 MB, each 64-bit word holding word (not zero, or
 * reads might all come from the kernel's one page of zeros).  Unmapped when the program ends.
 */
void *memory_new(uint64_t size, enum memory_pages pages, uint64_t word);
/* Address space for size bytes at a multiple of 2 MB that nothing else is mapped into; to be
 * mapped over with MAP_FIXED. */
char *memory_reserve(uint64_t size);
/* Minor faults of this process so far. */
uint64_t memory_faults(void);

/* Whether p[size], at any alignment, holds word in all of about a thousand places, its end
 * included. */
bool memory_holds(const void *p, uint64_t size, uint64_t word);
/* Writes word to these places alone, so that a batch that does nothing is found out. */
void memory_spoil(void *p, uint64_t size, uint64_t word);

#endif
