/* SPDX-License-Identifier: MIT */
/* quota.h - machines whose CPUs a quota leaves to a program for a part of the time only. */
#ifndef OSVEC_PREDICT_QUOTA_H
#define OSVEC_PREDICT_QUOTA_H

#include "query.h"

/* How long a program takes on so many CPUs, which a quota may make a part of one: its CPU time over
 * that part, where the quota stops it for longer than it waits for its devices. */
static inline double quota_time(double cpu, double wait, double cpus)
{
	const double running = cpu + wait, stopped = cpus < 1 ? cpu / cpus : 0;

	return running > stopped ? running : stopped;
}

/* Gives p that time, all of which is CPU time where it is stopped. */
void quota_stretch(struct prediction *p, double cpus);
/* Does so with all predictions of q, and adds a note on it. */
void quota_apply(struct query *q);

#endif
