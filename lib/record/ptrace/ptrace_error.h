/* SPDX-License-Identifier: MIT */
/* ptrace_error.h - why ptrace(2) was refused, and what can be done about it. */
#ifndef PTRACE_ERROR_H
#define PTRACE_ERROR_H

#include <sys/types.h>

#include "util/error.h"

/* Explains in *e the errno that PTRACE_SEIZE of pid (0: of a child of ours) left, and keeps it.  Returns -1. */
int ptrace_error(pid_t pid, struct error *e);

#endif
