/* SPDX-License-Identifier: MIT */
/* cgroup.h - control groups of the unified hierarchy (version 2) and their processes. */
#ifndef CGROUP_H
#define CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/vec.h"

struct cgroup_processes {
	pid_t *v;
	size_t n, cap;
};

/* The number by which the kernel knows the group of that directory; 0 and *e when it is none. */
uint64_t cgroup_number(const char *path, struct error *e);
/* Adds the processes of the group and of those below it to *out, which the caller frees. */
void cgroup_list(const char *path, struct cgroup_processes *out);
/* The directory of the group that all processes are in or below of, in fresh memory; NULL: none is
 * mounted. */
char *cgroup_root(void);
/* The path of the group that a process is in, below the root of the hierarchy; NULL: it has ended,
 * or there is no hierarchy.  The caller frees. */
char *cgroup_of(pid_t pid);

#endif
