/* SPDX-License-Identifier: MIT */
#include "level.h"

#include <err.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/footprint.h"

/* The machines that costs are borrowed from: the reference, then the others in their order. */
static struct lenders make_lenders(const struct query *q)
{
	const struct osvec **v = xcalloc(q->machines.n + 1, sizeof(*v));
	size_t n = 0;

	if (q->reference)
		v[n++] = q->reference;
	for (size_t i = 0; i < q->machines.n; i++)
		if (q->machines.v[i].vector != q->reference)
			v[n++] = q->machines.v[i].vector;
	return (struct lenders){ v, n };
}

static struct prediction *price(const struct query *q, const struct osvec *machine,
				double footprint)
{
	struct error e;
	struct prediction *p =
	    prediction_new(q->demand, machine, q->reference, footprint, q->lenders, &e);

	if (!p)
		errx(1, "%s", e.text);
	return p;
}

/* The inflation that is left of the reference's system time at a footprint. */
static double inflation_at(const struct query *q, double footprint)
{
	struct prediction *p = price(q, q->reference, footprint);
	double h = prediction_inflation(p);

	prediction_free(p);
	return h;
}

/*
 * Level 2: the footprint at which the calls of the application cost on the reference what they
 * cost there in truth.  Between two that were measured, costs, the reciprocals of inflations, are
 * linear in its logarithm.  Returns the inflation that it leaves.
 */
static double find_footprint(struct query *q)
{
	double low = FOOTPRINT_LEAST, high = footprint_next(q->reference, low), h = q->inflation;

	while (h > 1 && isfinite(high)) {
		const double next = inflation_at(q, high);

		if (next <= 1) {
			q->footprint = low * pow(high / low, (1 - 1 / h) / (1 / next - 1 / h));
			return 1;
		}
		q->footprint = low = high;
		high = footprint_next(q->reference, low);
		h = next;
	}
	return h;
}

/*
 * Level 2 where calls cost less than in the benchmarks, some of which pass data from one CPU to
 * another: the share of these calls that must be priced as on one CPU.  Costs, the reciprocals of
 * inflations, are linear in it.  Returns the inflation that it leaves.
 */
static double find_same_cpu(struct query *q)
{
	const double h = q->inflation;

	demand_price_on_one_cpu(q->demand, q->reference, 1);
	const double all = inflation_at(q, 0);
	if (all > h)
		q->same_cpu = all > 1 ? (1 / h - 1) / (1 / h - 1 / all) : 1;
	demand_price_on_one_cpu(q->demand, q->reference, q->same_cpu);
	return inflation_at(q, 0); /* 1; less where all of them are not enough */
}

/* The first machine that is no hosted kernel where the reference is one, or NULL: by how much calls
 * cost more inside a program below such a hypervisor says nothing of others. */
static const struct osvec *first_unlike(const struct query *q)
{
	for (size_t i = 0; kind_of(q->reference, NULL) == KIND_HOSTED && i < q->machines.n; i++)
		if (kind_of(q->machines.v[i].vector, NULL) != KIND_HOSTED)
			return q->machines.v[i].vector;
	return NULL;
}

static void choose_level(struct query *q)
{
	if (q->level == QUERY_LEVEL_BEST && isnan(q->inflation))
		q->level = 0;
	if (q->level == QUERY_LEVEL_BEST) {
		const struct osvec *unlike = first_unlike(q);

		q->level = unlike ? 0 : 2;
		if (unlike)
			query_note(q,
				   "level 0: processes of %s, where it was recorded, cost as much "
				   "as on a hosted kernel, and those of %s do not; what calls cost "
				   "more inside the application there is not carried over (--level "
				   "2 does)",
				   q->reference->machine, unlike->machine);
	}
	if (q->level == 2 && isnan(q->inflation))
		errx(1,
		     "level 2 needs the machine that %s was recorded on (--reference) and its "
		     "system time (ktranal vector -t)",
		     q->application_path);
}

/* Takes from the user time of the recording what calls and page faults take in user mode on the
 * reference, as their prices hold it.  Returns the inflation there; NaN: not known. */
static double find_inflation(const struct query *q)
{
	if (!q->reference)
		return NAN;
	struct prediction *p = price(q, q->reference, 0);
	double *seconds = prediction_user_mode(p);

	demand_move_user(q->demand, seconds);
	const double h = prediction_inflation(p); /* of the system time as it is now */
	free(seconds);
	prediction_free(p);
	return h;
}

void level_choose(struct query *q)
{
	if (!q->lenders.n)
		q->lenders = make_lenders(q);
	demand_set_state(q->demand, q->reference);
	demand_split_user(q->demand, q->reference);
	q->inflation = q->left = find_inflation(q);
	choose_level(q);
	demand_scale_waits(q->demand, q->level == 2 ? q->reference : NULL);
	if (q->level == 2)
		q->left = q->inflation < 1 ? find_same_cpu(q) : find_footprint(q);
}

double level_kernel_factor(const struct query *q, bool footprints, enum kind kind)
{
	double h = footprints || q->inflation < 1 ? q->left : q->inflation;

	if (q->level != 2)
		return 1;
	/* There are no caches in virtual time. */
	return kind == KIND_VIRTUAL ? fmin(h, 1) : h;
}

struct prediction *level_price(const struct query *q, const struct osvec *machine)
{
	struct prediction *p = price(q, machine, q->footprint);

	prediction_scale(p, level_kernel_factor(q, isfinite(footprint_next(machine, 0)), p->kind),
			 1, !q->without_wait);
	if (!(p->total > 0))
		errx(1, "%s: takes no CPU time on %s: it only waits", q->application_path,
		     machine->machine);
	return p;
}

struct prediction *level_price_insitu(const struct query *q)
{
	return q->level == 2 ? price(q, q->reference, q->footprint) : NULL;
}

void level_calibrate(struct query *q)
{
	size_t n = (size_t)(strrchr(q->calibration, '=') - q->calibration);
	size_t i = query_machine(q, "calibrate", q->calibration, n);

	double factor = q->known * q->units_per_run / q->predictions[i]->total;
	for (size_t k = 0; k < q->machines.n; k++)
		prediction_scale(q->predictions[k], factor, factor, factor);
	q->predictions[i]->known = true;
	query_note(q, "level 1: predictions times %.3g, so that %s takes what was measured", factor,
		   q->machines.v[i].label);
}

const char *level_name(const struct query *q)
{
	static const char *const names[] = { "0 (uncalibrated)", "1 (one measured run)",
					     "2 (reference's system time)" };

	return names[q->level];
}
