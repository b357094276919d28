/* SPDX-License-Identifier: MIT */
/* cpu_events.h - for ktranal vector: the events of the CPU in an application, such as instructions.
 */
#ifndef KTRANAL_CPU_EVENTS_H
#define KTRANAL_CPU_EVENTS_H

#include "counters/formula.h"
#include "vector/appvec.h"
#include "vector/profile.h"

/* Reads which events they are from conf/events.conf; formulas_free() returns the memory in any
 * case. Returns 0, or -1 after a message. */
int cpu_events_read(struct formula_file *events);
/* Sets the events of *a to those of a file or, where that is NULL, of the traces of profiles[n], as
 * far as they were counted in the modes of the first.  Returns 0, or -1 after a message. */
int cpu_events_make(struct appvec *a, const struct formula_file *events, const char *file,
		    struct profile *const *profiles, size_t n);
/* Prints the events of *a for a unit of work, if there are any. */
void cpu_events_print(const struct appvec *a);

#endif
