/* SPDX-License-Identifier: MIT */
/* cold.h - caches as a program finds them that has not run for a while. */
#ifndef COLD_H
#define COLD_H

#include <stddef.h>

/* Bytes of the largest cache that the kernel knows of; 8 MB when it knows of none. */
size_t cold_cache_size(void);
/* Replaces the contents of all data caches and of the TLB by writing to twice as much memory as the
 * largest cache holds, at most 256 MB. */
void cold_evict(void);

#endif
