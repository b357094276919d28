/* SPDX-License-Identifier: MIT */
/*
 * input.h - what is counted, of files of counts or traces, and the stack that the events are of.
 *
 * The front end of a program: what cannot be read ends it with a message.
 */
#ifndef CPISTACK_INPUT_H
#define CPISTACK_INPUT_H

#include "counters/stacks.h"
#include "util/opt.h"

/* Zeroed is valid; the options fill the first part. */
struct input {
	const char *stack_name, *formulas, *mode, *by;
	double interval; /* seconds; 0: so many that each has enough slices */

	char *title; /* files and command */
	struct counts counts;
	struct formula_file file;
	struct stacks stacks;
	double from, to; /* seconds */
};

/* Reads the formulas, from path or conf/cpi.conf. */
void input_formulas(struct formula_file *f, const char *path);
/* Reads the files. */
void input_read(struct input *in, char **files, int n, const struct opt_usage *usage);
/* The stack of all; ends the program when there is none. */
void input_whole(const struct input *in, struct stack *all);
/* The stacks of units or of intervals. */
struct rows {
	size_t n;
	struct row {
		const char *name; /* of the unit or mode; NULL: an interval */
		double from;	  /* seconds at which it begins */
		struct stack stack;
	} * v;
};

/* Units with less than this part of all cycles are not shown to people. */
#define INPUT_SMALL 0.0005

/* Those of user mode and of the kernel, as far as they were counted apart, and of all. */
void input_modes(const struct input *in, struct rows *r);
/* Those of all units, that with most cycles first. */
void input_units(const struct input *in, struct rows *r);
/* Those of one unit (SIZE_MAX: all) in each interval. */
void input_intervals(const struct input *in, size_t unit, struct rows *r);
/* Frees them. */
void rows_free(struct rows *r);
/* Warnings about what was not counted. */
void input_warn(const struct input *in, const struct stack *s);
/* Frees what input_read() read. */
void input_free(struct input *in);

/* trace.c */

/* Whether the file is a trace. */
bool trace_is(const char *path);
/* Whether units of traces can be told apart by that: process, subtree, cgroup, thread, call, state.
 */
bool trace_by(const char *word);
/* Adds what was counted in a trace, by that word; others: by process. */
void trace_counts(struct counts *c, const char *path, const char *by);

#endif
