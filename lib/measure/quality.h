/* SPDX-License-Identifier: MIT */
/*
 * quality.h - what the batches of one process say about it: did it settle, was it disturbed, do
 * its mean and its median tell the same story?
 */
#ifndef QUALITY_H
#define QUALITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Do the medians of the first and the second half of the batches' times agree?  They do not when
 * they differ by over 5 % and by over three standard errors, as the spread within the halves has
 * it: noisy batches are no drift.  Fewer than four batches are steady.
 */
bool quality_is_steady(const double *times, size_t n);
/*
 * How many of n batches of so many operations somebody else interrupted.  switches: involuntary
 * ones in each batch.  Parties that share a CPU preempt each other as part of the operation; where
 * that happens in every batch, and more than once in a hundred operations, only what exceeds twice
 * the usual count is somebody else.
 */
size_t quality_interrupted(const double *switches, size_t n, double operations);
/*
 * Did others disturb the process?  When they interrupted more than a quarter of the batches (below,
 * the median moves by less than half of the batches' spread) and those took longer than the quiet
 * ones, by over 5 % and three standard errors: a kernel thread of a few microseconds is no
 * disturbance.  When no batch was quiet, it is not known to be none.
 */
bool quality_is_disturbed(const double *times, const double *switches, size_t n, double operations);
/* Do mean and median of the batches differ by over 10 %? */
bool quality_is_skewed(double mean, double median);

#endif
