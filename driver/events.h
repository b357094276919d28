/* SPDX-License-Identifier: MIT */
/* events.h - the events that hbench run --events counted in the processes of a run. */
#ifndef DRIVER_EVENTS_H
#define DRIVER_EVENTS_H

#include <stdio.h>

#include <jansson.h>

#include "util/error.h"

/* Prints what one operation of each entry counts, from the log of the run at path, whose meta.json
 * says what was asked for; nothing when nothing was.  0, or -1 and *e when the log is unreadable.
 */
int events_print(const char *path, const json_t *meta, FILE *f, struct error *e);
/* {ENTRY: {EVENT: how many of them a second}}, the medians of its processes, for an OS vector. NULL
 * where nothing was asked for or counted, or the log is unreadable. */
json_t *events_rates(const char *path, const json_t *meta);

#endif
