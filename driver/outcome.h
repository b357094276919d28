/* SPDX-License-Identifier: MIT */
/*
 * outcome.h - one entry measured once: its program run, what it printed understood, and a verdict
 * by rules that were fixed beforehand.
 */
#ifndef DRIVER_OUTCOME_H
#define DRIVER_OUTCOME_H

#include <sched.h>
#include <stdbool.h>
#include <stdint.h>

#include <jansson.h>

#include "history.h"
#include "peer.h"
#include "suite.h"
#include "util/error.h"

/* How programs are run; the same for all entries of a run. */
struct plan {
	char *programs;	       /* their directory */
	char *directory;       /* on the file system under test */
	double batch;	       /* seconds; 0: the programs' default */
	uint64_t batches;      /* 0: the programs' default */
	double timeout;	       /* seconds */
	int cpus[CPU_SETSIZE]; /* that may be used */
	size_t ncpus;
	char *events;	  /* to count as well; NULL: none */
	struct peer peer; /* of entries whose peer is on another machine */
	uint64_t seed;	  /* of the padding that moves stacks */
};

struct outcome {
	enum history_verdict verdict;
	double seconds;	  /* per operation; NaN unless counted or disturbed */
	double wall;	  /* seconds that it took */
	bool hopeless;	  /* failed, and a second try would fail as well */
	char reason[512]; /* unless counted */
	json_t *run;	  /* its object, for runs.jsonl */
};

/* Measures x in this round.  Release with outcome_done. */
void outcome_take(struct outcome *o, const struct plan *plan, const struct suite_entry *x,
		  uint64_t round);
/* A disturbed outcome that is not repeated counts after all. */
void outcome_accept(struct outcome *o);
/* Returns the memory. */
void outcome_done(struct outcome *o);

#endif
