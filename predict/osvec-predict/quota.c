/* SPDX-License-Identifier: MIT */
#include "quota.h"

#include "warnings.h"

void quota_stretch(struct prediction *p, double cpus)
{
	const double cpu = p->kernel + p->user;

	if (quota_time(cpu, p->wait, cpus) > cpu + p->wait)
		prediction_scale(p, 1 / cpus, 1 / cpus, 0);
}

void quota_apply(struct query *q)
{
	for (size_t i = 0; i < q->machines.n; i++)
		quota_stretch(q->predictions[i], osvec_cpus(q->machines.v[i].vector));
	warnings_quota(q);
}
