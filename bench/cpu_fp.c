/* SPDX-License-Identifier: MIT */
/*
 * cpu_fp - scalar floating point arithmetic: running mean and variance (Welford, 1962) of a
 * logistic map.  Additions, multiplications and a division depend on each other; nothing can be
 * vectorized.
 */
#include <math.h>

#include "measure/bench.h"

static double x = 0.3, mean, squares;
static double count;

static void run(uint64_t n)
{
	while (n--) {
		double delta = x - mean;

		count++;
		mean += delta / count;
		squares += delta * (x - mean);
		x = 4 * x * (1 - x);
		if (!(x > 0 && x < 1))
			x = 0.3;
	}
}

static void start(uint64_t n)
{
	x = 0.3;
	mean = squares = count = 0;
}

/* The orbit of the logistic map at 4 fills (0, 1) with mean 1/2 and variance 1/8. */
static const char *check(uint64_t n)
{
	if (count != (double)n)
		return "values were lost";
	if (n >= 10000 && (fabs(mean - 0.5) > 0.05 || fabs(squares / count - 0.125) > 0.02))
		return "mean or variance is wrong";
	return NULL;
}

const struct bench bench = {
	.summary = "Floating point: running mean and variance of a sequence.",
	.operation = "one value: six additions, three multiplications, one division",
	.prepare = start,
	.computes = true,
	.run = run,
	.check = check,
};
