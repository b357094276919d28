/* SPDX-License-Identifier: MIT */
#include "measure/engine.h"

#include <math.h>
#include <stdlib.h>

#include "measure/copies.h"
#include "measure/pmu.h"
#include "measure/quality.h"
#include "measure/search.h"
#include "stats/sample.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * A median of five is not moved by two interrupted batches, and more would not help: batches
 * differ by less than processes do, so that time is better spent on more processes.
 */
enum { BATCHES = 5 };
static const double overhead_share = 0.2, drift_most = 50e-6;
/* Of several copies: the share of a batch in which not all ran above which others had a CPU. */
static const double alone_most = 0.1;
/* Of all batches: the share that others took above which they disturb those left alone as well. */
static const double lost_most = 0.2;

/* A batch. */
struct taken {
	double ticks; /* per operation, overhead included */
	struct batch sum;
	bool interrupted; /* others had the CPU */
};

/* A measurement in progress. */
struct pass {
	const struct bench *bench;
	const struct engine_plan *plan;
	struct measurement *m;
	uint64_t n;	 /* operations in one call of run() */
	uint64_t rounds; /* calls of run() in a batch; over 1 when bench->limit is low */
	bool slope;
	struct search search;
	VEC(struct taken) taken;
	double judged, lost; /* seconds of all batches, and those of them that others took */
	struct overhead overhead;
};

static double elapsed(const struct pass *p, const struct batch *b)
{
	return batch_elapsed(b) * calibration_tick(&p->m->calibration);
}

/* Ticks per operation: of n operations, or of those by which 2n exceed n, in which nothing constant
 * is left.  Adds the counts to *sum. */
static int take_round(const struct pass *p, double *ticks, struct batch *sum, struct error *e)
{
	struct batch one, two;

	if (batch_run(p->bench, p->n, NULL, &one, e))
		return -1;
	batch_add(sum, &one);
	*ticks = one.ticks / (double)one.n;
	if (!p->slope)
		return 0;
	if (batch_run(p->bench, 2 * p->n, NULL, &two, e))
		return -1;
	batch_add(sum, &two);
	*ticks = (two.ticks - one.ticks) / (double)one.n;
	return 0;
}

/* What is measured between batches.  To empty all caches takes longer than all else: one sample of
 * the overhead has to do. */
static int take_gap(struct pass *p, struct error *e)
{
	if (!p->plan->bare)
		canaries_take(&p->m->canaries);
	if (p->plan->eviction && p->plan->eviction->cpus)
		return 0;
	return overhead_sample(&p->overhead, p->bench, p->n, p->plan->eviction, e);
}

/*
 * Only what others took makes a batch bad: one that is much faster than the rest counts.  Its work
 * was checked, so that the machine was faster then, and to leave it out would make the mean too
 * large.
 */
static bool is_interrupted(struct pass *p, const struct batch *b)
{
	struct batch judged = *b;

	judged.account.caller -= (double)judged.runs * p->overhead.timer_cpu;
	search_note_idle(&p->search, &judged);
	double seconds = elapsed(p, &judged);
	double lost = account_lost(&judged.account, seconds, p->search.idle);
	p->judged += seconds;
	p->lost += clock_runs_in_sleep() ? lost : 0; /* no part of CPU time */
	return lost > 0 || judged.alone > alone_most * seconds;
}

static int take_rounds(struct pass *p, struct taken *t, struct error *e)
{
	double ticks;

	for (uint64_t k = 0; k < p->rounds; k++) {
		if (take_round(p, &ticks, &t->sum, e))
			return -1;
		t->ticks += ticks / (double)p->rounds;
	}
	t->interrupted = is_interrupted(p, &t->sum);
	return 0;
}

/*
 * Rounds of single operations are judged one by one: each lasts much longer than what it times, so
 * that few are without interruption in a row where others use the CPU.
 */
static int take_singles(struct pass *p, struct taken *t, struct error *e)
{
	struct batch one = { 0 }, bad = { 0 };

	/* One untimed operation first: what the reference loops left in the caches is not what the
	 * operation before leaves there. */
	if (p->rounds > 1 && batch_run(p->bench, p->n, p->plan->eviction, &one, e))
		return -1;
	while (t->sum.runs < p->rounds && bad.runs < p->rounds) {
		if (batch_run(p->bench, p->n, p->plan->eviction, &one, e))
			return -1;
		batch_add(is_interrupted(p, &one) ? &bad : &t->sum, &one);
	}
	t->interrupted = bad.runs == p->rounds;
	if (t->interrupted)
		batch_add(&t->sum, &bad);
	t->ticks = t->sum.ticks / (double)t->sum.n;
	return 0;
}

static int take_batch(struct pass *p, struct error *e)
{
	struct taken t = { 0 };

	if ((p->plan->eviction ? take_singles : take_rounds)(p, &t, e))
		return -1;
	vec_push(&p->taken, t);
	return take_gap(p, e);
}

/* Keeps the batches without interruption if they are at least half as many as wanted, else, and
 * where these batches were asked for, all. */
static void keep_batches(struct pass *p, size_t wanted, size_t interrupted)
{
	struct measurement *m = p->m;
	bool disturbed = 2 * (p->taken.n - interrupted) < wanted;

	m->n = 0;
	m->interrupted = interrupted;
	m->total = (struct batch){ 0 };
	m->flags = disturbed ? FLAG_DISTURBED : 0;
	for (size_t i = 0; i < p->taken.n; i++) {
		const struct taken *t = &p->taken.v[i];

		m->ticks += t->sum.account.ticks;
		m->user_ticks += t->sum.account.user_ticks;
		if (disturbed || p->plan->bare || !t->interrupted) {
			m->batches[m->n++] = t->ticks;
			batch_add(&m->total, &t->sum);
		}
	}
}

/* Shall another batch be taken, to make up for one during which others had the CPU?  An operation
 * that is longer than the scheduler's turns is always interrupted: then there is no use. */
static bool is_worth_another(const struct pass *p, size_t wanted, size_t interrupted)
{
	enum { PATIENCE = 2 };
	size_t good = p->taken.n - interrupted;

	return !p->plan->bare && good < wanted && interrupted <= 2 * good + PATIENCE;
}

/* Fills m->batches with ticks per operation, overhead included. */
static int take_batches(struct pass *p, size_t wanted, struct error *e)
{
	size_t interrupted = 0;

	p->taken.n = 0;
	canaries_free(&p->m->canaries);
	pmu_reset();
	copies_reset();
	if (take_gap(p, e))
		return -1;
	while (p->taken.n < wanted || is_worth_another(p, wanted, interrupted)) {
		if (p->taken.n == wanted / 2)
			p->m->calibration.middle = calibration_point();
		if (take_batch(p, e))
			return -1;
		interrupted += p->taken.v[p->taken.n - 1].interrupted;
	}
	free(p->m->batches);
	p->m->batches = xcalloc(p->taken.n, sizeof(*p->m->batches));
	keep_batches(p, wanted, interrupted);
	return 0;
}

/* An unsteady pass counts as the warm-up of a second one; if that is unsteady too, it is flagged.
 */
static int take_steady(struct pass *p, size_t wanted, struct error *e)
{
	for (int tries = 0; tries < 2; tries++) {
		if (take_batches(p, wanted, e))
			return -1;
		if (quality_is_steady(p->m->batches, p->m->n))
			return 0;
	}
	p->m->flags |= FLAG_NOT_STEADY;
	return 0;
}

/*
 * Seconds of CPU per operation.  What precedes single operations takes so long that the difference
 * of two readings would not show them; but who never slept had the CPU.
 */
static double cpu_of(const struct pass *p)
{
	const struct measurement *m = p->m;
	const struct account *a = &m->total.account;
	double cpu = account_cpu(a) - (double)m->total.runs * p->overhead.timer_cpu;

	if (m->method == METHOD_SINGLE)
		return isnan(cpu) || a->voluntary ? NAN : m->mean;
	cpu = cpu / (double)m->total.n - p->overhead.cpu;
	return cpu < 0 ? 0 : cpu; /* noise of the subtraction */
}

/* Sum of time / sum of operations.  All batches have the same number, but for single operations of
 * which others disturbed some. */
static double mean_of(const struct measurement *m)
{
	if (m->method != METHOD_SINGLE)
		return sample_mean(m->batches, m->n);
	return m->total.ticks / (double)m->total.n * m->tick - m->overhead;
}

/* Turns the batches into seconds without overhead, and fills in the figures. */
static void reduce(struct pass *p)
{
	struct measurement *m = p->m;
	double timer = p->slope ? 0 : p->overhead.timer / (double)p->n;

	m->tick = calibration_tick(&m->calibration);
	m->overhead = (p->overhead.operation + timer) * m->tick;
	m->uncertainty = p->overhead.uncertainty * m->tick;
	m->iterations = m->total.n / m->n;
	m->minimum = INFINITY;
	for (size_t i = 0; i < m->n; i++) {
		m->batches[i] = m->batches[i] * m->tick - m->overhead;
		m->minimum = fmin(m->minimum, m->batches[i]);
	}
	m->minimum = fmax(m->minimum, 0); /* noise of the subtraction */
	m->mean = mean_of(m);
	m->cpu = cpu_of(p);
	m->deviation = m->n > 1 ? sample_sd(m->batches, m->n) : 0;
	m->seconds = sample_median(m->batches, m->n);
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

/* Takes as many batches and reduces them. */
static int take_pass(struct pass *p, size_t batches, struct error *e)
{
	struct measurement *m = p->m;

	int failed = take_steady(p, batches, e);
	if (!failed) {
		m->calibration.last = calibration_point();
		overhead_reduce(&p->overhead);
		reduce(p);
		add_flags(m);
	}
	/* One batch far below 0, by noise, decides the mean and not the median. */
	double left = fmin(m->seconds, m->mean);
	if (failed || (m->seconds > m->uncertainty && left > 0))
		return failed;
	return error_set(e,
			 "nothing to report: %.3g ns per operation are left after subtracting "
			 "%.3g ns, which are uncertain by %.2g ns",
			 left * 1e9, m->overhead * 1e9, m->uncertainty * 1e9);
}

/* Slope when clock and loop are too large a part of the reading, and if two sizes are possible. */
static void choose_method(struct pass *p, const struct timing *t)
{
	const struct overhead *o = &p->overhead;
	uint64_t limit = batch_limit(p->bench), third = t->n;

	p->n = t->n;
	if (o->timer + o->operation * (double)t->n <= overhead_share * t->ticks)
		return;
	if (!p->plan->iterations)
		third = batch_round(p->bench, (double)t->n / 3);
	/* The cost of bench->overhead grows with n: a difference does not remove it. */
	if (p->bench->overhead || (limit && 2 * third > limit))
		return;
	p->m->method = METHOD_SLOPE;
	p->slope = true;
	p->n = third;
}

/* How often run() is called for a batch of this many operations. */
static uint64_t rounds_of(const struct pass *p, uint64_t operations)
{
	uint64_t n = batch_round(p->bench, (double)operations);

	return operations > n ? operations / n : 1;
}

/* Times a batch of a number of operations that was asked for: the last call of run(). */
static int time_rounds(struct pass *p, uint64_t operations, struct timing *t, struct error *e)
{
	for (uint64_t i = rounds_of(p, operations); i; i--)
		if (search_time(&p->search, batch_round(p->bench, (double)operations), t, e))
			return -1;
	return 0;
}

/*
 * Sets the rounds and returns how many batches to take, if one call of run() lasts as t says: a
 * batch has as many as it takes to last for the target, unless their hooks are long.
 */
static size_t choose_shape(struct pass *p, const struct timing *t)
{
	double target = p->plan->target, rounds = 1;
	double timed = t->ticks * calibration_tick(&p->m->calibration);

	if (p->plan->iterations)
		rounds = (double)rounds_of(p, p->plan->iterations);
	else if (timed < 0.75 * target)
		rounds = fmax(1, fmin(target / timed, SEARCH_HOOKS * target / t->wall));
	p->rounds = (uint64_t)rounds;
	return p->plan->batches ? p->plan->batches : BATCHES;
}

/* Before the first batch; the later samples are taken between batches. */
static int sample_overhead(struct pass *p, uint64_t n, struct error *e)
{
	if (overhead_sample(&p->overhead, p->bench, n, p->plan->eviction, e))
		return -1;
	overhead_reduce(&p->overhead);
	return 0;
}

static int measure_warm(struct pass *p, struct error *e)
{
	uint64_t iterations = p->plan->iterations;
	struct timing t;

	if ((iterations ? time_rounds(p, iterations, &t, e) : search_find(&p->search, &t, e)) ||
	    sample_overhead(p, t.n, e))
		return -1;
	p->m->calibration.last = calibration_point();
	choose_method(p, &t);
	return take_pass(p, choose_shape(p, &t), e);
}

static int measure_single(struct pass *p, struct error *e)
{
	bool cold = p->plan->eviction->cpus;
	struct timing t;

	p->m->method = METHOD_SINGLE;
	p->n = batch_round(p->bench, 1);
	p->search.eviction = cold ? NULL : p->plan->eviction;
	/* The first call also pays for what is done once in a process, such as finding the C
	 * library's functions. */
	if (search_time(&p->search, p->n, &t, e) || sample_overhead(p, p->n, e))
		return -1;
	p->rounds = 1;
	if (cold)
		return take_pass(p, p->plan->batches ? p->plan->batches : 1, e);
	if (search_time(&p->search, p->n, &t, e))
		return -1;
	return take_pass(p, choose_shape(p, &t), e);
}

int engine_measure(struct measurement *m, const struct bench *bench, const struct engine_plan *plan,
		   struct error *e)
{
	struct pass p = { .bench = bench, .plan = plan, .m = m };
	struct account_watch watch;

	account_watch(&watch);
	*m = (struct measurement){ 0 };
	calibration_start(&m->calibration);
	p.search = (struct search){ bench, plan->target, calibration_tick(&m->calibration),
				    INFINITY, NULL };
	int failed = (plan->eviction ? measure_single : measure_warm)(&p, e);
	if (!failed && (account_is_beside_others(&watch) || p.lost > lost_most * p.judged))
		m->flags |= FLAG_DISTURBED;
	overhead_free(&p.overhead);
	vec_free(&p.taken);
	return failed;
}

void measurement_free(struct measurement *m)
{
	free(m->batches);
	m->batches = NULL;
	canaries_free(&m->canaries);
}
