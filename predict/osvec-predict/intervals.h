/* SPDX-License-Identifier: MIT */
/* intervals.h - how sure predictions are: the options, the samples, and notes on them. */
#ifndef OSVEC_PREDICT_INTERVALS_H
#define OSVEC_PREDICT_INTERVALS_H

#include <math.h>
#include <stdint.h>

#include "model/modelerror.h"
#include "query.h"
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

/* clang-format off */
/* Rows of a table of options for a file-static struct intervals. */
#define INTERVALS_OPTIONS(s) \
	{ 0, "model-error", OPT_NUMBER, &(s).model_error, "SHARE", 0, 2, \
	  "relative error of the model (default: as validated)" }, \
	{ 0, "samples", OPT_COUNT, &(s).samples, "N", 100, 1e6, \
	  "number of Monte Carlo samples (default 4000)" }, \
	{ 0, "seed", OPT_COUNT, &(s).seed, "N", 0, 0, "of the samples (default 1)" }, \
	{ 0, "interval", OPT_NUMBER, &(s).level, "SHARE", 0.5, 0.999, \
	  "probability of the intervals (default 0.9)" }
/* clang-format on */

/* Whether an option has changed them. */
bool intervals_are_set(const struct intervals *s);
/* That of --model-error, or else of conf/model.conf for the level of q. */
struct model_error intervals_model_error(const struct intervals *s, const struct query *q);
/* Samples all predictions of q. */
struct samples intervals_sample(const struct intervals *s, const struct query *q);
/* Adds a note on what the intervals rest on; measurement makes up low to high of their squared
 * width. */
void intervals_note(const struct intervals *s, struct query *q, double low, double high);
/* Notes what is not in them. */
void intervals_note_runs(struct query *q);
/* The same for programs. */
void intervals_facts(const struct intervals *s, const struct query *q, double measured_share);

#endif
