/* SPDX-License-Identifier: MIT */
/*
 * control.h - the costs of a run in the mean state of the host during it, or during another run of
 * the same machine.
 *
 * On a shared machine most of the difference between processes, and between runs, is not that of
 * the measured work but a state of the host that everything shares: its frequency, and what others
 * do on the same core.  Every process measures canaries, known work, in the gaps between its
 * batches (osvec-bench(7)).  Those of the frequency and of the entry into the kernel cost the same
 * in the processes of all entries, so that the thousands of a run tell its state much better than
 * the few of an entry.  Along the plane by which the logarithms of an entry's values follow those
 * of the two canaries (least squares), each value is moved to that state: these are control
 * variates, as simulations use them.
 *
 * Memory-bound entries follow these two little, and no other canary settles that.  In two default
 * runs of 248 entries, the standard deviation of the logarithms of an entry's values was 21 %, with
 * the two canaries 11.4 %, with that of the memory too 10.3 %, with the processes before and after
 * too 9.1 % (what batches in one process differ by explains 3.6 %): intervals 10-20 % narrower, but
 * the runs, each moved to the state of the first, did not agree better with the memory's, and with
 * the neighbours worse, 4.7 instead of 2.5 %.
 */
#ifndef CONTROL_H
#define CONTROL_H

#include "reduce.h"

/* The canaries that tell the state, the first of history.h: not the one of the memory, for what an
 * entry leaves in the caches moves it. */
enum { CONTROL_CANARIES = 2 };

/*
 * Moves the entries of r to the state of the host during like, which may be r, and returns how
 * many.  An entry stays as it is when fewer than ten of its processes have canaries, or when it
 * does not follow them (F test, 5 %); so does a single value without.  Intervals and errors include
 * that the plane is not known exactly.
 */
size_t control_move(struct reduction *r, const struct reduction *like);
/* {"call": [median, lowest tenth, highest tenth], ...}: seconds per unit of work of each canary,
 * over all processes of the run; NULL: no process has canaries. */
json_t *control_state(const struct reduction *r);

#endif
