/* SPDX-License-Identifier: MIT */
/* xalloc.h - memory allocation that ends the program with a message when memory runs out.  The
 * caller frees what these functions return. */
#ifndef UTIL_XALLOC_H
#define UTIL_XALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* Returns n uninitialized bytes; n = 0 gives a valid pointer. */
void *xmalloc(size_t n);
/* Returns n zeroed elements of `size` bytes; an overflow of the product ends the program. */
void *xcalloc(size_t n, size_t size);
/* Resizes p, which may be NULL, to n elements of `size` bytes. */
void *xreallocarray(void *p, size_t n, size_t size);
/* Returns a copy of s. */
char *xstrdup(const char *s);
/* Returns a copy of the first n bytes of s, with a NUL. */
char *xstrndup(const char *s, size_t n);
/* Returns the formatted string. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same with a va_list. */
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* Frees s, which may be NULL, and returns it with the formatted string appended. */
char *xappend(char *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
