/* SPDX-License-Identifier: MIT */
/*
 * scratch.h - files for benchmarks to work on, in the directory under test (bench_directory).
 * Part of the front end of a benchmark program: what fails ends it with status 1.
 */
#ifndef SCRATCH_H
#define SCRATCH_H

#include <stdint.h>

enum { SCRATCH_BYTE = 0x5a };
#define SCRATCH_FILE "file" /* what scratch_file calls it */

/* Why size bytes cannot be written below the directory under test, or NULL. */
const char *scratch_reason(uint64_t size);
/* The directory, open. */
int scratch_directory(void);
/* A fresh file of size bytes, each SCRATCH_BYTE, written and so in the page cache; open for reading
 * and writing, at its start. */
int scratch_file(uint64_t size);

#endif
