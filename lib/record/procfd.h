/* SPDX-License-Identifier: MIT */
/* procfd.h - what a descriptor of a process is, asked from /proc. */
#ifndef PROCFD_H
#define PROCFD_H

#include <stddef.h>
#include <sys/types.h>

#include "trace/event.h"

/*
 * The kind of descriptor fd of thread tid, and its name (path, "pipe:[12345]") unless name is
 * NULL.  FD_UNKNOWN and "" when it is not open or /proc does not tell.
 */
enum fd_kind procfd_look(pid_t tid, int fd, char *name, size_t n);

#endif
