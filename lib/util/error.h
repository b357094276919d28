/* SPDX-License-Identifier: MIT */
/*
 * error.h - how lib/ reports errors: a message in the caller's struct.
 * The program decides whether to print it; lib/ never prints and never exits.
 */
#ifndef ERROR_H
#define ERROR_H

#include <stdarg.h>

struct error {
	char text[512]; /* one line, no full stop: names the file, line or option and what to do */
};

/* Formats the message into e (NULL: dropped) and returns -1, so that callers return it. */
int error_set(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Puts "prefix: " in front of the message e already holds; returns -1. */
int error_prefix(struct error *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
