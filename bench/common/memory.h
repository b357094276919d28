/* SPDX-License-Identifier: MIT */
/*
 * memory.h - buffers for benchmarks of memory, with every page allocated.  Errors end the program
 * with status 1.
 */
#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/bench.h"

enum memory_pages {
	MEMORY_USUAL, /* the kernel decides */
	MEMORY_SMALL, /* base pages only */
	MEMORY_HUGE,  /* 2 MB pages only; see memory_huge_reason() */
};

enum { MEMORY_HUGE_PAGE = 2 << 20, MEMORY_LINE = 64 };

/* The first parameter: SIZE, a multiple of MEMORY_LINE, so that unrolled loops have no remainder.
 * The grid is that of the 1997 suite, from the first cache to memory. */
#define MEMORY_SIZE_PARAMETER \
	{ \
		"size", BENCH_SIZE, "2k 4k 8k 16k 32k 64k 128k 256k 512k 1m 2m 4m 8m 16m 32m 64m", \
		    MEMORY_LINE, UINT64_C(1) << 40, .axis = true, .help = "bytes in the buffer" \
	}
/* SIZE alone. */
extern const struct bench_parameter memory_parameters[];
/* The value of SIZE. */
uint64_t memory_size(void);
/* Why a buffer of SIZE bytes cannot be allocated, or NULL. */
const char *memory_supported(void);

/* The same for size bytes. */
const char *memory_reason(uint64_t size);
/* Why 2 MB pages cannot be allocated here, or NULL; tries to map one. */
const char *memory_huge_reason(void);

/* A new buffer of size bytes, aligned to 2 MB, filled with word, which is not zero, lest the kernel
 * map its page of zeros.  Never freed. */
void *memory_new(uint64_t size, enum memory_pages pages, uint64_t word);
/* Bytes of this process in huge pages; 0 if the kernel does not say. */
uint64_t memory_huge_bytes(void);
/* New memory of size zeros, which processes forked from now on share.  Never freed. */
void *memory_shared(size_t size);
/* The numbers from 0 to n - 1 in order, or in a random one that is new in each process.  Never
 * freed. */
size_t *memory_sequence(size_t n, bool random);
/* Reserves size bytes of address space, aligned to 2 MB, to map with MAP_FIXED. */
char *memory_reserve(uint64_t size);

/* Whether p[size], at any alignment, holds word at all of about a thousand places, including the
 * last word. */
bool memory_holds(const void *p, uint64_t size, uint64_t word);
/* Writes word to these places only, so that the check of a batch that did nothing fails. */
void memory_spoil(void *p, uint64_t size, uint64_t word);

#endif
