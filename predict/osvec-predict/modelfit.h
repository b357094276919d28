/* SPDX-License-Identifier: MIT */
/*
 * modelfit.h - the model error that trials show, and whether it predicts that of a machine or an
 * application which had no part in it.
 *
 * An interval holds the measured times that its width was derived from more often than others.  So
 * each machine is judged by the errors of the other machines, and each application by those of the
 * other applications (leave one out).
 */
#ifndef MODELFIT_H
#define MODELFIT_H

#include <stddef.h>

#include "model/modelerror.h"
#include "trial.h"

/* Standard deviations of the logarithms of ratios; NaN when unknown. */
struct modelfit {
	double spread, alike, bias; /* as in struct model_error */
	double freedom;		    /* degrees of freedom: the most machines in a trial, less one */
};

enum { MODELFIT_ALL = -1 };

/* Without one of the machines, or without the application of that name; MODELFIT_ALL and NULL: with all. */
struct modelfit modelfit(const struct trials *all, ptrdiff_t machine, const char *application);
/* The same as scales of Student's t: what conf/model.conf says. */
struct model_error modelfit_scales(const struct modelfit *m);

/* How many measured times lie inside intervals as wide as the others make them. */
struct modelfit_held {
	size_t machines, applications; /* left out: the machine, the application */
};

/* used is what the intervals of the trials were drawn with. */
struct modelfit_held modelfit_hold_out(const struct trials *all, const struct model_error *used);

#endif
