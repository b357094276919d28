/* SPDX-License-Identifier: MIT */
/*
 * modelfit.h - the model error that trials show, and whether it foretells that of a machine or an application
 * which had no part in it.
 *
 * An interval holds the truths that its width was found with more often than others.  So each machine is
 * judged by what the other machines show, and each application by the other applications (leave one out).
 */
#ifndef MODELFIT_H
#define MODELFIT_H

#include "modelerror.h"
#include "trial.h"

/* Which trials and cells have no part; NULL: all have. */
struct modelfit_without {
	const char *machine, *application;	/* label, name */
};

/*
 * Standard deviations within and of applications, as scales of a Student t with so many degrees of freedom as
 * the most machines in a trial tell of; those that nothing is known of are NaN.
 */
struct model_error modelfit(const struct trials *all, const struct modelfit_without *without);

/* How many of the truths that could be tried lie inside intervals as wide as the others make them. */
struct modelfit_held {
	size_t machines, applications;	/* left out: the machine, the application */
};

/* used is what the intervals of the trials were drawn with. */
struct modelfit_held modelfit_hold_out(const struct trials *all, const struct model_error *used);

#endif
