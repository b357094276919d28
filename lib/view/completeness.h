/* SPDX-License-Identifier: MIT */
/* completeness.h - how much of what happened the traces behind a table hold. */
#ifndef COMPLETENESS_H
#define COMPLETENESS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <jansson.h>

#include "trace/source.h"
#include "util/table.h"

/* Zeroed is valid: no trace yet. */
struct completeness {
	uint64_t calls; /* that returned */
	uint64_t exits; /* exit and exit_group, which never return */
	struct source_losses losses;
	uint64_t call_cost; /* ns, as in struct source_info; the highest of all traces */
	char bad_path[256]; /* the trace that losses.first_bad is in */
};

/* A call that returned: what strace -c counts. */
bool completeness_is_return(const struct event *e);
/* exit or exit_group. */
bool completeness_is_exit(const struct event *e);
/* Counts one event. */
void completeness_add(struct completeness *c, const struct event *e);
/* Adds the losses of a trace that has been read to its end. */
void completeness_end(struct completeness *c, const char *path, const struct source *s);
/* True when something is missing that could have been there: calls cut by the end are not. */
bool completeness_is_lossy(const struct completeness *c);
/* Text: a line of numbers below a table, and one more that says what is missing.  Other formats: only
 * the latter, on stderr. */
void completeness_print(const struct completeness *c, FILE *f, enum table_format format);
/* The same as a JSON object, a new reference. */
json_t *completeness_json(const struct completeness *c);

#endif
