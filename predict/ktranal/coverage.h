/* SPDX-License-Identifier: MIT */
/* coverage.h - which entries the calls of an application are mapped to. */
#ifndef KTRANAL_COVERAGE_H
#define KTRANAL_COVERAGE_H

#include <stdio.h>

#include "vector/appvec.h"

/* Tables of the entries that an application vector uses, of the calls that no rule maps, and the
 * share of calls that a rule maps. */
void coverage_print(const struct appvec *a, FILE *f);

#endif
