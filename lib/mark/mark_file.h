/* SPDX-License-Identifier: MIT */
/*
 * mark_file.h - the format of mark files.  A file has the marks of one thread in the byte order of
 * its machine.  It consists of windows of MARK_WINDOW bytes, and a window of slots of 32 bytes.
 *
 * The first slots of the file are its header, struct mark_head.  A slot without a verb ends its
 * window.  A name is defined before the first mark that uses its number: by a slot with MARK_NAME,
 * followed by the bytes of the name.
 */
#ifndef MARK_MARK_FILE_H
#define MARK_MARK_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "mark/osvec-mark.h"

#define MARK_MAGIC "osvecmrk"

enum {
	MARK_VERSION = 1,
	MARK_WINDOW = 1 << 20,
	MARK_NAME = 255,       /* instead of a verb: defines a name of `amount` bytes */
	MARK_NAME_MOST = 4351, /* bytes, enough for a path; longer names are cut */
	/*
	 * The third argument of lseek(-1, CLOCK_MONOTONIC in ns, MARK_SYNC).  Each thread makes
	 * this call, which fails, before the time of its first mark: its entry in a trace of system
	 * calls relates the clock of the trace to the clock of the marks.
	 */
	MARK_SYNC = 0x6f737663,
};

/* The state after which a file has no more marks although its thread made some: there was no room.
 */
#define MARK_ENDED "(no room for more marks)"

struct mark_slot {
	uint64_t time; /* CLOCK_MONOTONIC, ns */
	uint32_t verb, name;
	uint64_t amount, tag;
};

struct mark_head {
	char magic[8];
	uint32_t version, pid, tid, unused;
	uint64_t started; /* CLOCK_MONOTONIC, ns */
	uint64_t zero[4];
};

/* Whether a mark with that verb is what a thread does after it waited for room (full) or for an
 * element (not full). */
static inline bool mark_ends_wait(unsigned verb, bool full)
{
	return full ? verb == OSVEC_ENQUEUE || verb == OSVEC_RESERVE
		    : verb == OSVEC_DEQUEUE || verb == OSVEC_PEEK;
}

/* For libraries that write a mark later than what it describes: osvec_mark_time() returns the time
 * to pass to osvec_mark_at(), which must not be before the thread's last mark; 0 means now. */
uint64_t osvec_mark_time(void);
void osvec_mark_at(uint64_t time, enum osvec_verb verb, const char *name, uint64_t amount,
		   uint64_t tag);

#endif
