/* SPDX-License-Identifier: MIT */
/* stacks.h - the breakdown of counted cycles: of all, or of a unit, a mode, a stretch of time. */
#ifndef COUNTERS_STACKS_H
#define COUNTERS_STACKS_H

#include "counters/counts.h"
#include "counters/stack.h"

/* Counts of which all events of a stack are known. */
struct stacks {
	const struct counts *counts;
	const struct formulas *formulas;
	enum counts_mode only; /* COUNTS_MODES: all of them */
	/* Private. */
	size_t *match;	/* event of the formulas by event of the counts; SIZE_MAX: not in them */
	size_t carrier; /* 0 (cycles) where every slice has it, else SIZE_MAX (time) */
};

/* By the formulas of that name or, NULL, those all of whose events are there, and which have most
 * of them.  0, or -1 and *e, which names what is missing.  All modes, to begin with. */
int stacks_begin(struct stacks *s, const struct counts *c, const struct formula_file *file,
		 const char *name, struct error *e);
/* The stack of one unit (SIZE_MAX: all), of the slices that end in (from, to].  Units and modes are
 * estimated by themselves, then added, since their rates differ; what was counted without a mode
 * has both.  Units of which not all events were counted are estimated together. */
void stacks_sum(const struct stacks *s, size_t unit, double from, double to, struct stack *out);
/* Slices with the event of the formulas that has fewest of them. */
size_t stacks_fewest_turns(const struct stacks *s);
/* Whether counts are scaled by time, since cycles are not in every slice. */
bool stacks_by_time(const struct stacks *s);
/* What each event of the formulas would have counted in all of the time, all units and the modes
 * (COUNTS_MODES: all) together: out[events.n]; NaN: it was never counted.  Of an event that was
 * counted without a mode, too, only that count is taken. */
void stacks_events(const struct counts *c, const struct formulas *f, enum counts_mode only,
		   struct counter_estimate *out);
/* Frees what stacks_begin() made. */
void stacks_end(struct stacks *s);

#endif
