/* SPDX-License-Identifier: MIT */
/*
 * level.h - how much more, or less, calls cost in the application than in the benchmarks: level 2
 * finds that from the reference's system time, level 1 from a time that was measured on one
 * machine, level 0 not at all.
 */
#ifndef OSVEC_PREDICT_LEVEL_H
#define OSVEC_PREDICT_LEVEL_H

#include "query.h"

/* Finds the level of q, and the inflation on the reference and the footprint or share that explains
 * it. */
void level_choose(struct query *q);
/* Returns by what the kernel part of a machine of that kind, with entries at footprints or without,
 * is multiplied at that level. */
double level_kernel_factor(const struct query *q, bool footprints, enum kind kind);
/* Returns the prediction for a machine at that level, in the state of its vector and without a
 * quota; the caller frees. */
struct prediction *level_price(const struct query *q, const struct osvec *machine);
/* Returns what level 2 compares with the reference's system time: the prediction for the reference
 * at the footprint that was found, before it is scaled; NULL at other levels.  The caller frees. */
struct prediction *level_price_insitu(const struct query *q);
/* Level 1: multiplies all predictions of q by what makes that of --calibrate's machine its time,
 * and adds a note. */
void level_calibrate(struct query *q);
/* Returns the level in words, such as "0 (uncalibrated)"; static. */
const char *level_name(const struct query *q);

#endif
