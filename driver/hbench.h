/* SPDX-License-Identifier: MIT */
/* hbench.h - the commands of hbench, and what they share. */
#ifndef DRIVER_HBENCH_H
#define DRIVER_HBENCH_H

#include <stdio.h>

#include "operand.h"

/* argv[0] is the command's name; each returns the exit status. */
int run_command(int argc, char **argv);
int list_command(int argc, char **argv);
int check_command(int argc, char **argv);
int summary_command(int argc, char **argv);
int compare_command(int argc, char **argv);
int analyze_command(int argc, char **argv);
int vector_command(int argc, char **argv);
int peer_command(int argc, char **argv);

/* Prints the table of a run, or of a vector alone, and how far it can be trusted. */
void summary_print(const struct operand *m, FILE *f);
/* Writes summary.tsv of the run.  0, or -1 and *e. */
int summary_write(const struct operand *m, struct error *e);

#endif
