/* SPDX-License-Identifier: MIT */
/*
 * labels.h - for ktranal summary: the file, the peer and the control group of each call, by name.
 *
 * A label is the number of a name, from 1, which stays the same in all traces; 0: not known.
 */
#ifndef KTRANAL_LABELS_H
#define KTRANAL_LABELS_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/connections.h"
#include "trace/event.h"
#include "trace/fd/fdtable.h"
#include "trace/source.h"
#include "util/map.h"

/* Zeroed: nothing is known, and no labels are wanted. */
struct labels {
	bool files, peers, cgroups; /* which are wanted: the others stay 0 */
	struct names names;
	/* Of this trace: */
	struct map objects;  /* object -> the label of its file */
	struct map peers_of; /* object -> its peer */
	struct map groups;   /* process -> its control group */
	struct fdtable *fds; /* by which directories are known; and their names, by object */
	struct map directories;
	uint32_t file;			/* of the event at hand, as of objects */
	struct connections connections; /* what the peers are known from */
};

/* Begins a trace, whose numbers mean others than those of the one before. */
void labels_begin(struct labels *l, const struct source_info *info);
/* Learns from an event; what the functions below return of a call is as of its own event. */
void labels_event(struct labels *l, const struct event *e);
/* Returns the label of what the call's descriptor is or, without one, of the path it takes, from
 * the root if its directory is known. */
uint32_t labels_file(struct labels *l, const struct event *call);
/* Returns the label of whom the call's descriptor is connected with. */
uint32_t labels_peer(const struct labels *l, const struct event *call);
/* Returns the label of the control group of the call's process. */
uint32_t labels_cgroup(const struct labels *l, const struct event *call);
/* Returns the name that a label stands for; NULL: 0 stands for none. */
const char *labels_name(const struct labels *l, uint32_t label);
/* Frees everything. */
void labels_free(struct labels *l);

#endif
