/* SPDX-License-Identifier: MIT */
/* next.h - which measurement would tell two machines apart best. */
#ifndef NEXT_H
#define NEXT_H

#include "intervals.h"

/* Prints what would narrow the interval of the time on machine i relative to that on machine j of
 * q, now in, the best first. */
void next_print(const struct query *q, const struct intervals *s, size_t i, size_t j,
		struct samples_interval in);

#endif
