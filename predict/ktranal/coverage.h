/* SPDX-License-Identifier: MIT */
/* coverage.h - how much of an application its vector really measures, and what fell back. */
#ifndef COVERAGE_H
#define COVERAGE_H

#include <stdio.h>

#include "vector/appvec.h"

/* Per run, the mean of all, and per unit: the entries by calls, the calls without an entry of their own by
 * time, and the shares of calls and of time in calls that are mapped. */
void coverage_print(const struct appvec *a, FILE *f);

#endif
