/* SPDX-License-Identifier: MIT */
/* permission.h - why ptrace(2) was refused, and what can be done about it. */
#ifndef PERMISSION_H
#define PERMISSION_H

#include <sys/types.h>

#include "util/error.h"

/* Explains the errno that PTRACE_SEIZE of pid left, and keeps it.  Returns -1. */
int permission_refused(pid_t pid, struct error *e);

#endif
