/* SPDX-License-Identifier: MIT */
/* callargs.h - the arguments of a traced call, and what they point to where that matters. */
#ifndef CALLARGS_H
#define CALLARGS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "trace/event.h"

enum { CALLARGS_PATH_SIZE = 4096 };

/*
 * Thread tid begins the call whose id is in e: sets its args, and its path into *path, which becomes
 * CALLARGS_PATH_SIZE bytes of memory when it is first needed (the caller frees).
 */
void callargs_begin(pid_t tid, const uint64_t args[6], struct event *e, char **path);
/* The call has returned: adds the descriptors that a pipe or socketpair left in memory. */
void callargs_end(pid_t tid, struct event *e);
/* Does this clone or clone3 share the parent's descriptors? */
bool callargs_share_files(const struct event *e);

#endif
