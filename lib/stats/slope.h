/* SPDX-License-Identifier: MIT */
/* slope.h - how one quantity changes with another, by a line that few points cannot bend. */
#ifndef SLOPE_H
#define SLOPE_H

#include <stddef.h>

struct slope {
	double slope; /* of y on x */
	double error; /* standard error */
};

/* Theil (1950) and Sen (1968): the median of the slopes between all pairs of points whose x differ.
 * The error is that of least squares, with median absolute deviations in place of standard ones.
 * NaN for fewer than three points, or when most x are alike or a number is not finite. */
struct slope slope_fit(const double *x, const double *y, size_t n);

#endif
