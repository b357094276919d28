/* SPDX-License-Identifier: MIT */
#include "quota.h"

#include "warnings.h"

bool quota_stops(double cpu, double wait, double cpus)
{
	return cpus < 1 && cpu + wait < cpu / cpus;
}

void quota_apply(struct query *q)
{
	for (size_t i = 0; i < q->machines.n; i++) {
		struct prediction *p = q->predictions[i];
		const double cpus = osvec_cpus(q->machines.v[i].vector);

		if (quota_stops(p->kernel + p->user, p->wait, cpus))
			prediction_scale(p, 1 / cpus, 1 / cpus, 0);
	}
	warnings_quota(q);
}
