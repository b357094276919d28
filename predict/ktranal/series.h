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

/* Those of a breakdown: user, the calls that take the most time, others; idle for CPUs, waiting and
 * runnable else.  scheduled: the trace has context switches. */
void series_make(struct series *s, const struct breakdown *b, bool scheduled);
/* The ns of each in an interval. */
void series_ns(const struct series *s, int64_t interval, size_t unit, double ns[SERIES_MOST]);
/* What is worth to be shown: all of CPUs, others where there is time.  By interval, then CPUs by
 * number, others by what they used.  The caller frees. */
struct series_places series_places(const struct series *s);
/* Writes a picture (SVG), a panel for each of the units that used most.  0, or -1 and *e. */
int series_draw(const struct series *s, const struct processes *p, const char *title,
		const char *path, struct error *e);
void series_free(struct series *s);

#endif
