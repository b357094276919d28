/* SPDX-License-Identifier: MIT */
#include "measure/measurement.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "measure/clock.h"
#include "measure/search.h"
#include "util/xalloc.h"

enum {
	BATCHES_MOST = 30,	/* of the default target: a process of some 40 ms */
	BATCHES_LEAST = 5,	/* when one operation outlasts the target */
};

static const double overhead_share = 0.2, steady_share = 0.05, disturbed_share = 0.1,
		    skew_share = 0.1, drift_most = 50e-6;

static double median(const double *v, size_t n)
{
	double *copy = xreallocarray(NULL, n, sizeof(*v));

	memcpy(copy, v, n * sizeof(*v));
	double m = overhead_median(copy, n);
	free(copy);
	return m;
}

static void add(struct batch *total, const struct batch *b)
{
	total->n += b->n;
	total->ticks += b->ticks;
	total->minor_faults += b->minor_faults;
	total->major_faults += b->major_faults;
	total->voluntary += b->voluntary;
	total->involuntary += b->involuntary;
}

/* State of one pass over the batches. */
struct pass {
	const struct bench *bench;
	uint64_t n;		/* operations per batch */
	bool slope;
	double *ticks;		/* per operation and batch, nothing removed but the timer's share */
	double *involuntary;	/* switches per batch */
	size_t batches;
	struct batch total;
};

/* Batch i: n operations, or n and then 2n whose difference is n without any constant. */
static int take_batch(struct pass *p, size_t i, double timer, struct error *e)
{
	struct batch one, two;

	if (batch_run(p->bench, p->n, &one, e))
		return -1;
	add(&p->total, &one);
	p->ticks[i] = (one.ticks - timer) / (double)p->n;
	p->involuntary[i] = (double)one.involuntary;
	if (!p->slope)
		return 0;
	if (batch_run(p->bench, 2 * p->n, &two, e))
		return -1;
	add(&p->total, &two);
	p->ticks[i] = (two.ticks - one.ticks) / (double)p->n;
	p->involuntary[i] += (double)two.involuntary;
	return 0;
}

static int take_batches(struct pass *p, double timer, struct calibration *c, struct error *e)
{
	memset(&p->total, 0, sizeof(p->total));
	for (size_t i = 0; i < p->batches; i++) {
		if (i == p->batches / 2)
			calibration_mark(c);
		if (take_batch(p, i, timer, e))
			return -1;
	}
	return 0;
}

/* Do the medians of the first and the second half agree? */
static bool is_steady(const struct pass *p)
{
	size_t half = p->batches / 2;

	if (half < 2)
		return true;
	double first = median(p->ticks, half), second = median(p->ticks + half, half);
	return first > 0 && second > 0 && fabs(log(second / first)) <= log(1 + steady_share);
}

/*
 * Batches interrupted by somebody else.  Two parties on one CPU preempt each other as part of the
 * operation, so only what exceeds twice the usual count is somebody else there.
 */
static uint64_t count_disturbed(const struct pass *p)
{
	double usual = p->bench->parties == BENCH_TWO ? 2 * median(p->involuntary, p->batches) : 0;
	uint64_t n = 0;

	for (size_t i = 0; i < p->batches; i++)
		n += p->involuntary[i] > usual;
	return n;
}

static size_t plan_batches(const struct plan *plan, double seconds_per_batch)
{
	double room = BATCHES_MOST * plan->target / seconds_per_batch;

	if (plan->batches)
		return (size_t)plan->batches;
	return room < BATCHES_LEAST ? BATCHES_LEAST : room > BATCHES_MOST ? BATCHES_MOST : (size_t)room;
}

/* Fills the figures of *m from the batches in p. */
static int reduce(struct measurement *m, const struct pass *p, const struct overhead *o,
		  struct error *e)
{
	double sum = 0, squares = 0;

	m->tick = calibration_tick(&m->calibration);
	m->overhead = o->operation * m->tick;
	if (!p->slope)
		m->overhead += o->timer / (double)p->n * m->tick;
	m->n = p->batches;
	m->batches = xreallocarray(NULL, p->batches, sizeof(*m->batches));
	m->minimum = INFINITY;
	for (size_t i = 0; i < p->batches; i++) {
		double v = (p->ticks[i] - o->operation) * m->tick;

		m->batches[i] = v;
		sum += v;
		m->minimum = fmin(m->minimum, v);
	}
	m->mean = sum / (double)m->n;
	for (size_t i = 0; i < m->n; i++)
		squares += (m->batches[i] - m->mean) * (m->batches[i] - m->mean);
	m->deviation = m->n > 1 ? sqrt(squares / (double)(m->n - 1)) : 0;
	m->seconds = median(m->batches, m->n);
	m->total = p->total;
	m->disturbed = count_disturbed(p);
	if ((double)m->disturbed > disturbed_share * (double)m->n)
		m->flags |= FLAG_DISTURBED;
	if (fabs(m->mean / m->seconds - 1) > skew_share)
		m->flags |= FLAG_SKEWED;
	if (fabs(calibration_drift(&m->calibration)) > drift_most)
		m->flags |= FLAG_DRIFT;
	if (!(m->seconds > o->uncertainty * m->tick))
		return error_set(e, "nothing left: %.3g ns per operation after %.3g ns of overhead, "
				 "which is known to %.2g ns", m->seconds * 1e9, m->overhead * 1e9,
				 o->uncertainty * m->tick * 1e9);
	return 0;
}

static int take_steady(struct measurement *m, struct pass *p, const struct overhead *o,
		       struct error *e)
{
	for (int tries = 0;; tries++) {
		if (take_batches(p, o->timer, &m->calibration, e))
			return -1;
		if (is_steady(p))
			return 0;
		if (tries) {
			m->flags |= FLAG_NOT_STEADY;
			return 0;
		}
	}
}

/* Slope when timer and loop are too large a part of the reading, and when two sizes can be had. */
static void choose_method(struct measurement *m, struct pass *p, const struct overhead *o,
			  double reading)
{
	uint64_t limit = p->bench->limit ? p->bench->limit() : 0;
	double overhead = o->timer + o->operation * (double)p->n;

	m->method = METHOD_SUBTRACT;
	if (overhead <= overhead_share * reading)
		return;
	m->flags |= FLAG_OVERHEAD;
	/* What bench->overhead costs per operation is no constant that two sizes could remove. */
	if (p->bench->overhead || (limit && p->n < 2))
		return;
	m->method = METHOD_SLOPE;
	p->slope = true;
	p->n = p->n >= 3 ? p->n / 3 : 1;
}

static int take_warm(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct error *e)
{
	struct pass p = { .bench = bench, .n = plan->iterations };
	struct overhead o = { 0 };
	struct batch warm;
	int failed = -1;

	double target = plan->target / calibration_tick(&m->calibration);
	if (!p.n && search_iterations(bench, target, &p.n, e))
		return -1;
	if (batch_run(bench, p.n, &warm, e))
		return -1;
	overhead_sample(&o, bench, p.n);
	choose_method(m, &p, &o, warm.ticks);
	calibration_update(&m->calibration);
	p.batches = plan_batches(plan, warm.ticks * calibration_tick(&m->calibration));
	p.ticks = xcalloc(p.batches, sizeof(*p.ticks));
	p.involuntary = xcalloc(p.batches, sizeof(*p.involuntary));
	if (!take_steady(m, &p, &o, e)) {
		overhead_sample(&o, bench, p.n);
		calibration_update(&m->calibration);
		m->iterations = p.n;
		failed = reduce(m, &p, &o, e);
	}
	free(p.ticks);
	free(p.involuntary);
	return failed;
}

int measurement_take(struct measurement *m, const struct bench *bench, const struct plan *plan,
		     struct error *e)
{
	*m = (struct measurement){ 0 };
	calibration_start(&m->calibration);
	batch_measure_pause();
	return take_warm(m, bench, plan, e);
}

void measurement_free(struct measurement *m)
{
	free(m->batches);
	m->batches = NULL;
}
