/* SPDX-License-Identifier: MIT */
/* shell.h - command lines as sh(1) would read them back. */
#ifndef SHELL_H
#define SHELL_H

#include <stddef.h>

/*
 * The words, quoted where sh(1) needs it and separated by blanks, in fresh memory.  n: how many
 * there are; negative: up to a NULL.
 */
char *shell_words(const char *const *words, int n);
/* The same for the NUL-terminated strings that fill the n bytes at strings. */
char *shell_strings(const char *strings, size_t n);

#endif
