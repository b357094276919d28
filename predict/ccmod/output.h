/* SPDX-License-Identifier: MIT */
/* output.h - results of ccmod as files. */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdio.h>

#include "network/workload.h"

/* Opens a file to be written; it ends the program when it cannot. */
FILE *output_open(const char *path);
/* Closes it; the same when not all was written. */
void output_close(FILE *f, const char *path);

/* Writes a workload to a file as binary, or as text to stdout when path is NULL; the same. */
void output_workload(const struct workload *w, const char *path);

#endif
