/* SPDX-License-Identifier: MIT */
#include "measure/look.h"

#include <math.h>
#include <stddef.h>

#include "measure/clock.h"
#include "stats/sample.h"

static void look_here(void *arg)
{
	enum { TAKES = 9, AWAKE = 2000000 /* ns */ };
	struct look *l = arg;
	struct look_cpu *c = &l->cpus[l->n++];
	struct canaries first = { 0 }, taken = { 0 };
	struct calibration clock;
	const uint64_t start = clock_nanoseconds();

	c->cpu = sched_getcpu();
	c->before = cpus_busy(c->cpu);
	while (clock_nanoseconds() - start < AWAKE)
		canaries_take(&first);
	calibration_start(&clock);
	for (int i = 0; i < TAKES; i++)
		canaries_take(&taken);
	clock.last = calibration_point();
	for (int k = 0; k < CANARIES; k++)
		c->seconds[k] =
		    sample_median(taken.ticks[k].v, taken.ticks[k].n) * calibration_tick(&clock);
	canaries_free(&first);
	canaries_free(&taken);
}

void look_take(struct look *l)
{
	l->n = 0;
	l->before = cpus_busy(-1);
	cpus_visit(look_here, l);
	for (size_t i = 0; i < l->n; i++)
		l->cpus[i].after = cpus_busy(l->cpus[i].cpu);
	l->after = cpus_busy(-1);
}

/* What a look found on that CPU, or NULL. */
static const struct look_cpu *find(const struct look *l, int cpu)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->cpus[i].cpu == cpu)
			return &l->cpus[i];
	return NULL;
}

void look_between(const struct look *a, const struct look *b, double seconds[CANARIES])
{
	const struct look_cpu *then[CPUS_VISITED];
	double busy[CPUS_VISITED], all = 0;

	for (size_t i = 0; i < b->n; i++) {
		then[i] = find(a, b->cpus[i].cpu);
		busy[i] = then[i] ? fmax(b->cpus[i].before - then[i]->after, 0) : 0;
		all += busy[i];
	}
	const bool told = all > 0 && all >= (b->before - a->after) / 2;
	for (int k = 0; k < CANARIES; k++) {
		seconds[k] = 0;
		for (size_t i = 0; i < b->n; i++) {
			const double share = told ? busy[i] / all : 1 / (double)b->n;
			const double now = b->cpus[i].seconds[k];

			seconds[k] += share * (now + (then[i] ? then[i]->seconds[k] : now)) / 2;
		}
	}
}

void looks_add(struct looks *l, const struct look *now)
{
	double run[CANARIES];

	if (l->n)
		look_between(&l->last, now, run);
	for (int k = 0; k < CANARIES; k++)
		l->mean[k] = l->n ? l->mean[k] + (run[k] - l->mean[k]) / (double)l->n : 0;
	l->last = *now;
	l->n++;
}
