/* SPDX-License-Identifier: MIT */
/*
 * control.h - the costs of a run as they would be in the state that the host was in during another
 * run of the same machine.
 *
 * On a shared machine most of the difference between processes, and between runs, is not that of
 * the measured work but a state of the host that everything shares.  Every process measures
 * canaries, known work, in the gaps between its batches (osvec-bench(7)).  The logarithms of an
 * entry's values follow those of the canary that explains them best along a line; along it each
 * value is moved to the level which that canary had, in the processes of the same entry, during
 * the other run.  The line comes from the differences within both runs, not from that between them.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "reduce.h"

/*
 * Moves the entries of r to their levels in like, and returns how many.  An entry stays as it is
 * when like lacks it, fewer than ten of its processes in either run have canaries, or it follows
 * none of these.  Intervals and errors include that the line is not known exactly.
 */
size_t control_move(struct reduction *r, const struct reduction *like);
/* {"call": [median, lowest tenth, highest tenth], ...}: seconds per unit of work of each canary,
 * over all processes of the run; NULL: no process has canaries. */
json_t *control_state(const struct reduction *r);

#endif
