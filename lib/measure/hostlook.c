/* SPDX-License-Identifier: MIT */
#include "measure/hostlook.h"

#include <math.h>

#include "measure/clock.h"
#include "stats/sample.h"

static void look_here(void *arg)
{
	enum { TAKES = 9 };
	struct hostlook *l = arg;
	struct hostlook_cpu *c = &l->cpus[l->n++];
	struct calibration clock;
	struct canaries taken = { 0 };

	c->cpu = sched_getcpu();
	calibration_start(&clock);
	for (int i = 0; i < TAKES; i++)
		canaries_take(&taken);
	clock.last = calibration_point();
	for (int k = 0; k < CANARIES; k++)
		c->seconds[k] =
		    sample_median(taken.ticks[k].v, taken.ticks[k].n) * calibration_tick(&clock);
	canaries_free(&taken);
}

void hostlook_take(struct hostlook *l)
{
	l->n = 0;
	cpus_visit(look_here, l);
	for (size_t i = 0; i < l->n; i++)
		l->cpus[i].busy = cpus_busy(l->cpus[i].cpu);
}

void hostlook_between(const struct hostlook *a, const struct hostlook *b, double seconds[CANARIES])
{
	double busy[CPUS_VISITED], all = 0;

	for (size_t i = 0; i < b->n; i++) {
		const double more = b->cpus[i].busy - a->cpus[i].busy;
		const bool same = i < a->n && a->cpus[i].cpu == b->cpus[i].cpu;

		busy[i] = same ? fmax(more, 0) : 0; /* 0 for NaN, too */
		all += busy[i];
	}
	for (int k = 0; k < CANARIES; k++) {
		seconds[k] = 0;
		for (size_t i = 0; i < b->n; i++) {
			const double share = all > 0 ? busy[i] / all : 1 / (double)b->n;
			const double before = i < a->n ? a->cpus[i].seconds[k] : NAN;

			seconds[k] += share > 0 ? share * (before + b->cpus[i].seconds[k]) / 2 : 0;
		}
	}
}
