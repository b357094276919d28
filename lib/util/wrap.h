/* SPDX-License-Identifier: MIT */
/* wrap.h - prints paragraphs of text. */
#ifndef UTIL_WRAP_H
#define UTIL_WRAP_H

#include <stdio.h>

/* Prints words separated by blanks, wrapped at 98 columns, and ends the last line.  Lines after the
 * first are indented; newlines and blanks at the beginning of text are kept. */
void wrap_print(FILE *f, const char *text, int indent);

#endif
