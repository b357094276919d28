/* SPDX-License-Identifier: MIT */
#include "measure/calibration.h"

#include <math.h>

#include "measure/clock.h"

enum { TRIES = 16 };

/* The narrowest of a few readings: an interrupt in between makes the others wide. */
static struct calibration_point point(void)
{
	struct calibration_point best = { .width = UINT64_MAX };

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = clock_start();
		uint64_t now = clock_reference();
		uint64_t after = clock_stop();

		if (after - before < best.width)
			best = (struct calibration_point){ before + (after - before) / 2, now,
							   after - before };
	}
	return best;
}

void calibration_start(struct calibration *c)
{
	c->first = point();
	while (clock_reference() < c->first.nanoseconds + 100000)
		;
	c->middle = c->last = point();
}

void calibration_mark(struct calibration *c)
{
	c->middle = point();
}

void calibration_update(struct calibration *c)
{
	c->last = point();
}

static double rate(const struct calibration_point *a, const struct calibration_point *b)
{
	return (double)(b->nanoseconds - a->nanoseconds) * 1e-9 / (double)(b->ticks - a->ticks);
}

static double uncertainty(const struct calibration_point *a, const struct calibration_point *b)
{
	return (double)(a->width + b->width) / 2 / (double)(b->ticks - a->ticks);
}

double calibration_tick(const struct calibration *c)
{
	return clock_in_nanoseconds() ? 1e-9 : rate(&c->first, &c->last);
}

double calibration_error(const struct calibration *c)
{
	return clock_in_nanoseconds() ? 0 : uncertainty(&c->first, &c->last);
}

double calibration_drift(const struct calibration *c)
{
	if (clock_in_nanoseconds())
		return 0;
	double change = rate(&c->middle, &c->last) / rate(&c->first, &c->middle) - 1;
	double noise = uncertainty(&c->middle, &c->last) + uncertainty(&c->first, &c->middle);
	return fabs(change) > noise ? change : 0;
}
