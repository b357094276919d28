/* SPDX-License-Identifier: MIT */
/* canary.h - did the machine change while a run went on?  Entries known to be steady tell. */
#ifndef CANARY_H
#define CANARY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * moved[i]: value i of the n, in order of rounds, is from a time when the canary was off its
 * centre: the median of the five values around it by over 3 %, and by more than the noise from one
 * round to the next explains (a canary that is noisy in itself would always be off).
 */
void canary_watch(const double *values, size_t n, double centre, bool *moved);

#endif
