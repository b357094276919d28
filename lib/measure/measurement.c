/* SPDX-License-Identifier: MIT */
#include "measure/measurement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/cold.h"
#include "measure/pmu.h"
#include "measure/quality.h"
#include "measure/search.h"
#include "util/xalloc.h"

enum {
	/*
	 * Enough for a median that a few interrupted batches do not move, and no more: the batches
	 * of a process differ by less than processes do (0.9 and 2.4 % in the median of the default
	 * suite), so that time is better spent on more processes.
	 */
	BATCHES_MOST = 11,
	BATCHES_LEAST = 5, /* when one operation outlasts the target */
	SAMPLES = 3,	   /* of the overhead before the first batch */
};

static const double overhead_share = 0.2, drift_most = 50e-6;

/* One pass over the batches. */
struct pass {
	const struct bench *bench;
	uint64_t n;	 /* operations in one call of run() */
	uint64_t rounds; /* calls of run() in a batch; over 1 when bench->limit is low */
	size_t batches;
	bool slope;
	double *ticks;	     /* of each batch, per operation, with all overhead in it */
	double *involuntary; /* switches in each batch */
	struct batch total;
};

/* Ticks per operation of n operations, or of the second half of 2n, whose difference to n holds
 * nothing constant.  Adds what was counted to *sum. */
static int take_round(struct pass *p, double *ticks, struct batch *sum, struct error *e)
{
	struct batch one, two;

	if (batch_run(p->bench, p->n, &one, e))
		return -1;
	batch_add(sum, &one);
	*ticks = one.ticks / (double)p->n;
	if (!p->slope)
		return 0;
	if (batch_run(p->bench, 2 * p->n, &two, e))
		return -1;
	batch_add(sum, &two);
	*ticks = (two.ticks - one.ticks) / (double)p->n;
	return 0;
}

static int take_batches(struct pass *p, struct overhead *o, struct calibration *c, struct error *e)
{
	memset(&p->total, 0, sizeof(p->total));
	pmu_reset();
	for (size_t i = 0; i < p->batches; i++) {
		struct batch sum = { 0 };
		double ticks;

		if (i == p->batches / 2)
			calibration_mark(c);
		p->ticks[i] = 0;
		for (uint64_t k = 0; k < p->rounds; k++) {
			if (take_round(p, &ticks, &sum, e))
				return -1;
			p->ticks[i] += ticks / (double)p->rounds;
		}
		p->involuntary[i] = (double)sum.involuntary;
		batch_add(&p->total, &sum);
		overhead_sample(o, p->bench, p->n);
	}
	return 0;
}

/* An unsteady pass was the warm-up of a second one; what is unsteady even then is flagged. */
static int take_steady(struct measurement *m, struct pass *p, struct overhead *o, struct error *e)
{
	for (int tries = 0; tries < 2; tries++) {
		if (take_batches(p, o, &m->calibration, e))
			return -1;
		if (quality_is_steady(p->ticks, p->batches))
			return 0;
	}
	m->flags |= FLAG_NOT_STEADY;
	return 0;
}

/* Fills the figures of *m from the batches in p. */
static void reduce(struct measurement *m, const struct pass *p, const struct overhead *o)
{
	double timer = p->slope ? 0 : o->timer / (double)p->n, squares = 0;

	m->tick = calibration_tick(&m->calibration);
	m->overhead = (o->operation + timer) * m->tick;
	m->uncertainty = o->uncertainty * m->tick;
	m->iterations = p->total.n / p->batches;
	m->n = p->batches;
	m->batches = xreallocarray(NULL, p->batches, sizeof(*m->batches));
	m->minimum = INFINITY;
	for (size_t i = 0; i < p->batches; i++) {
		m->batches[i] = p->ticks[i] * m->tick - m->overhead;
		m->mean += m->batches[i] / (double)m->n;
		m->minimum = fmin(m->minimum, m->batches[i]);
	}
	for (size_t i = 0; i < m->n; i++)
		squares += (m->batches[i] - m->mean) * (m->batches[i] - m->mean);
	m->deviation = m->n > 1 ? sqrt(squares / (double)(m->n - 1)) : 0;
	m->seconds = overhead_median(m->batches, m->n);
	m->total = p->total;
	double operations = (double)(p->n * p->rounds);
	m->disturbed = quality_interrupted(p->involuntary, p->batches, operations);
	if (quality_is_disturbed(p->ticks, p->involuntary, p->batches, operations))
		m->flags |= FLAG_DISTURBED;
}

static void add_flags(struct measurement *m)
{
	if (m->overhead > overhead_share * (m->seconds + m->overhead))
		m->flags |= FLAG_OVERHEAD;
	if (quality_is_skewed(m->mean, m->seconds))
		m->flags |= FLAG_SKEWED;
	if (fabs(calibration_drift(&m->calibration)) > drift_most)
		m->flags |= FLAG_DRIFT;
}

/* What is left must be more than what the overhead may be wrong by. */
static int check(const struct measurement *m, struct error *e)
{
	if (m->seconds > m->uncertainty && m->seconds > 0)
		return 0;
	return error_set(e,
			 "nothing to report: %.3g ns per operation are left after subtracting "
			 "%.3g ns, which are known to %.2g ns",
			 m->seconds * 1e9, m->overhead * 1e9, m->uncertainty * 1e9);
}

/* Slope when timer and loop are too large a part of the reading, and when two sizes can be had. */
static void choose_method(struct measurement *m, struct pass *p, const struct plan *plan,
			  const struct overhead *o, const struct call *call)
{
	uint64_t limit = p->bench->limit ? p->bench->limit() : 0, third = call->n;

	p->n = call->n;
	if (o->timer + o->operation * (double)call->n <= overhead_share * call->ticks)
		return;
	if (!plan->iterations)
		third = search_round(p->bench, (double)call->n / 3);
	/* What bench->overhead costs per operation is no constant that two sizes could remove. */
	if (p->bench->overhead || (limit && 2 * third > limit))
		return;
	m->method = METHOD_SLOPE;
	p->slope = true;
	p->n = third;
}

/*
 * How many batches of how many rounds, given that one call of run() is timed for `timed` seconds
 * and takes `wall` with its hooks: a process of BATCHES_MOST targets unless an operation or its
 * hooks last longer.
 */
static void choose_shape(struct pass *p, const struct plan *plan, double timed, double wall)
{
	double room = BATCHES_MOST * plan->target, batches = BATCHES_MOST, rounds = 1;

	if (!plan->iterations && timed < 0.75 * plan->target)
		rounds = fmax(1, fmin(plan->target / timed, SEARCH_HOOKS * plan->target / wall));
	if (timed > 2 * plan->target)
		batches = room / timed;
	batches = fmin(batches, SEARCH_HOOKS * room / wall);
	p->rounds = (uint64_t)rounds;
	p->batches = plan->batches ? (size_t)plan->batches : (size_t)fmax(BATCHES_LEAST, batches);
}

static int take_all(struct measurement *m, struct pass *p, struct overhead *o, struct error *e)
{
	if (take_steady(m, p, o, e))
		return -1;
	calibration_update(&m->calibration);
	overhead_reduce(o);
	reduce(m, p, o);
	add_flags(m);
	return check(m, e);
}

/* Allocates the batches of *p and takes them. */
static int take_pass(struct measurement *m, struct pass *p, struct overhead *o, struct error *e)
{
	p->ticks = xcalloc(p->batches, sizeof(*p->ticks));
	p->involuntary = xcalloc(p->batches, sizeof(*p->involuntary));
	int failed = take_all(m, p, o, e);
	free(p->ticks);
	free(p->involuntary);
	return failed;
}

/* Before the first batch: the samples between batches follow. */
static void sample_often(struct overhead *o, const struct bench *bench, uint64_t n)
{
	for (int i = 0; i < SAMPLES; i++)
		overhead_sample(o, bench, n);
	overhead_reduce(o);
}

static int take_warm(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct overhead *o, struct error *e)
{
	double tick = calibration_tick(&m->calibration);
	uint64_t fixed = search_round(bench, (double)plan->iterations);
	struct pass p = { .bench = bench };
	struct call call;

	if (plan->iterations ? search_time(bench, fixed, &call, e)
			     : search_iterations(bench, plan->target, tick, &call, e))
		return -1;
	sample_often(o, bench, call.n);
	calibration_update(&m->calibration);
	choose_method(m, &p, plan, o, &call);
	choose_shape(&p, plan, call.ticks * calibration_tick(&m->calibration), call.wall);
	return take_pass(m, &p, o, e);
}

static const struct bench *cold_bench;

static void cold_batch(uint64_t n)
{
	if (cold_bench->batch)
		cold_bench->batch(n);
	cold_evict();
}

/* One operation after another program, so to speak, has used the caches. */
static int take_cold(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct overhead *o, struct error *e)
{
	struct bench cold = *bench;
	struct pass p = { .bench = &cold, .n = search_round(bench, 1), .rounds = 1 };

	cold_bench = bench;
	cold.batch = cold_batch;
	m->method = METHOD_COLD;
	p.batches = plan->batches ? (size_t)plan->batches : 1;
	sample_often(o, bench, p.n);
	return take_pass(m, &p, o, e);
}

int measurement_take(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct error *e)
{
	struct overhead o = { 0 };

	*m = (struct measurement){ 0 };
	calibration_start(&m->calibration);
	batch_measure_pause();
	int failed = (plan->cold ? take_cold : take_warm)(m, bench, plan, &o, e);
	overhead_free(&o);
	return failed;
}

void measurement_free(struct measurement *m)
{
	free(m->batches);
	m->batches = NULL;
}
