/* SPDX-License-Identifier: MIT */
/*
 * files.h - the directory of this process below -D, and files in it.  Errors end the program with
 * status 1, except where a reason is returned.
 */
#ifndef FILES_H
#define FILES_H

#include <stdint.h>

#include "util/error.h"

enum { FILES_BYTE = 0x5a };
#define FILES_FILE "file" /* what files_make names it */

/* Why no file can be made below the directory under test, or NULL. */
const char *files_supported(void);
/* Why size bytes cannot be written below the directory under test, or NULL. */
const char *files_reason(uint64_t size);
/*
 * Makes a fresh directory below parent and returns its absolute path (valid until the end), or NULL
 * and *e.  exit(3), SIGINT, SIGTERM and SIGHUP remove it with everything in it; forked children
 * leave it alone.  One per process.
 */
const char *directory_make(const char *parent, struct error *e);
/* The path of that directory below -D, made by the first call. */
const char *files_path(void);
/* The directory, open. */
int files_directory(void);
/* A fresh file of size bytes, each FILES_BYTE, written and so in the page cache; open for reading
 * and writing, at its start. */
int files_make(uint64_t size);

#endif
