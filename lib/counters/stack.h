/* SPDX-License-Identifier: MIT */
/*
 * stack.h - the breakdown of cycles by cause: the values of the formulas for counted events, with
 * errors, made to be all cycles.
 */
#ifndef COUNTERS_STACK_H
#define COUNTERS_STACK_H

#include "counters/counter.h"
#include "counters/formula.h"

/* A part of all cycles. */
struct stack_part {
	const struct formula *formula;
	double measured, error; /* cycles by the formula, and their standard error */
	double cycles;		/* reconciled: none is negative, together they are all cycles */
};

struct stack {
	double cycles, instructions;
	VEC(struct stack_part) parts;
	double share; /* least share in which an event was counted */
	double moved; /* by reconciliation, the most, in standard errors */
	double lost;  /* cycles that could not be told apart, not among the others */
};

/*
 * Computes the parts from counts of the events, whose carrier (cycles, or time in ns) was whole.
 * Errors are those of the events, to first order.  Not finite where an event was not counted.
 */
void stack_compute(struct stack *s, const struct formulas *f, const struct counters *c,
		   double whole);
/* Adds a stack of the same formulas, of other cycles; false, and nothing added: it is not finite.
 */
bool stack_add(struct stack *into, const struct stack *s);
/* How many times as fast it would be, at most, if no part were FORMULA_MEMORY. */
double stack_memory_bound(const struct stack *s);
/* Leaves an empty stack. */
void stack_free(struct stack *s);

/*
 * Moves measured[n] with standard errors error[n] to x[n] >= 0 of the given sum: the least sum of
 * ((x - measured) / error)^2.  x = max(0, measured - l error^2), where l is found by leaving out
 * what would be negative (Michelot 1986).  What has no error is taken to have one of a thousandth
 * of the sum.
 */
void reconcile(const double *measured, const double *error, size_t n, double sum, double *x);

#endif
