/* SPDX-License-Identifier: MIT */
/* callargs.h - the arguments of a traced call, and what they point to in the memory of the process. */
#ifndef CALLARGS_H
#define CALLARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/event.h"

enum { CALLARGS_PATH_SIZE = 4096 };

/*
 * Thread tid begins the call whose id is in e: sets its args and its path, which is read into path.
 */
void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e,
		    char path[CALLARGS_PATH_SIZE]);
/*
 * The call has returned: adds the descriptors that a pipe or socketpair left in memory.  False when the path or these
 * could not be read.
 */
bool callargs_end(pid_t tid, struct event *e);
/* All n bytes at address of the memory of stopped thread tid; false when they cannot be read. */
bool peek(pid_t tid, uint64_t address, void *out, size_t n);

#endif
