/* SPDX-License-Identifier: MIT */
/* file.h - whole files and directories, written so that a crash never leaves half of one. */
#ifndef FILE_H
#define FILE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/* The whole file (path "-": stdin) into fresh memory with a NUL behind it; *n its bytes.  NULL and
 * *e on failure or when it is longer than limit. */
char *file_read(const char *path, size_t limit, size_t *n, struct error *e);
/* Replaces path by n bytes in one step (temporary file, fsync, rename); the old content survives
 * any failure.  A path that is no regular file (device, pipe, symbolic link) is written through
 * instead. 0, or -1 and *e. */
int file_write(const char *path, const void *data, size_t n, struct error *e);
/* Whether file_write could: before work whose result has to be stored.  0, or -1 and *e. */
int file_may_write(const char *path, struct error *e);
/* Whether both paths lead to one regular file, so that writing one would destroy the other. */
bool file_is_same(const char *a, const char *b);
/* Makes path and its missing parents.  0, or -1 and *e. */
int file_make_directory(const char *path, struct error *e);
/* The first line of a small file such as those of /proc and /sys, without its newline, into
 * out[n]; NULL (out = "") when it cannot be read. */
char *file_first_line(const char *path, char *out, size_t n);

#endif
