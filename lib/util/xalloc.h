/* SPDX-License-Identifier: MIT */
/* xalloc.h - allocation that ends the program with a message when memory runs out. */
#ifndef XALLOC_H
#define XALLOC_H

#include <stdarg.h>
#include <stddef.h>

/* n bytes, uninitialised; n = 0 gives a valid pointer.  The caller frees, here and below. */
void *xmalloc(size_t n);
/* n elements of size bytes, zeroed; an overflowing product ends the program. */
void *xcalloc(size_t n, size_t size);
/* p resized to n elements of size bytes; p may be NULL. */
void *xreallocarray(void *p, size_t n, size_t size);
/* A copy of s. */
char *xstrdup(const char *s);
/* A copy of the first n bytes of s, terminated. */
char *xstrndup(const char *s, size_t n);
/* The formatted string. */
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The same from the arguments of a function like it. */
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));
/* s, which may be NULL, with the formatted string behind it: takes s, returns what replaces it. */
char *xappend(char *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
