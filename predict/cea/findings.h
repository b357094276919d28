/* SPDX-License-Identifier: MIT */
/* findings.h - what cea finds in a trace: the characterizations of its waits and the interferences
 * of its requests, and their names. */
#ifndef CEA_FINDINGS_H
#define CEA_FINDINGS_H

#include "../common/load.h"
#include "graph/characterization.h"
#include "graph/interference.h"

/* Zero it but for lost.by_process.  In findings_read's result the longest come first. */
struct findings {
	struct load *load;
	struct graph *graph;
	struct characterizations waits;
	struct interferences lost;
	uint16_t *same; /* by state: the first state with the same name */
	char **classes; /* the names of lost.classes */
};

/* clang-format off */
/* A row of an option table; `by` is a static const char *. */
#define FINDINGS_BY(by) \
	{ 0, "by", OPT_STRING, &(by), "WORD", 0, 0, \
	  "tell requests of each program (default) or each process apart" }
/* clang-format on */

typedef void findings_charge(struct graph *g, contention_take *take, void *arg);

/* Sets f->lost.by_process; any other word than program, process or NULL is bad usage. */
void findings_by(struct findings *f, const char *by, const struct opt_usage *usage);
/* Reads the trace l->path and merges its waits and what `charge` reports, which is contention(),
 * one of its parts, or NULL; lock waits are charged in any case. */
void findings_read(struct findings *f, struct load *l, findings_charge *charge);
/* Returns a name such as "sink read pipe", "sink parse: read pipe", or "sink" for a thread outside
 * of calls; the caller frees. */
char *site_name(const struct graph *g, struct site site);
/* Returns a name such as "sink read pipe waits (pipe) for source write pipe"; the caller frees. */
char *wait_name(const struct graph *g, const struct characterization *c);
/* Returns "cpu", "lock", "server", "disk" or "link"; static. */
const char *resource_name(enum resource resource);
/* Returns the name of the cause with that key; the caller frees. */
char *cause_name(const struct graph *g, uint64_t key);
/* Prints warnings about what the trace and the program lack, and frees both structs. */
void findings_end(struct findings *f, struct load *l);

#endif
