/* SPDX-License-Identifier: MIT */
/* events.h - the events that threads are counted by, as options name them. */
#ifndef KTRANAL_EVENTS_H
#define KTRANAL_EVENTS_H

#include "record/record.h"
#include "util/opt.h"

/* Sets the events of t: of the stack of that name in conf/cpi.conf, of this machine's ("stack"),
 * or a list of names, of which one that is none is bad usage.  Ends the program when they cannot be
 * known.  Never freed. */
void events_set(const struct opt_usage *usage, const char *list, struct record_target *t);

#endif
