/* SPDX-License-Identifier: MIT */
/*
 * host_state.h - the costs of a run in the mean state of the host during it, or during another run
 * of the same machine.
 *
 * On a shared machine most of the difference between processes, and between runs, is not that of
 * the measured work but a state of the host that everything shares: its frequency, and what others
 * do on the same core.  Every process times reference loops, known work, in the gaps between its
 * batches (osvec-bench(7), where they are called canaries in JSON, and so in the code).  Those of
 * the frequency and of the entry into the kernel are the same work in the processes of all entries,
 * so that the thousands of a run tell its state much better than the few of an entry.  The
 * logarithms of an entry's values are regressed on those of the two canaries (least squares), and
 * each value is adjusted to that state; statisticians call this the method of control variates.
 *
 * A benchmark may itself change what a canary costs, as a seccomp filter does.  An entry whose
 * canaries are more than three standard errors off the medians of their rounds is left as measured,
 * and its canaries do not tell the state.
 *
 * Two more variates were tried and left out, as two runs agreed no better with them: loads from
 * memory, which what an entry leaves in the caches changes, and the mean of the neighbouring
 * processes.
 */
#ifndef DRIVER_HOST_STATE_H
#define DRIVER_HOST_STATE_H

#include "reduction.h"

/*
 * Adjusts the entries of r to the state of the host during like, which may be r, and returns how
 * many.  An entry stays as it is when it changes its canaries, when fewer than ten of its processes
 * have any, or when its values do not depend on them (F test, 5 %); so does a single value without.
 * Intervals and errors include that the regression is estimated.
 */
size_t host_state_adjust(struct reduction *r, const struct reduction *like);
/* Stores in v what the canaries cost in all processes of the run, and the state that its costs are
 * in.
 */
void host_state_describe(const struct reduction *r, struct osvec *v);

#endif
