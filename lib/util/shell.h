/* SPDX-License-Identifier: MIT */
/* shell.h - formats command lines so that sh(1) would read them back. */
#ifndef UTIL_SHELL_H
#define UTIL_SHELL_H

#include <stddef.h>

/* Returns n words, quoted where sh(1) needs it and separated by blanks; the caller frees.  A
 * negative n means that NULL ends the words. */
char *shell_words(const char *const *words, int n);
/* The same for the NUL-terminated strings that fill the n bytes at `strings`. */
char *shell_strings(const char *strings, size_t n);

#endif
