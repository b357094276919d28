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
 * Is a process disturbed of whose n batches so many were interrupted?  From more than a quarter
 * on: below, the median of the batches moves by less than half of their spread.
 */
bool quality_is_disturbed(size_t interrupted, size_t n);
/* Do mean and median of the batches differ by over 10 %? */
bool quality_is_skewed(double mean, double median);

#endif
