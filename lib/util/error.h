/* SPDX-License-Identifier: MIT */
/* error.h - how functions in lib/ report errors: as a message in the caller's struct.  The program
 * decides whether to print it; lib/ never prints and never exits. */
#ifndef UTIL_ERROR_H
#define UTIL_ERROR_H

#include <stdarg.h>

struct error {
	char text[512]; /* one line without a full stop: file, line or option, and what to do */
};

/* Formats the message into e, unless e is NULL.  Always returns -1, for use in a return
 * statement. */
int error_set(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "prefix: " before the message that e holds.  Always returns -1. */
int error_prefix(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
