/* SPDX-License-Identifier: MIT */
/* intervals.h - how sure predictions are: the options, the draws, and what is said of them. */
#ifndef INTERVALS_H
#define INTERVALS_H

#include <math.h>
#include <stdint.h>

#include "model/modelerror.h"
#include "question.h"
#include "model/samples.h"

struct intervals {
	uint64_t samples, seed;
	double model_error; /* of each machine; NaN: that of modelerror.h */
	double level;	    /* probability */
};

#define INTERVALS_DEFAULT \
	{ \
		.samples = 4000, .seed = 1, .model_error = NAN, .level = 0.9 \
	}

/* Rows of a table of options for a file-static struct intervals. */
#define INTERVALS_OPTIONS(s) \
	{ 'e',	      "model-error", \
	  OPT_NUMBER, &(s).model_error, \
	  "SHARE",    0, \
	  2,	      "relative error of the model (default: as validated)" }, \
	    { 'B', "draws", OPT_COUNT, &(s).samples, \
	      "N", 100,	    1e6,       "Monte Carlo draws (default 4000)" }, \
	    { 's', "seed", OPT_COUNT, &(s).seed, "N", 0, 0, "of the draws (default 1)" }, \
	{ \
		'L', "interval", OPT_NUMBER, &(s).level, "SHARE", 0.5, 0.999, \
		    "probability of the intervals (default 0.9)" \
	}

/* What -e says, or what the validation found. */
struct model_error intervals_model_error(const struct intervals *s);
/* Draws all of q's predictions. */
struct samples intervals_sample(const struct intervals *s, const struct question *q);
/* Notes what the intervals rest on, and what is not in them. */
void intervals_note(const struct intervals *s, struct question *q, double measured_share);
/* Its two parts, the first for several questions: measurement makes up low to high of the squared width. */
void intervals_note_range(const struct intervals *s, struct question *q, double low, double high);
void intervals_note_runs(struct question *q);
/* The same for programs. */
void intervals_facts(const struct intervals *s, const struct question *q, double measured_share);

#endif
