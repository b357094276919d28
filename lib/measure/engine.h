/* SPDX-License-Identifier: MIT */
/*
 * engine.h - one measurement: finds how many operations make a batch, takes the batches, subtracts
 * the overhead, and returns the value that this process contributes: the median over the batches of
 * the time per operation.  An interrupt in one batch of ten can double the mean but not the median.
 */
#ifndef MEASURE_ENGINE_H
#define MEASURE_ENGINE_H

#include "measure/batch.h"
#include "measure/bench.h"
#include "measure/canary.h"
#include "measure/clock.h"
#include "util/error.h"

struct engine_plan {
	double target;			 /* the length of a batch in seconds */
	uint64_t batches;		 /* 0: as many as a short process has time for */
	uint64_t iterations;		 /* operations per batch; 0: as many as the target needs */
	const struct eviction *eviction; /* not NULL: single operations, each after caches were
					  * emptied; where that covers the CPUs of both parties, a
					  * batch (by default 1) is one of them */
	bool bare;			 /* no canaries, and all batches kept, interrupted or not */
};

enum measurement_method {
	METHOD_SUBTRACT, /* t(n) / n - overhead */
	METHOD_SLOPE,	 /* (t(2n) - t(n)) / n - overhead of the loop */
	METHOD_SINGLE,	 /* t(1) - overhead */
};

enum measurement_flag {
	FLAG_OVERHEAD = 1 << 0,	  /* over 20 % of the reading was overhead */
	FLAG_NOT_STEADY = 1 << 1, /* the halves differ, even in a second pass */
	FLAG_DISTURBED = 1 << 2,  /* others had the CPU in most of the batches, or for 20 % */
	FLAG_SKEWED = 1 << 3,	  /* mean and median differ by over 10 % */
	FLAG_DRIFT = 1 << 4,	  /* the clock's tick changed by over 50 ppm */
};

struct measurement {
	uint64_t iterations;		 /* operations per batch */
	size_t n;			 /* batches */
	double *batches;		 /* seconds per operation, overhead removed, by time */
	double seconds;			 /* their median: the value */
	double mean, minimum, deviation; /* of the batches; mean: sum of time / sum of operations */
	double cpu;			 /* seconds of CPU of all parties per operation, or NaN */
	enum measurement_method method;
	double overhead;    /* seconds per operation that were subtracted */
	double uncertainty; /* of overhead, in seconds per operation */
	unsigned flags;	    /* enum measurement_flag */
	struct batch total; /* over the batches */
	/* Seconds of this process in clock ticks, and in those in user mode, of all batches: a tick
	 * can be what interrupts one. */
	double ticks, user_ticks;
	size_t interrupted; /* batches in which others had the CPU: left out unless DISTURBED */
	struct canaries canaries;
	struct calibration calibration;
	double tick; /* seconds */
};

/* Measures bench, whose setup has run.  0, or -1 and *e: a batch failed, more operations took no
 * longer than fewer, or nothing significant was left.  Either way the caller frees *m. */
int engine_measure(struct measurement *m, const struct bench *bench, const struct engine_plan *plan,
		   struct error *e);
/* Frees what m holds. */
void measurement_free(struct measurement *m);

#endif
