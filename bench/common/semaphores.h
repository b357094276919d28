/* SPDX-License-Identifier: MIT */
/*
 * semaphores.h - a set of System V semaphores, removed by exit(3), SIGINT, SIGTERM and SIGHUP; it
 * would outlive the process.
 */
#ifndef SEMAPHORES_H
#define SEMAPHORES_H

#include <stdbool.h>

/* Why there are none, or NULL; makes the set of two, each with the value 0. */
const char *semaphores_reason(void);
/* semop(2): adds change to semaphore i; waits while the value is too low.  True on error. */
bool semaphores_add(unsigned short i, short change);

#endif
