/* SPDX-License-Identifier: MIT */
/* kept.h - what a test makes and never frees, kept reachable for leak checkers. */
#ifndef KEPT_H
#define KEPT_H

#include "util/vec.h"

static VEC(void *) kept;

static inline void *keep(void *p)
{
	vec_push(&kept, p);
	return p;
}

#endif
