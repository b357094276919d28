/* SPDX-License-Identifier: MIT */
/*
 * modelerror.h - the error that predictions have besides that of measurement: conf/model.conf.
 *
 * The logarithm of measured over predicted time is the sum of a part that an application has on all
 * machines (bias) and a part that differs between machines (spread, which is small on other
 * configurations of the reference: alike).  Ranks depend on the second part alone, times on both.
 */
#ifndef MODELERROR_H
#define MODELERROR_H

#include <stdbool.h>

#include "util/error.h"

struct model_error {
	double spread, bias; /* scales, of logarithms */
	double alike;	     /* spread, of machines with the CPU and kernel of the reference */
	double freedom;	     /* degrees of freedom of Student's t */
	bool prior;	     /* not from a file: no validation yet */
};

/* Reads conf/model.conf, or takes the prior when there is no such file.  0, or -1 and *e when the
 * file has a line that is wrong. */
int model_error_read(struct model_error *m, struct error *e);
int model_error_parse(struct model_error *m, char *text, const char *name, struct error *e);

#endif
