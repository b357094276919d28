/* SPDX-License-Identifier: MIT */
/*
 * semaphores.h - a set of System V semaphores, which would outlive the process and is removed at
 * its end.
 */
#ifndef COMMON_SEMAPHORES_H
#define COMMON_SEMAPHORES_H

#include <stdbool.h>

/* Why there are none, or NULL; makes the set of two, each with the value 0. */
const char *semaphores_reason(void);
/* semop(2): adds change to semaphore i; waits while the value is too low.  True on error. */
bool semaphores_add(unsigned short i, short change);

#endif
