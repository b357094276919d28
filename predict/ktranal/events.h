/* SPDX-License-Identifier: MIT */
/* events.h - the events that threads are counted by, as options name them. */
#ifndef KTRANAL_EVENTS_H
#define KTRANAL_EVENTS_H

#include "record/record.h"
#include "util/opt.h"

/* Sets the events of *t, which are never freed, to those of the stack named `list` in
 * conf/cpi.conf, of this machine's stack ("stack"), or of a list of names.  Ends the program when a
 * name is no event, which is bad usage, or when the events cannot be known. */
void events_set(const struct opt_usage *usage, const char *list, struct record_target *t);

#endif
