/* SPDX-License-Identifier: MIT */
/*
 * mark_file.h - the file of the marks of one thread, in the byte order of its machine: windows of
 * MARK_WINDOW bytes, of slots of 32 bytes.
 *
 * The first slots of the file are its head.  A slot without a verb ends its window.  The name of a
 * number comes before the first mark that has it: a slot with MARK_NAME, then the bytes.
 */
#ifndef MARK_FILE_H
#define MARK_FILE_H

#include <stdint.h>

#include "mark/osvec-mark.h"

#define MARK_MAGIC "osvecmrk"

enum {
	MARK_VERSION = 1,
	MARK_WINDOW = 1 << 20,
	MARK_NAME = 255,      /* in place of a verb; amount: its bytes */
	MARK_NAME_MOST = 255, /* bytes; longer ones are cut */
	/* The third argument of lseek(-1, CLOCK_MONOTONIC in ns, this), which each thread calls in
	 * front of its first mark: it fails, but a trace of system calls shows which times of its
	 * own are those of the marks. */
	MARK_SYNC = 0x6f737663,
};

struct mark_slot {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t verb, name;
	uint64_t amount, tag;
};

struct mark_head {
	char magic[8];
	uint32_t version, pid, tid, unused;
	uint64_t started; /* as time above */
	uint64_t zero[4];
};

/* For libraries that note first and mark later: the time of a mark, and a mark of a time that is
 * not before the last one of the thread; 0: now. */
uint64_t osvec_mark_time(void);
void osvec_mark_at(uint64_t time, enum osvec_verb verb, const char *name, uint64_t amount,
		   uint64_t tag);

#endif
