/* SPDX-License-Identifier: MIT */
/* workload_formats.h - workloads from files of other tools. */
#ifndef WORKLOAD_FORMATS_H
#define WORKLOAD_FORMATS_H

#include "network/workload.h"

/* A GOAL schedule, which begins with num_ranks; text is changed.  NULL and *e. */
struct workload *workload_parse_goal(char *text, const char *name, struct error *e);
/* DUMPI traces as text, one file for each rank in turn; n <= WORKLOAD_RANKS.  NULL and *e. */
struct workload *workload_read_dumpi(const char *const *paths, size_t n, struct error *e);
/* Adds the calls of one rank's text, which is changed.  -1 and *e. */
int workload_add_dumpi(struct workload *w, uint32_t rank, char *text, const char *path,
		       struct error *e);
/*
 * System call traces, .ktr or strace -f -yy -ttt -T, one of each host: every thread that exchanges
 * data with another over a connection becomes a rank.  What one writes and another reads is cut
 * where either ends, so that each piece is a message.  Bytes of connections whose other end is in
 * no trace are counted in *lost.  NULL and *e.
 */
struct workload *workload_read_traces(const char *const *paths, size_t n, uint64_t *lost,
				      struct error *e);

#endif
