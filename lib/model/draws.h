/* SPDX-License-Identifier: MIT */
/*
 * draws.h - how sure predictions are: Monte Carlo draws of the time on every machine at once.
 *
 * One draw resamples the rounds of each machine (one set of rounds for all its entries, so that
 * what disturbed a round disturbs them together) and the runs of the application (one set for all
 * machines), prices anew, and multiplies by a model error.  An entry's resampled centre is the mean
 * of its resampled jackknife pseudo-values (stats/resample.h); of a bimodal entry, the mean of its
 * resampled values; without raw values, a normal deviate as wide as its interval.
 */
#ifndef DRAWS_H
#define DRAWS_H

#include <stddef.h>
#include <stdint.h>

#include "model/prediction.h"

struct draws_settings {
	size_t n;	    /* draws */
	uint64_t seed;	    /* the same seed, the same draws */
	double model_error; /* scale of log(true / predicted) on each machine, Student t */
	double freedom;	    /* its degrees of freedom */
	double bias;	    /* the same, of all machines together; 0 when one of them is known */
	double
	    alike_error; /* instead of model_error, of machines with the CPU and kernel of the reference */
};

struct draws {
	size_t n, m; /* draws, machines */
	double
	    *measured; /* measured[d * m + i]: seconds on machine i with what was measured alone */
	double *full;  /* the same with model error and what the vector does not cover */
};

/*
 * Draws the predictions p[m], which share a demand and a reference.  The part of the kernel time
 * that no entry of the machine covers is uncertain by half of itself (statistics.md C.6).  Where the time on one
 * of them is known, the others are drawn relative to it, with the errors of both.
 */
struct draws draws_new(struct prediction *const *p, size_t m, const struct draws_settings *s);
/* Returns the memory. */
void draws_free(struct draws *d);

struct draws_interval {
	double median, low, high;
};

/* The quantiles (1 - level) / 2, 1/2 and (1 + level) / 2 of machine i in v, a member of d. */
struct draws_interval draws_interval(const struct draws *d, const double *v, size_t i,
				     double level);
/* Share of the variance of log time, mean over the machines, that measurement is answerable for;
 * the rest is model error. */
double draws_measured_share(const struct draws *d);

#endif
