/* SPDX-License-Identifier: MIT */
/* cleanup.h - removes what would outlive a benchmark: directories, semaphores, message queues. */
#ifndef COMMON_CLEANUP_H
#define COMMON_CLEANUP_H

/*
 * Calls f when this process ends, but none of its children: by exit(3), or by a signal that is not
 * ignored, such as SIGTERM, which it still dies of.  f makes only calls that are safe in a signal
 * handler.
 */
void cleanup_register(void (*f)(void));

#endif
