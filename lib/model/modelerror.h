/* SPDX-License-Identifier: MIT */
/*
 * modelerror.h - the error that predictions have besides that of measurement: conf/model.conf.
 *
 * The logarithm of measured over predicted time is the sum of a part that an application has on all
 * machines (bias), of one that the machines of a kind (kind.h) share besides (common), and of one
 * of each machine (own).  A ratio of two machines holds no bias, and that of two machines of a kind
 * none of what they share.
 */
#ifndef MODELERROR_H
#define MODELERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "model/kind.h"
#include "util/error.h"

struct model_error {
	/* Scales of Student's t, of logarithms; those of the reference are 0. */
	struct model_spread {
		double own, common;
	} kinds[KINDS];
	double bias;
	double freedom; /* degrees of freedom of all of these */
	bool prior;	/* not from a file: no validation yet */
};

/* The scale of the error of one machine relative to the reference. */
double model_error_of(const struct model_error *m, enum kind kind);
/* The scale of the error of the ratio of two different machines of these kinds. */
double model_error_of_ratio(const struct model_error *m, enum kind a, enum kind b);

/* Reads conf/model.conf, or takes the prior when there is no such file.  0, or -1 and *e when the
 * file has a line that is wrong.  Kinds that it does not mention keep their prior. */
int model_error_read(struct model_error *m, struct error *e);
int model_error_parse(struct model_error *m, char *text, const char *name, struct error *e);

/* An error that was seen: log(predicted / measured) of a machine in a trial, which is one
 * application by one kind of time. */
struct residual {
	size_t trial; /* those of one trial follow each other */
	enum kind kind;
	double log_ratio;
};

/*
 * The model error that n residuals show, by the method of moments.  The bias is the root mean
 * square of the reference's residuals (of their mean in a trial without the reference); the others
 * are taken relative to it.  own is the deviation within the machines of a kind in a trial, and
 * common what their mean square has besides; a kind with one machine in each trial has all of it as
 * own.  Degrees of freedom: one less than the applications, at least 3.  Kinds without a residual
 * have the prior.
 */
struct model_error model_error_fit(const struct residual *r, size_t n, size_t applications);

#endif
