/* SPDX-License-Identifier: MIT */
/* quality.h - whether the batches of one process are steady, undisturbed and free of skew. */
#ifndef QUALITY_H
#define QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True unless the medians of the first and the second half of the batch times differ by over 5 %
 * and by over three standard errors.  Fewer than four batches are steady. */
bool quality_is_steady(const double *times, size_t n);
/*
 * The number of batches that other processes interrupted, given the involuntary context switches
 * and the operations in each batch.  Parties on one CPU preempt each other as part of the
 * operation: if the median batch has over one switch in a hundred operations, only batches with
 * more than twice the median count.
 */
size_t quality_interrupted(const double *switches, size_t n, double operations);
/*
 * True if more than a quarter of the batches were interrupted (fewer move the median by less than
 * half of the batches' standard deviation) and took longer than the others by over 5 % and three
 * standard errors, or if every batch was interrupted.
 */
bool quality_is_disturbed(const double *times, const double *switches, size_t n, double operations);
/* True if mean and median differ by over 10 %. */
bool quality_is_skewed(double mean, double median);

#endif
