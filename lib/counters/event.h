/* SPDX-License-Identifier: MIT */
/* event.h - names of events as libpfm4 knows them, and what counting them here may run into. */
#ifndef COUNTERS_EVENT_H
#define COUNTERS_EVENT_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"

enum { EVENT_UNSUPPORTED = -3 }; /* cannot be counted on this machine, or not by this user */

/* Fills the attributes of an event: "PERF_COUNT_SW_PAGE_FAULTS", "skl::L1D:REPLACEMENT", with
 * modifiers of libpfm4 such as ":u".  0, -1 and *e: nothing has that name, or EVENT_UNSUPPORTED and
 * *e: there is no libpfm4. */
int event_encode(const char *name, struct perf_event_attr *attr, struct error *e);
/*
 * The event as "NAME@HEX", which event_encode() understands in programs without libpfm4, too: HEX
 * are the bytes of its attributes up to the last that is not zero.  What libpfm4 does not know
 * stays as it is.  The caller frees.
 */
char *event_encoded(const char *name);
/* Names of PMUs that this machine does not have are known, too: call it before all others here. */
void event_any_pmu(void);
/* Whether libpfm4 knows a PMU of that name; *present: this machine has it, *counters: how many
 * events it counts at once, fixed counters included.  Pointers may be NULL. */
bool event_pmu(const char *pmu, bool *present, int *counters);

/* Explains errno of perf_event_open(2) for an event, and leaves one of a permission.
 * EVENT_UNSUPPORTED or -1, and *e. */
int event_refused(const char *name, struct error *e);
/*
 * Whether hardware events can be counted, by the files below root ("" or a directory with copies
 * of /proc and /sys).  0, or EVENT_UNSUPPORTED and in *e why not and what would help: no PMU, one
 * that a hypervisor hides, two kinds of cores; event_refused() knows of permissions.
 */
int event_possible(const char *root, struct error *e);
/* Whether the kernel's watchdog has taken a counter there. */
bool event_watchdog(const char *root);

#endif
