/* SPDX-License-Identifier: MIT */
/* directory.h - a scratch directory that is gone when the program is, unless that is killed. */
#ifndef DIRECTORY_H
#define DIRECTORY_H

#include "util/error.h"

/*
 * Makes a fresh directory below parent and returns its absolute path (valid until the end), or NULL
 * and *e.  exit(3), SIGINT, SIGTERM and SIGHUP remove it with everything in it; forked children
 * leave it alone.  One per process.
 */
const char *directory_make(const char *parent, struct error *e);

#endif
