/* SPDX-License-Identifier: MIT */
/*
 * mix.h - mixtures of calls: the sequence of bench.sequence, with work of the program after each.
 *
 * That work touches other data and code as the harness does for -F (machine/caches.h), and its
 * time, as it is when no calls come between, is subtracted: what is left are the calls, and all
 * that each of them and the program take from the other.
 */
#ifndef COMMON_MIX_H
#define COMMON_MIX_H

#include "measure/bench.h"
#include "files.h"

/* The FOOTPRINT of the work. */
extern const struct bench_parameter mix_parameters[];
/* n times the sequence, with the work. */
void mix_run(uint64_t n);
/* The work alone. */
void mix_overhead(uint64_t n);

/* A file of MIX_SIZE bytes, FILES_BYTE each, eight components below the working directory, which is
 * that of files_path(). */
#define MIX_PATH "d/d/d/d/d/d/d/" FILES_FILE
enum { MIX_SIZE = 4096 };
void mix_make_file(void);
/* Steps: open(2), fstat(2), pread(2) into mix_buffer, close(2) of this file. */
void mix_open(uint64_t i);
void mix_fstat(uint64_t i);
void mix_read(uint64_t i);
void mix_close(uint64_t i);
extern char mix_buffer[MIX_SIZE];

#endif
