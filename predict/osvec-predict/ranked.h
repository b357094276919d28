/* SPDX-License-Identifier: MIT */
/* ranked.h - the machines of a query in the order of their times, and how sure that order is. */
#ifndef OSVEC_PREDICT_RANKED_H
#define OSVEC_PREDICT_RANKED_H

#include "intervals.h"
#include "stats/ranking.h"

/* A machine in its place. */
struct place {
	size_t machine; /* its number in the query */
	const struct prediction *p;
	struct rank rank;
	struct samples_interval full, measured; /* seconds per run */
	struct samples_interval ratio;		/* to the base */
	double slower;				/* P(slower than the base) */
	/* By what factor nine of ten such ratios to the reference are off at most. */
	double reach;
};

extern const double ranked_equivalence; /* smaller ratios matter to nobody: 1.03 */
extern const double ranked_badly; /* the model serves a machine badly that has more reach: 1.5 */

struct ranked {
	struct place *places; /* the fastest first */
	size_t n;
	size_t base; /* the machine that the others are compared with */
	bool intervals;
	double measured_share; /* of the intervals, see samples_measured_share(); NaN: none */
};

/* Ranks the predictions of q; s NULL: by their values alone, all else is NaN.  The base is the
 * machine of that label, or the fastest when against is NULL. */
struct ranked ranked_new(const struct query *q, const struct intervals *s, const char *against);
void ranked_free(struct ranked *r);

#endif
