/* SPDX-License-Identifier: MIT */
/*
 * modelerror.h - how far predictions are off that have no error of measurement: conf/model.conf.
 *
 * The logarithm of true over predicted time has a part that an application has on all machines alike
 * (bias) and a part of its own on each (spread; little on other configurations of the machine that it was
 * recorded on: alike).  Ranks depend on
 * the second alone, times on both.
 */
#ifndef MODELERROR_H
#define MODELERROR_H

#include <stdbool.h>

#include "util/error.h"

struct model_error {
	double spread, bias; /* scales, of logarithms */
	double alike;	     /* spread, of machines with the CPU and kernel of the reference */
	double freedom;	     /* degrees of freedom of Student's t */
	bool prior;	     /* nobody has validated yet */
};

/* What conf/model.conf says, or the prior when there is no such file.  0, or -1 and *e when the file is
 * not understood. */
int model_error_read(struct model_error *m, struct error *e);
int model_error_parse(struct model_error *m, char *text, const char *name, struct error *e);

#endif
