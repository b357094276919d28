/* SPDX-License-Identifier: MIT */
/*
 * measurement.h - one measurement: how many operations make a batch, the batches, and the one
 * number that this process contributes.
 *
 * The number is the median over the batches of the time per operation, and not all time over all
 * operations: a batch that an interrupt or another process hit says nothing about the operation,
 * and one such batch in ten doubles the mean of a short one.  The mean, the minimum and every batch
 * stand beside it; when the mean tells another story, the measurement is flagged.
 */
#ifndef MEASUREMENT_H
#define MEASUREMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/batch.h"
#include "measure/bench.h"
#include "measure/calibration.h"
#include "measure/overhead.h"
#include "util/error.h"

struct plan {
	double target;	     /* seconds that a batch shall last */
	uint64_t batches;    /* 0: as many as make a short process */
	uint64_t iterations; /* operations per batch; 0: as many as last for the target */
	bool cold;	     /* each batch (1 by default) is one operation with cold caches */
};

enum measurement_method {
	METHOD_SUBTRACT, /* t(n) / n - overhead */
	METHOD_SLOPE,	 /* (t(2n) - t(n)) / n - overhead of the loop */
	METHOD_COLD,	 /* t(1) - overhead, with cold caches */
};

enum measurement_flag {
	FLAG_OVERHEAD = 1 << 0,	  /* over 20 % of the reading was overhead */
	FLAG_NOT_STEADY = 1 << 1, /* the halves differ, even in a second pass */
	FLAG_DISTURBED = 1 << 2,  /* over a quarter of the batches lost time to others */
	FLAG_SKEWED = 1 << 3,	  /* mean and median differ by over 10 % */
	FLAG_DRIFT = 1 << 4,	  /* the clock's tick changed by over 50 ppm */
};

struct measurement {
	uint64_t iterations;		 /* operations per batch */
	size_t n;			 /* batches */
	double *batches;		 /* seconds per operation, without overhead, by time */
	double seconds;			 /* their median: the value */
	double mean, minimum, deviation; /* of the batches */
	enum measurement_method method;
	double overhead;    /* seconds per operation that were subtracted */
	double uncertainty; /* of overhead, seconds per operation */
	unsigned flags;	    /* enum measurement_flag */
	struct batch total; /* counts over all timed batches */
	size_t disturbed;   /* batches with an involuntary switch too many */
	struct calibration calibration;
	double tick; /* seconds */
};

/* Measures bench, whose setup has run, by the plan.  0, or -1 and *e.  The caller frees *m either
 * way. */
int measurement_take(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct error *e);
/* Returns the memory of the batches. */
void measurement_free(struct measurement *m);

#endif
