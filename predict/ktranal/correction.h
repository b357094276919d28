/* SPDX-License-Identifier: MIT */
/*
 * correction.h - calls of a trace brought to the counts of a run that nobody traced.
 *
 * A traced server is slow, finds more to do each time it asks what is ready, and so asks less often.
 * Work by work the trace tells sizes, kinds and results; how many calls there are the untraced run tells.
 */
#ifndef CORRECTION_H
#define CORRECTION_H

#include <stddef.h>
#include <stdio.h>

#include "vector/timefile.h"

/* Zeroed is valid: nothing counted, nothing traced. */
struct correction {
	struct correction_call {
		double counted, traced;
	} * v; /* by id of syscalls.h */
	size_t n, cap;
};

/* One call of the trace. */
void correction_trace(struct correction *c, unsigned id);
/* The calls of one program, untraced. */
void correction_count(struct correction *c, const struct time_program *p);
/* Forgets what was traced: another trace begins. */
void correction_next(struct correction *c);
/* As how many calls one traced call of each id counts, in an array of c->n that the caller frees. */
double *correction_weights(const struct correction *c);
/* A table of the calls whose number tracing changed much, if there are any. */
void correction_print(const struct correction *c, FILE *f);
void correction_free(struct correction *c);

#endif
