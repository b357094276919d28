/* SPDX-License-Identifier: MIT */
/* summary.h - a reduced run in words and tables. */
#ifndef SUMMARY_H
#define SUMMARY_H

#include <stdio.h>

#include "reduce.h"
#include "util/opt.h"
#include "util/table.h"

/*
 * Reduces the run that the n operands of a command stand for, the newest below ./results when there are
 * none.  The caller frees; what cannot be reduced ends the program.
 */
struct reduction *summary_reduce(int n, char **operands, const char *estimator,
				 const struct opt_usage *usage);
/* One line per entry (docs/hbench.1, docs/results.5). */
void summary_table(const struct reduction *r, FILE *f, enum table_format format);
/* How good the run is: precision, flags, control, canaries, what was skipped. */
void summary_brief(const struct reduction *r, FILE *f);
/* Writes summary.tsv of the run.  0, or -1 and *e. */
int summary_write(const struct reduction *r, struct error *e);

#endif
