/* SPDX-License-Identifier: MIT */
/* caches.h - empties the caches of CPUs, as for a program that has not run for a while. */
#ifndef CACHES_H
#define CACHES_H

#include <stddef.h>

#include "util/error.h"

/*
 * On each of n CPUs (-1: wherever the thread runs), fills the TLBs and the data caches up to 128 MB
 * with other data, and the instruction cache and its TLB with other code where the system permits
 * to make some.  Branch predictors keep part of what they have.  The calling thread ends pinned to
 * the first CPU.  0, or -1 and *e when there is no memory or a CPU that may not be used.
 */
int caches_empty(const int *cpus, size_t n, struct error *e);

#endif
