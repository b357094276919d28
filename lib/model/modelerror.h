/* SPDX-License-Identifier: MIT */
/*
 * modelerror.h - the error that predictions have besides that of measurement: conf/model.conf.
 *
 * The logarithm of measured over predicted time is the sum of a part that an application has on all
 * machines (bias), of one that the machines of a kind (kind.h) share besides (common), of one of
 * each machine (own), and of what the prices of its lines have, which are wrong by one factor on
 * all machines (lines): where two machines spend their time on the same, these errors are the same.
 * A ratio of two machines holds no bias, and that of two machines of a kind none of what they
 * share.
 *
 * A host that others use, too, is no error of the model: it is in another state each time (host).
 * A prediction is as of the mean state of the k vectors that are known of the host, so that the
 * variance of the logarithm of what is measured later is host^2 (1 + 1/k); the second part is the
 * same for all machines on that host, and in no ratio of two of them.  What varies within seconds
 * comes from the vector (state).
 *
 * Native machines on one host, such as containers or other file systems, have the processor and the
 * kernel in common, and with them most of their own error: what is left of each is siblings.
 */
#ifndef MODEL_MODELERROR_H
#define MODEL_MODELERROR_H

#include <stdbool.h>
#include <stddef.h>

#include "model/host.h"
#include "model/kind.h"
#include "util/error.h"

struct prediction;

enum { MODEL_LEVELS = 3 }; /* of predictions (osvec-predict(1)) that a model has errors of */

struct model_error {
	/* Scales of Student's t, of logarithms; the reference has the own one of KIND_NATIVE, for
	 * the application runs anew on it, too. */
	struct model_spread {
		double own, common;
	} kinds[KINDS];
	double bias;
	double siblings; /* the part of own that natives on one host do not share; INFINITY: all */
	double lines;	 /* of the price of a line */
	double freedom;	 /* degrees of freedom of all of these */
	/* A standard deviation of logarithms, of the state of a host whose spread (host.h) is at
	 * least host_from; it is less in proportion to a smaller spread. */
	double host, host_from;
	bool prior; /* not from a file: no validation yet */
};

/* What the error of a prediction depends on. */
struct model_case {
	enum kind kind;
	double state;  /* osvec_host_spread() */
	double *lines; /* doubt_case() */
	/* The same of lines of user time that follows calls, which the rest of the user time has
	 * less of; NULL: none.  That rest ends at 0 where they cost 1 + most times as much. */
	double *user, most;
	size_t nlines;
	struct host host;
};

/* The standard deviation of the state of that host. */
double model_error_host(const struct model_error *m, const struct host *h);
/* The part of its own error that a machine of that kind does not share with siblings. */
double model_error_apart(const struct model_error *m, enum kind kind);
/* The scale of the error of a time, without the bias. */
double model_error_of(const struct model_error *m, const struct model_case *c);
/* The scale of the error of the ratio of two different machines. */
double model_error_of_ratio(const struct model_error *m, const struct model_case *a,
			    const struct model_case *b);

/* Reads what conf/model.conf says of predictions at a level (osvec-predict(1)), or takes the prior
 * when there is no such file.  0, or -1 and *e when the file has a line that is wrong.  Kinds that
 * it does not mention keep their prior. */
int model_error_read(struct model_error *m, unsigned level, struct error *e);
/* The same from text, which it cuts into words; name stands for the file in messages. */
int model_error_parse(struct model_error *m, char *text, const char *name, unsigned level,
		      struct error *e);

/* An error that was seen: log(predicted / measured) of a machine in a trial, which is one
 * application by one kind of time. */
struct residual {
	size_t trial; /* those of one trial follow each other */
	struct model_case of;
	double log_ratio;
	const struct prediction *prediction; /* NULL: without errors of measurement */
};

/*
 * The model error that n residuals show: own and common are those for which the differences of all
 * pairs in a trial, taken as independent (a composite likelihood, Lindsay 1988), are most likely,
 * given what lines, states and errors of measurement
 * (doubt_ratio()) explain of them; a kind of which no trial has two machines has all of it as own,
 * and so has KIND_NATIVE, for the reference is native; siblings is fitted from the pairs on one
 * host. No kind has a smaller own one than KIND_NATIVE.  The bias is what the mean square of the
 * reference's residuals (of their mean in a trial without the reference) has besides.  Degrees of
 * freedom: one less than the applications, at least 3.  Kinds without a pair have the prior; so
 * have lines and host, which are not fitted.
 */
struct model_error model_error_fit(const struct residual *r, size_t n, size_t applications);

/* The logarithm of the likelihood that m gives to the differences of all pairs in the trials of n
 * residuals, or of those with one machine; adds how many these are to *pairs. */
double model_error_likelihood(const struct model_error *m, const struct residual *r, size_t n,
			      const struct osvec *with, size_t *pairs);

#endif
