/* SPDX-License-Identifier: MIT */
/* output.h - results of ccmod as files. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

/* Opens a file to be written; it ends the program when it cannot. */
FILE *output_open(const char *path);
/* Closes it; the same when not all was written. */
void output_close(FILE *f, const char *path);

#endif
