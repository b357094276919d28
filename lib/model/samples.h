/* SPDX-License-Identifier: MIT */
/*
 * samples.h - how sure predictions are: Monte Carlo samples of the time on every machine at once.
 *
 * One sample varies the logarithm of the time by what the errors of the entries do to it, to first
 * order (doubt.h), by normal deviates, each as wide as Student's t for its number of processes (90
 * % intervals); it weighs the runs of the application anew, the same for all machines, and
 * multiplies by a model error and by the state of the machine's host.  The errors of one vector are
 * the same wherever it is: given twice, or as the reference of others.
 */
#ifndef MODEL_SAMPLES_H
#define MODEL_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "model/modelerror.h"
#include "model/prediction.h"

struct samples_settings {
	size_t n;
	uint64_t seed; /* the same seed, the same samples */
	struct model_error model;
};

/* Seconds, of machine i in sample k at [k * m + i]. */
struct samples {
	size_t n, m;	  /* samples, machines */
	double *measured; /* with the errors of measurement alone */
	double *full;	  /* with the model error and that of calls that no entry measures */
};

/*
 * Samples the predictions p[m], which share a demand and a reference.  Kernel time that no entry of
 * the machine measures is uncertain by half of itself.  When the time on one
 * machine is known, the others are relative to it, with the errors of both.
 */
struct samples samples_new(struct prediction *const *p, size_t m, const struct samples_settings *s);
/* Returns the memory. */
void samples_free(struct samples *d);

struct samples_interval {
	double median, low, high;
};

/* The quantiles (1 - level) / 2, 1/2 and (1 + level) / 2 of machine i in v, a member of d. */
struct samples_interval samples_interval(const struct samples *d, const double *v, size_t i,
					 double level);
/* The same quantiles of the time on machine i relative to that on machine j: what all machines
 * share cancels. */
struct samples_interval samples_ratio(const struct samples *d, size_t i, size_t j, double level);
/* The share of samples in which machine i takes longer than machine j; equal times count half. */
double samples_slower(const struct samples *d, size_t i, size_t j);
/* The share of the variance of the times' logarithms, over all machines, that measurement causes;
 * the model error causes the rest.  NaN when they do not vary. */
double samples_measured_share(const struct samples *d);

#endif
