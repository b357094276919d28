/* SPDX-License-Identifier: MIT */
/* output.h - writes the results of ccmod to files.  All functions end the program on error. */
#ifndef CCMOD_OUTPUT_H
#define CCMOD_OUTPUT_H

#include <stdio.h>

#include "network/workload.h"

/* Opens a file for writing. */
FILE *output_open(const char *path);
/* Closes it and checks that everything was written. */
void output_close(FILE *f, const char *path);

/* Writes a workload as binary to a file, or as text to stdout if path is NULL. */
void output_workload(const struct workload *w, const char *path);

#endif
