/* SPDX-License-Identifier: MIT */
/* cpus.h - lists of CPUs as people write them: 0,2-5. */
#ifndef CPUS_H
#define CPUS_H

#include <sched.h>
#include <stddef.h>

#include "util/error.h"

/* The CPUs this process may use, ascending, into out[CPU_SETSIZE]; returns how many. */
size_t cpus_allowed(int *out);
/* Parses a list in which every CPU is one of those; 0, or -1 and *e. */
int cpus_parse(const char *list, int *out, size_t *n, struct error *e);

#endif
