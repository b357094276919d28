/* SPDX-License-Identifier: MIT */
/* wrap.h - paragraphs of text for people. */
#ifndef WRAP_H
#define WRAP_H

#include <stdio.h>

/* Prints words separated by single spaces and ends the last line: no line is longer than 98
 * columns, lines after the first are indented.  Line feeds at the beginning are kept. */
void wrap_print(FILE *f, const char *text, int indent);

#endif
