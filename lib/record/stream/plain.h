/* SPDX-License-Identifier: MIT */
/* plain.h - records that stand for one event each, whatever came before. */
#ifndef PLAIN_H
#define PLAIN_H

#include "record/stream/records.h"
#include "trace/event.h"

/* Makes *e, which has the process, thread and time of r, the event that r stands for: a switch, a
 * wake-up, a signal, a fault, a soft interrupt or a request to a block device. */
void plain_event(struct event *e, const struct record *r);

#endif
