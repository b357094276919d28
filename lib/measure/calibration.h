/* SPDX-License-Identifier: MIT */
/*
 * calibration.h - how long a tick of the clock is, measured against CLOCK_MONOTONIC_RAW.
 *
 * The process itself is the yardstick: a point at its start, one on the way, one at its end.  Each
 * point is good to some 20 ns, so a process of 40 ms knows its tick to a millionth.
 */
#ifndef CALIBRATION_H
#define CALIBRATION_H

#include <stdbool.h>
#include <stdint.h>

/* The same instant on both clocks. */
struct calibration_point {
	uint64_t ticks;
	uint64_t nanoseconds;
	uint64_t width; /* ticks between the readings around it: its uncertainty */
};

struct calibration {
	struct calibration_point first, middle, last;
};

/* Takes the first point and a second one 0.1 ms later, so that calibration_tick is good to some
 * 0.1 % from the start. */
void calibration_start(struct calibration *c);
/* Takes a point half-way: what calibration_drift compares. */
void calibration_mark(struct calibration *c);
/* Takes the latest point. */
void calibration_update(struct calibration *c);
/* Seconds per tick between the first and the latest point. */
double calibration_tick(const struct calibration *c);
/* The relative uncertainty of calibration_tick. */
double calibration_error(const struct calibration *c);
/* The relative change of the tick from the first to the second half, or 0 when it is within the
 * uncertainty of the points. */
double calibration_drift(const struct calibration *c);

#endif
