/* SPDX-License-Identifier: MIT */
/* cgroup.h - finds control groups of the unified hierarchy (version 2) and their processes. */
#ifndef RECORD_CGROUP_H
#define RECORD_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "util/error.h"
#include "util/vec.h"

struct cgroup_processes {
	pid_t *v;
	size_t n, cap;
};

/* Returns the number by which the kernel knows the control group whose directory is `path`.  If it
 * is not the directory of one, returns 0 and sets *e and errno. */
uint64_t cgroup_number(const char *path, struct error *e);
/* Adds the processes of the group and of all groups below it to *out, which the caller frees. */
void cgroup_list(const char *path, struct cgroup_processes *out);
/* Returns the directory at which the hierarchy is mounted, that of the group which all processes
 * are in or below, or NULL if it is not mounted.  The caller frees it. */
char *cgroup_root(void);
/* Returns the path, below the root of the hierarchy, of the group that a process is in, or NULL if
 * the process has ended or there is no hierarchy.  The caller frees it. */
char *cgroup_of(pid_t pid);

#endif
