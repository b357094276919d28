/* SPDX-License-Identifier: MIT */
/*
 * profile.h - what one traced run asks of the OS: its events go in, a trace of an application
 * vector comes out.  Memory depends on the entries used and the processes seen, not on the number
 * of events.
 */
#ifndef VECTOR_PROFILE_H
#define VECTOR_PROFILE_H

#include "counters/formula.h"
#include "trace/event.h"
#include "vector/appvec.h"
#include "vector/basis.h"

struct profile;

/* Uses basis until it is freed. */
struct profile *profile_new(struct basis *basis);
/* What came of calls. */
enum outcome { OUTCOME_DONE, OUTCOME_FAILED, OUTCOMES };
/* Whether a call failed; one of which that is not known did not. */
enum outcome outcome_of(const struct event *call);
/*
 * From now on each call counts as weights[its id][its outcome] calls, or as one if its id is n or
 * larger: for traces in which tracing changed how often calls are made.  The array is copied.
 */
void profile_weigh(struct profile *p, const double (*weights)[OUTCOMES], size_t n);
/*
 * Counts calls of that id that are missing from the trace: they are mapped to the null entry as a
 * fallback.
 */
void profile_add_unseen(struct profile *p, unsigned id, double calls);
/*
 * Counts one event.  A call is added to the item of each term of its rule; its time to that of the
 * first term only, so that the times of all items add up to the time in all calls.  A call without
 * a rule, or without the size that its rule needs, is added to the null entry as a fallback.  A
 * call that did not return is only counted as unfinished, except exit and exit_group, which never
 * return.
 */
void profile_add(struct profile *p, const struct event *e);
/*
 * From now on COUNTER events of these names, modifiers aside, are what the CPUs counted for
 * profile_events(): their first four, in the order of struct appvec_events.  f must outlive the
 * profile.
 */
void profile_count_events(struct profile *p, const struct formulas *f);
/* What each would have counted in all of the time in which any was, as events take turns:
 * all[APPVEC_EVENTS]; NaN: it was never counted.  modes[]: for counts_modes(). */
void profile_events(const struct profile *p, double *all, unsigned *modes);
/*
 * The events so far as *out, which the caller owns; its file name is "".  What the events do not
 * hold is NaN: times of a trace without durations, switches without SWITCH events, user and system
 * time and faults unless COUNTER events named after these members ("user", "minor_faults") gave
 * them, and none of those was NaN.  Those named "wakeups" are an item of the basis's @wake, and
 * FAULT events items of its @fault.KIND, from APPVEC_FAULTS.
 */
void profile_trace(const struct profile *p, struct appvec_trace *out);
/* NULL is fine. */
void profile_free(struct profile *p);

#endif
