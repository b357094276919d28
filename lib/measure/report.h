/* SPDX-License-Identifier: MIT */
/* report.h - the output of a benchmark program: a line for people or JSON for hbench. */
#ifndef MEASURE_REPORT_H
#define MEASURE_REPORT_H

#include <stdbool.h>
#include <stdio.h>

#include "measure/bench.h"
#include "measure/engine.h"
#include "measure/parameter.h"
#include "measure/placement.h"

/* The program that was measured and its placement. */
struct invocation {
	const char *program;
	const struct bench *bench;
	const struct parameter_values *values;
	struct placed placed;
	enum placement usual;	   /* without -P */
	bool threaded, cold;	   /* -M, -1 */
	const uint64_t *footprint; /* of -F, or NULL */
	bool shared;		   /* -S */
	uint64_t copies;	   /* -X */
};

/* Adds a word to the flags of -J.  The string must stay valid. */
void report_add_flag(const char *word);
/* Prints a line such as "231.4 ns/op DISTURBED". */
void report_line(FILE *f, const struct measurement *m);
/* Prints the object of -J on one line; steal (NaN: not known) and wall are in seconds. */
void report_json(FILE *f, const struct invocation *s, const struct measurement *m, double steal,
		 double wall);
/* Prints the object of -J for a benchmark that cannot run here. */
void report_unsupported(FILE *f, const struct invocation *s, const char *reason);
/* Prints the object of -L -J: what -J would have measured. */
void report_entry(FILE *f, const struct invocation *s);
/* Prints the object of -L: the program and its parameters. */
void report_description(FILE *f, const char *program, const struct bench *bench);

#endif
