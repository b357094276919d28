/* SPDX-License-Identifier: MIT */
/* quality.h - whether the batches of one process are steady and free of skew. */
#ifndef MEASURE_QUALITY_H
#define MEASURE_QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True unless the medians of the first and the second half of the batch times differ by over 5 %
 * and by over three standard errors.  Fewer than four batches are steady. */
bool quality_is_steady(const double *times, size_t n);
/* True if mean and median differ by over 10 %. */
bool quality_is_skewed(double mean, double median);

#endif
