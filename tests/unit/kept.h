/* SPDX-License-Identifier: MIT */
/* kept.h - what a test makes and never frees, kept reachable for leak checkers. */
#ifndef UNIT_KEPT_H
#define UNIT_KEPT_H

#include "util/vec.h"

static VEC(void *) kept;

static inline void *keep(void *p)
{
	vec_push(&kept, p);
	return p;
}

#endif
