/* SPDX-License-Identifier: MIT */
/*
 * results.h - the directory of one run, RESULTS/MACHINE/RUN (docs/results.5): the file system is
 * the database.
 *
 *	ENTRY		seconds per operation, one number a line, one line per process: the values
 *	runs.jsonl	a log of every process, with all that it reported
 *	skipped		entries without numbers: name TAB reason
 *	meta.json	machine, suite, seed, start and end
 *	summary.tsv, osvec.json		reductions of the above
 *
 * Lines are appended as processes end.  A line that a kill tore is cut off when the run is resumed.
 */
#ifndef DRIVER_RESULTS_H
#define DRIVER_RESULTS_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "util/error.h"

struct results {
	char *path;	     /* of the run */
	char *machine, *run; /* the last two components */
	int directory;	     /* descriptor, locked as long as the run goes on; -1: none */
};

/* Makes RESULTS/MACHINE/RUN, RUN being the time.  0, or -1 and *e. */
int results_create(struct results *r, const char *root, const char *machine, struct error *e);
/* Opens an existing run to continue it and cuts torn lines off its files.  0, or -1 and *e, also
 * when its process lives. */
int results_resume(struct results *r, const char *path, struct error *e);
/* Ends the lock of its directory, and returns the memory. */
void results_close(struct results *r);

/* Each appends one line.  0, or -1 and *e, and then nothing was appended. */
int results_add_value(const struct results *r, const char *entry, double seconds, struct error *e);
int results_add_run(const struct results *r, const json_t *run, struct error *e);
int results_add_skipped(const struct results *r, const char *entry, const char *reason,
			struct error *e);
/* Makes all that was appended survive a power failure.  0, or -1 and *e. */
int results_sync(const struct results *r, struct error *e);
/* Replaces meta.json.  0, or -1 and *e. */
int results_write_meta(const struct results *r, const json_t *meta, struct error *e);

/* The object in DIR/meta.json of a run.  NULL and *e. */
json_t *results_read_meta(const char *path, struct error *e);
/* A whole regular file of the run, with a NUL behind it, and its bytes.  The caller frees; NULL and
 * *e. */
char *results_read(const char *path, const char *name, size_t *n, struct error *e);
/* The numbers in ENTRY of the run, one a line; a torn last line is left out.  0, or -1 and *e, also
 * for whatever hbench does not write. */
int results_read_values(const char *path, const char *entry, double **values, size_t *n,
			struct error *e);
struct skipped {
	char *entry, *reason;
};
/* The lines of DIR/skipped, none when there is no such file; a torn last line is left out. */
int results_read_skipped(const char *path, struct skipped **skipped, size_t *n, struct error *e);
/* Returns the memory. */
void results_free_skipped(struct skipped *skipped, size_t n);
/* Whether the entry has a file, and so values. */
bool results_has_entry(const char *path, const char *entry);
/* Whether the directory is one run. */
bool results_is_run(const char *path);
/* How the run of that meta.json ended: "complete", "budget" or "interrupted"; "running" as long as
 * a process measures, else "killed". */
const char *results_status(const char *path, const json_t *meta);
/* The names of the entries that have a file, sorted; each and the array are freed by the caller. */
char **results_entries(const char *path, size_t *n);
/*
 * The run meant by path: a run itself, else the newest one below path (RESULTS/MACHINE or
 * RESULTS); unfinished: the newest that never ended.  The caller frees; NULL and *e.
 */
char *results_locate(const char *path, bool unfinished, struct error *e);

#endif
