/* SPDX-License-Identifier: MIT */
/* next.h - which measurement would tell two machines apart best. */
#ifndef OSVEC_PREDICT_NEXT_H
#define OSVEC_PREDICT_NEXT_H

#include "intervals.h"

/* Prints what would narrow the interval of the time on machine i relative to that on machine j of
 * q, now in, the best first. */
void next_print(const struct query *q, const struct intervals *s, size_t i, size_t j,
		struct samples_interval in);

/* Parts of the variance of the logarithm of a ratio, by what causes them. */
struct next_parts {
	double measured; /* errors of the entries, and of the runs of the application */
	double model;	 /* with that of calls without an entry */
	double hosts;	 /* the states that shared hosts will be in */
};
/* Those of the time on machine i relative to that on machine j of q; all 0 if these are the same
 * machine. */
struct next_parts next_split(const struct query *q, const struct intervals *s, size_t i, size_t j);

#endif
