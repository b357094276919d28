/* SPDX-License-Identifier: MIT */
/* caches.h - takes the place of what CPUs hold in their caches, as a program does between calls. */
#ifndef MACHINE_CACHES_H
#define MACHINE_CACHES_H

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"

enum {
	CACHES_DATA = 256 << 20, /* the most data, and the most code, that is touched */
	CACHES_CODE = 8 << 20,
};
#define CACHES_ALL UINT64_MAX /* for caches_touch: as much as empties the caches */

/* The environment variable with a size that no cache holds, as hbench has measured it. */
#define CACHES_VARIABLE "OSVEC_CACHE"

/*
 * On the CPU of the calling thread, runs `bytes` of code, at most CACHES_CODE, and then writes to
 * every line of as much data, at most CACHES_DATA; all in base pages, so that the TLBs fill, too.
 * CACHES_ALL is twice what CACHES_VARIABLE says, or else twice what the kernel says of the largest
 * cache, but at most CACHES_DATA, as virtual machines often state the caches of their host; in huge
 * pages where there are.  Branch predictors keep part of what they have.  0, or -1 and *e when
 * there is no memory.
 */
int caches_touch(uint64_t bytes, struct error *e);
/* Whether caches_touch has run code: false before it, and where the system permits to make none. */
bool caches_run_code(void);

#endif
