/* SPDX-License-Identifier: MIT */
/*
 * input.h - what every command on counts needs: the files, and the stack that their events are of.
 *
 * The front end of a program: what cannot be read ends it with a message.
 */
#ifndef CPISTACK_INPUT_H
#define CPISTACK_INPUT_H

#include "counters/counts.h"
#include "util/opt.h"

/* Zeroed is valid; the options fill the first part. */
struct input {
	const char *stack_name, *formulas, *mode;
	double interval; /* seconds; 0: so many that each has enough slices */

	char *title; /* files and command */
	struct counts counts;
	struct formula_file file;
	const struct formulas *stack;
	enum counts_mode only; /* COUNTS_MODES: all of them */
	size_t *match, carrier;
	double from, to; /* seconds */
};

/* clang-format off */
/* Rows of a table of options for a file-static struct input. */
#define INPUT_OPTIONS(in) \
	{ 's', "stack", OPT_STRING, &(in).stack_name, "NAME", .help = \
	  "formulas of this processor (default: those whose events are in the files)" }, \
	{ 0, "formulas", OPT_STRING, &(in).formulas, "FILE", .help = \
	  "formulas from there, not from conf/cpi.conf" }, \
	{ 'm', "mode", OPT_STRING, &(in).mode, "WORD", .help = \
	  "user or kernel: the cycles in this mode alone" }, \
	{ 'i', "interval", OPT_DURATION, &(in).interval, "TIME", 1e-6, 1e9, \
	  "length of the intervals (default: some 40, or as many as can be told apart)" }
/* clang-format on */

/* Reads the formulas, from path or conf/cpi.conf. */
void input_formulas(struct formula_file *f, const char *path);
/* Reads the files. */
void input_read(struct input *in, char **files, int n, const struct opt_usage *usage);
/* The stack of one unit (SIZE_MAX: all) in [from, to). */
void input_stack(const struct input *in, size_t unit, double from, double to, struct stack *out);
/* The stack of all; ends the program when there is none. */
void input_whole(const struct input *in, struct stack *all);
/* The number of intervals. */
size_t input_intervals(const struct input *in);
/* When interval i begins, in seconds. */
double input_begin(const struct input *in, size_t i);
/* The stack of one unit (SIZE_MAX: all) in interval i. */
void input_interval(const struct input *in, size_t unit, size_t i, struct stack *out);
/* Warnings about what was not counted. */
void input_warn(const struct input *in, const struct stack *s);
/* Frees what input_read() read. */
void input_free(struct input *in);

#endif
