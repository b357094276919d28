/* SPDX-License-Identifier: MIT */
/* resample.h - cheap resampling of a Hodges-Lehmann centre through its jackknife pseudo-values. */
#ifndef RESAMPLE_H
#define RESAMPLE_H

#include <stddef.h>

/*
 * Pseudo-values z_p = n HL - (n-1) HL without x_p, on log x; z[n].  The mean of a bootstrap sample
 * of z is a draw of log HL (statistics.md C.6).  n >= 3, x > 0.
 */
void resample_pseudo_values(const double *x, size_t n, double *z);

#endif
