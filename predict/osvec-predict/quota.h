/* SPDX-License-Identifier: MIT */
/* quota.h - machines whose CPUs a quota leaves to a program for a part of the time only. */
#ifndef OSVEC_PREDICT_QUOTA_H
#define OSVEC_PREDICT_QUOTA_H

#include "query.h"

/* Where so many CPUs, a part of one by a quota, stop a program for longer than it waits for its
 * devices, makes its time its CPU time over that part. */
void quota_stretch(struct prediction *p, double cpus);
/* Does so with those of q, and adds a note on it. */
void quota_apply(struct query *q);

#endif
