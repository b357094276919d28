/* SPDX-License-Identifier: MIT */
/*
 * decomposition.h - what an operation should cost according to the costs of its parts, beside what
 * it was measured to cost (Brown, TR-03-97, chapter 2).
 *
 * The rules are data (rules.c).  All is computed from times: where the bandwidth of a whole is half
 * the harmonic mean of the bandwidths of its two parts, its time is the sum of their times.
 */
#ifndef DRIVER_DECOMPOSITION_H
#define DRIVER_DECOMPOSITION_H

#include <stdbool.h>
#include <stddef.h>

#include "stats/estimate.h"
#include "vector/osvec.h"

/*
 * One part of a prediction: times * cost of the entry.  In names, $1 to $3 stand for the words of
 * the row; where a word is a size that was not measured, the cost lies on the
 * curve between two sizes not further than a factor of four apart.
 */
struct term {
	double times;	    /* negative: to be taken off; 0 ends the terms */
	const char *entry;  /* "bw_mem_cp_$1_libc_aligned" */
	const char *part;   /* "copying"; terms of one name are one part */
	const char *bytes;  /* "$1": what that many of the entry's bytes cost; NULL: all of it */
	const char *faults; /* times the page faults in one operation of this entry; NULL: once */
};

enum { DECOMPOSITION_TERMS = 9 };

struct rule {
	const char *name;     /* "memory copy"; NULL ends a table */
	const char *at;	      /* rows "16k 64m", or with a label "64k/8=64k:8:512k", where $2 is 8;
				 NULL: one row */
	const char *measured; /* the entry that is predicted; never interpolated */
	struct term predicted[DECOMPOSITION_TERMS + 1];
	const char *model;		      /* what is predicted, in words */
	const char *slower, *faster, *agrees; /* a cause that would fit; NULL: nothing to say */
	const char *footprint; /* "$1": terms are calls of a program that touches that much data and
				  code between two of them (model/footprint.h); NULL: in a loop */
};

enum verdict {
	VERDICT_AGREES, /* the whole interval is near 1 */
	VERDICT_NOISE,	/* the interval holds 1, and is wide */
	VERDICT_SLOWER, /* measured above the prediction */
	VERDICT_FASTER,
	VERDICT_MISSING, /* entries were not measured */
};

struct part {
	const char *name;
	double seconds; /* may be negative */
};

/* One row of a rule on one machine. */
struct finding {
	const struct rule *rule;
	char *at;		/* "64m"; "" */
	char *entry;		/* that is predicted */
	char *missing;		/* entries that were not measured, "a,b"; NULL: none */
	double measured, bytes; /* seconds and bytes of one operation */
	double predicted;	/* seconds */
	struct estimate ratio;	/* measured / predicted; NaN bounds: an error is unknown */
	enum verdict verdict;
	struct part parts[DECOMPOSITION_TERMS + 1];
	size_t nparts;
	bool interpolated; /* a cost lies between two measured sizes */
	char *doubtful;	   /* entries flagged BIMODAL, DISTURBED or DRIFT, "a,b"; NULL: none */
};

struct findings {
	struct finding *v;
	size_t n, cap;
};

/* The rules of hbench analyze. */
extern const struct rule decomposition_rules[];

/*
 * Applies a table of rules: a finding for each row, those that cannot be computed included.
 * Intervals have v's level: by linear propagation of the logarithms' standard errors, taken as
 * independent or as correlated as v says, whichever is wider, and Student's t for the entry with
 * the fewest processes.  A ratio whose interval lies within 1 / margin and margin agrees.
 */
struct findings decompose(const struct osvec *v, const struct rule *rules, double margin);
/* Returns the memory. */
void findings_free(struct findings *f);
/* "slower", "within noise", ... */
const char *verdict_word(enum verdict v);

/* Whether a ratio agrees with 1, is within noise, above or below: how all ratios are judged. */
enum verdict verdict_of(const struct estimate *ratio, double margin);

#endif
