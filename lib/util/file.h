/* SPDX-License-Identifier: MIT */
/* file.h - reads and writes whole files so that a crash never leaves half of one. */
#ifndef UTIL_FILE_H
#define UTIL_FILE_H

#include <glob.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

/*
 * Reads a whole file ("-": stdin) into new memory, which the caller frees, and appends a NUL that
 * is not counted in *n.  A byte order mark of UTF-8, as spreadsheets put before text, is left out.
 * Returns NULL and sets *e on error or if the file is longer than limit bytes.
 */
char *file_read(const char *path, size_t limit, size_t *n, struct error *e);
/*
 * Replaces the file by data[n] atomically (temporary file, fsync, rename); on error the old content
 * remains.  A path that is not a regular file (device, pipe, symbolic link) is written to instead,
 * and for "-" standard output.
 * Returns 0, or -1 and sets *e.
 */
int file_write(const char *path, const void *data, size_t n, struct error *e);
/* Writes data[n] to a file that is open.  Returns how many bytes went; if not all, errno says why.
 */
size_t file_write_all(int fd, const void *data, size_t n);
/* Checks, before long work, that file_write() will be possible.  Returns 0, or -1 and sets *e. */
int file_may_write(const char *path, struct error *e);
/* Returns whether both paths are the same regular file, so that writing one would destroy the
 * other. */
bool file_is_same(const char *a, const char *b);
/* Finds what matches a pattern of glob(3) below a directory, whose own name is no pattern; returns
 * how many, which are in found->gl_pathv in their order.  The caller calls globfree(found). */
size_t file_match(const char *directory, const char *pattern, glob_t *found);
/* Creates a directory and its missing parents.  Returns 0, or -1 and sets *e. */
int file_make_directory(const char *path, struct error *e);
/* Reads the first line of a small file, such as those of /proc and /sys, without its newline, into
 * out[n].  Returns out, or NULL (and out = "") if the file cannot be read. */
char *file_first_line(const char *path, char *out, size_t n);

#endif
