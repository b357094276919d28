/* SPDX-License-Identifier: MIT */
/* series.h - what ktranal breakdown shows: classes of time as columns of a table, or colours. */
#ifndef KTRANAL_SERIES_H
#define KTRANAL_SERIES_H

#include "util/error.h"
#include "view/breakdown.h"
#include "view/processes.h"

enum { SERIES_MOST = 12 };

struct series {
	const struct breakdown *of;
	struct series_row {
		char *title, *key; /* "FILE", "file_ns" */
		const char *name;
		bool is_idle; /* what no class takes of a CPU */
	} v[SERIES_MOST];
	size_t n;
	size_t *of_class; /* series plus one, by class; 0: not shown */
	double cpus;	  /* of which idle is a share; 1 where there are no CPUs */
};

struct series_places {
	struct series_place {
		int64_t interval;
		size_t unit, rank; /* rank: of the unit */
	} * v;
	size_t n, cap;
};

/* Makes the series of a breakdown: user, the calls that take the most time, others; idle for CPUs,
 * waiting and runnable else.  scheduled: the trace has context switches. */
void series_make(struct series *s, const struct breakdown *b, bool scheduled);
/* Stores the ns that a unit spent in each series during an interval. */
void series_ns(const struct series *s, int64_t interval, size_t unit, double ns[SERIES_MOST]);
/* Returns the places that are worth to be shown: all of CPUs, of other units those that have time.
 * They are sorted by interval, then CPUs by number and others by what they used.  The caller frees
 * them with vec_free(). */
struct series_places series_places(const struct series *s);
/* Writes a picture (SVG) with a panel for each of the units that used most.  Returns 0, or -1 and
 * sets *e. */
int series_draw(const struct series *s, const struct processes *p, const char *title,
		const char *path, struct error *e);
/* Frees everything but the breakdown. */
void series_free(struct series *s);

#endif
