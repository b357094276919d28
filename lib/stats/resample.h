/* SPDX-License-Identifier: MIT */
/* resample.h - cheap resampling of a Hodges-Lehmann centre through its jackknife pseudo-values. */
#ifndef RESAMPLE_H
#define RESAMPLE_H

#include <stddef.h>

/*
 * z[p] = n HL - (n - 1) HL without x[p], HL being the Hodges-Lehmann centre of log x (Tukey 1958).
 * The mean of a bootstrap sample of z is a draw of log HL at the price of a mean.  Needs n >= 3
 * and positive x, otherwise z is all NaN.  Not for two-mode samples: their spread comes out far
 * too small.
 */
void resample_pseudo_values(const double *x, size_t n, double *z);

/* The standard error of log HL, of two values that of the mean of their logarithms; NaN for one. */
double resample_log_error(const double *x, size_t n);

#endif
