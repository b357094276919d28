/* SPDX-License-Identifier: MIT */
/* report.h - what a benchmark program prints: a line for people, JSON for hbench. */
#ifndef REPORT_H
#define REPORT_H

#include <stdio.h>

#include "measure/bench.h"
#include "measure/engine.h"
#include "measure/parameter.h"
#include "measure/placement.h"

/* Who was measured, how it was placed. */
struct subject {
	const char *program;
	const struct bench *bench;
	const struct parameter_values *values;
	struct placed placed;
	enum placement usual; /* unasked */
};

/* Adds a word to the flags; it must live on. */
void report_add_flag(const char *word);
/* "231.4 ns/op". */
void report_line(FILE *f, const struct measurement *m);
/* -J: one object on one line.  steal and wall are seconds. */
void report_json(FILE *f, const struct subject *s, const struct measurement *m, double steal,
		 double wall);
/* -J of what cannot be measured here. */
void report_unsupported(FILE *f, const struct subject *s, const char *reason);
/* -L: the program and its parameters. */
void report_description(FILE *f, const char *program, const struct bench *bench);

#endif
