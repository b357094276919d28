/* SPDX-License-Identifier: MIT */
/* kept.h - the vectors and predictions that a test makes, kept until release() frees them all. */
#ifndef KEPT_H
#define KEPT_H

#include "model/prediction.h"
#include "util/vec.h"

static struct {
	VEC(struct osvec *) machines;
	VEC(struct appvec *) applications;
	VEC(struct demand *) demands;
	VEC(struct prediction *) predictions;
} kept;

static inline struct osvec *keep_machine(struct osvec *v)
{
	vec_push(&kept.machines, v);
	return v;
}

static inline struct appvec *keep_application(struct appvec *a)
{
	vec_push(&kept.applications, a);
	return a;
}

/* The demand of a, which is kept. */
static inline struct demand *demand_of(const struct appvec *a)
{
	vec_push(&kept.demands, demand_new(a));
	return kept.demands.v[kept.demands.n - 1];
}

static inline struct prediction *keep_prediction(struct prediction *p)
{
	vec_push(&kept.predictions, p);
	return p;
}

static inline void release(void)
{
	while (kept.predictions.n)
		prediction_free(kept.predictions.v[--kept.predictions.n]);
	while (kept.demands.n)
		demand_free(kept.demands.v[--kept.demands.n]);
	while (kept.applications.n)
		appvec_free(kept.applications.v[--kept.applications.n]);
	while (kept.machines.n)
		osvec_free(kept.machines.v[--kept.machines.n]);
	vec_free(&kept.predictions);
	vec_free(&kept.demands);
	vec_free(&kept.applications);
	vec_free(&kept.machines);
}

#endif
