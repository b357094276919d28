/* SPDX-License-Identifier: MIT */
/*
 * history.h - runs.jsonl read back: what the processes of a run reported besides their values, by
 * entry.  Values are read from the entries' files (results.h); shipped runs have no runs.jsonl.
 */
#ifndef DRIVER_HISTORY_H
#define DRIVER_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "vector/osvec.h"

enum history_verdict {
	HISTORY_COUNTED,   /* its value stands in the entry's file */
	HISTORY_DISTURBED, /* an outside cause; it was repeated */
	HISTORY_FAILED,
	HISTORY_UNSUPPORTED,
	HISTORY_VERDICTS
};

/* The word in runs.jsonl. */
const char *history_verdict_name(enum history_verdict v);

/* The median over the counted processes of what each reported. */
struct history_medians {
	double faults, switches, batch_sd;
};

/* What one counted process reported.  NaN: nothing. */
struct history_run {
	unsigned round;
	double seconds;			 /* the value in the entry's file */
	double mean;			 /* wall time of all operations / operations */
	double cpu;			 /* seconds of CPU per operation */
	double canaries[OSVEC_CANARIES]; /* the median over the gaps between batches, in seconds */
};

struct history_entry {
	char *name, *curve;	  /* curve: NULL when not reported */
	double size, bytes;	  /* NaN, 0 when not reported */
	double footprint;	  /* NaN: none */
	double ticks, user_ticks; /* the sums over the counted processes; 0: not reported */
	struct history_run *runs; /* counted, by round */
	size_t n;
	double wall;	  /* seconds of all its processes */
	size_t processes; /* of any verdict */
	char *flags;	  /* raised by more than a quarter of the processes: "A,B" */
	struct history_medians median;
};

struct history {
	struct history_entry *entries; /* in order of first appearance */
	size_t n;
	unsigned rounds; /* begun */
};

/* 0, or -1 and *e: the object of a process, which the program printed, has a member that
 * history_read would refuse. */
int history_check(const json_t *run, const char *program, struct error *e);
/* Reads DIR/runs.jsonl; a missing file is an empty history, a torn last line is left out.  NULL
 * and *e ("runs.jsonl:12: ...") when a line is no run. */
struct history *history_read(const char *path, struct error *e);
/* NULL is fine. */
void history_free(struct history *h);
/* The entry of that name, or NULL. */
const struct history_entry *history_find(const struct history *h, const char *name);

#endif
