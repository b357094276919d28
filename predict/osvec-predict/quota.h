/* SPDX-License-Identifier: MIT */
/* quota.h - machines whose CPUs a quota leaves to a program for a part of the time only. */
#ifndef OSVEC_PREDICT_QUOTA_H
#define OSVEC_PREDICT_QUOTA_H

#include "query.h"

/* Whether so many CPUs, a part of one by a quota, stop a program for longer than it waits for its
 * devices: then it takes its CPU time over that part. */
bool quota_stops(double cpu, double wait, double cpus);
/* Makes the times of q longer so, and adds a note on it. */
void quota_apply(struct query *q);

#endif
