/* SPDX-License-Identifier: MIT */
/* fact.h - how the parts of environment.c add to its list.  A key may be added once only. */
#ifndef FACT_H
#define FACT_H

#include "machine/environment.h"

/* Adds key with the formatted value; spaces and quotation marks around it go, bytes that are not
 * printable ASCII become '?', and an empty value is not added at all. */
void fact_add(struct environment *env, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Adds the first line of a file, when it can be read. */
void fact_add_file(struct environment *env, const char *key, const char *path);
/* Adds the value of the first line "name: value" (or "name\t: value") of a file of such lines. */
void fact_add_field(struct environment *env, const char *key, const char *path, const char *name);

/* The parts. */

/* cpu.*, cache.*, vulnerability.*, hypervisor.* */
void fact_add_hardware(struct environment *env);
/* cgroup.*: of each limit, the nearest from the process's group up to the root. */
void fact_add_cgroup(struct environment *env);
/* filesystem.*: type, device and options of the mount that holds directory; for ext4 the mode of its
 * journal, or "none". */
void fact_add_filesystem(struct environment *env, const char *directory);

#endif
