/* SPDX-License-Identifier: MIT */
/*
 * osvec.h - the OS characterization vector: what one operation of each primitive costs.
 *
 * File: JSON, schema "osvec/1" (docs/osvec.5):
 *
 *	{ "schema": "osvec/1", "machine": "name", "created": "2026-11-20T23:07:04Z",
 *	  "estimator": "hl", "level": 0.95, "meta": { ... meta.json of the run ... },
 *	  "entries": [ { "entry": "lat_send_tcp_4k", "program": "lat_send", "operation": "...",
 *		"curve": "lat_send_tcp_*" | null, "size": 4096 | null, "bytes": 4096,
 *		"seconds": 1.2e-6, "low": ..., "high": ..., "n": 15, "trimmed": ...,
 *		"flags": ["BIMODAL"],
 *		"modes": [[0.7, 1.0e-6], [0.3, 1.3e-6]] | absent,
 *		"faults": 0.0, "switches": 0.0, "kernel_entries": 1, "copies": 1,
 *		"placement": "same",
 *		"values": [ ... one per process ... ], "rounds": [ ... ] }, ... ],
 *	  "skipped": [ { "entry": ..., "reason": ... } ] }
 *
 * Costs are positive and finite or the file is refused.
 */
#ifndef OSVEC_H
#define OSVEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "util/error.h"

struct osvec_entry {
	char *name, *program, *operation;
	char *curve;		 /* name with '*' in place of the size; NULL: no axis */
	double size;		 /* place on the axis; meaningless without a curve */
	double bytes;		 /* moved by one operation; 0: none */
	double seconds;		 /* per operation, > 0 */
	double low, high;	 /* its interval; both equal to seconds when there is none */
	double trimmed;		 /* the thesis's 10 % trimmed mean; NaN: absent */
	double faults, switches; /* minor faults and switches inside one operation */
	unsigned kernel_entries, copies;
	char *placement; /* NULL: one party */
	char *flags;	 /* words separated by commas; "" */
	bool bimodal;
	struct osvec_mode {
		double weight, centre; /* share of the processes, seconds */
	} modes[2];		       /* when bimodal; the faster first */
	double *values;		       /* seconds per operation, one per process; NULL: none kept */
	unsigned *rounds;	       /* in which round each was measured; NULL: not known */
	size_t n;		       /* processes */
};

struct osvec {
	char *machine, *created, *path;
	char *estimator;	     /* of seconds, low and high: "hl", "trimmed", ... */
	double level;		     /* of the intervals */
	json_t *meta;		     /* an object, perhaps empty */
	struct osvec_entry *entries; /* sorted by name */
	size_t n;
	struct osvec_skipped {
		char *entry, *reason;
	} * skipped;
	size_t nskipped;
	const struct osvec
	    *original; /* of which this is a copy with other costs; NULL: it was measured so */
};

/* Reads an osvec.json; path may also be a directory that holds one, or that holds the directories
 * of runs (results/MACHINE), of which the newest, by name, is taken.  NULL and *e. */
struct osvec *osvec_read(const char *path, struct error *e);
/* Reads from memory; name stands for the path in messages. */
struct osvec *osvec_parse(const char *text, size_t n, const char *name, struct error *e);
/* Writes atomically.  0, or -1 and *e. */
int osvec_write(const struct osvec *v, const char *path, struct error *e);
/* An empty vector, created now. */
struct osvec *osvec_new(const char *machine);
/* Appends an entry and takes its strings and arrays; absent are program, operation, flags when
 * NULL, copies when 0.  Valid until the next osvec_add. */
struct osvec_entry *osvec_add(struct osvec *v, struct osvec_entry entry);
/* Appends what was asked for and not measured. */
void osvec_skip(struct osvec *v, const char *entry, const char *reason);
/* Sorts and checks: -1 and *e on a duplicate name, a cost that is not positive and finite, an
 * interval that does not hold it, a curve with two points of one size. */
int osvec_finish(struct osvec *v, struct error *e);
/* NULL is fine. */
void osvec_free(struct osvec *v);

/* The entry of that name, or NULL. */
const struct osvec_entry *osvec_find(const struct osvec *v, const char *name);

/* The points of a curve, ascending in size.  Points into v. */
struct osvec_curve {
	const struct osvec_entry **points;
	size_t n;
};
/* The curve of that name ("lat_send_tcp_*"); n = 0 when v has none.  Free .points. */
struct osvec_curve osvec_curve(const struct osvec *v, const char *name);

/* Cost at a size as a mix of two points: cost = exp(w log a + (1 - w) log b) * scale. */
struct osvec_mix {
	const struct osvec_entry *a, *b;
	double w, scale;
	bool extrapolated;
};
/*
 * Log-log interpolation between the neighbours of size (next to a point of size 0 linear in size);
 * below the grid the first point's cost, above it the last point's cost, times size / last size
 * when the operation moves bytes.  n > 0, size >= 0.
 */
struct osvec_mix osvec_curve_at(const struct osvec_curve *c, double size);

/*
 * Half-harmonic aggregation of a two-CPU machine from two single-CPU vectors (thesis, two-CPU row
 * of Table 4): each cost is 1 / (1/a + 1/b).  Entries present in both.
 */
struct osvec *osvec_half_harmonic(const struct osvec *a, const struct osvec *b, struct error *e);

#endif
