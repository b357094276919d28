/* SPDX-License-Identifier: MIT */
/*
 * formula.h - the formulas of conf/cpi.conf: how the events of a processor tell what its cycles
 * went to.  cpistack(1) has the format.
 */
#ifndef COUNTERS_FORMULA_H
#define COUNTERS_FORMULA_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "util/map.h"
#include "util/vec.h"

enum formula_kind {
	FORMULA_LET,	/* a value that others use */
	FORMULA_BASE,	/* cycles in which instructions are completed */
	FORMULA_PART,	/* cycles in which something stalls them */
	FORMULA_MEMORY, /* the same, which a perfect memory system would not have */
	FORMULA_REST,	/* the cycles that no other part has */
	FORMULA_KINDS,
};
/* As the file says them. */
extern const char *const formula_kind_names[FORMULA_KINDS];

/* Private: a step of an expression in reverse Polish notation. */
struct formula_step {
	char what; /* n: number, e: event, f: formula before it, < min, > max, + - * / ~ (negative)
		    */
	double number;
	size_t index;
};

struct formula {
	enum formula_kind kind;
	char *name;
	VEC(struct formula_step) steps;
};

/* The formulas of one family of processors. */
struct formulas {
	char *name, *title, *note; /* note: NULL when there is nothing to say */
	struct names pmus;	   /* as libpfm4 names them */
	struct names events;	   /* 0 the cycles, 1 the instructions, then the others */
	struct names aliases;	   /* other names of events */
	VEC(size_t) aliased;	   /* the event of each */
	VEC(struct formula) list;
};

struct formula_file {
	VEC(struct formulas) stacks;
};

/* Reads a file, or (NULL) conf/cpi.conf; 0, or -1 and *e with its line. */
int formulas_read(struct formula_file *f, const char *path, struct error *e);
/* Frees what formulas_read() read. */
void formulas_free(struct formula_file *f);
/* The formulas of that name or PMU; NULL and *e: there are none. */
const struct formulas *formulas_find(const struct formula_file *f, const char *name,
				     struct error *e);
/* The first formulas of which this machine has a PMU, else the last, which are of any processor. */
const struct formulas *formulas_here(const struct formula_file *f);
/* The PMU of f that this machine has, else the first one; *here: whether it has it. */
const char *formulas_pmu(const struct formulas *f, bool *here);
/* The names of the events for event_encode(): of that PMU (NULL: that of this machine, else the
 * first one), unless the formula names another.  The caller frees each, and the array. */
const char **formulas_names(const struct formulas *f, const char *pmu);
/* The event of that name, in libpfm4's or perf's spelling and in any case; SIZE_MAX: none. */
size_t formulas_event(const struct formulas *f, const char *name);
/* The value of each formula for these counts of the events; that of the rest from all parts before
 * and after it. */
void formulas_evaluate(const struct formulas *f, const double *events, double *out);

#endif
