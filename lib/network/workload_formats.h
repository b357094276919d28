/* SPDX-License-Identifier: MIT */
/* workload_formats.h - reads workloads from files of other tools. */
#ifndef NETWORK_WORKLOAD_FORMATS_H
#define NETWORK_WORKLOAD_FORMATS_H

#include "network/workload.h"

/* Parses a GOAL schedule, which begins with num_ranks; changes text.  Returns NULL and sets *e on
 * error. */
struct workload *workload_parse_goal(char *text, const char *name, struct error *e);
/* Reads DUMPI traces as text, one file per rank in order; n <= WORKLOAD_RANKS.  *left_out counts
 * the calls that a workload cannot express.  Returns NULL and sets *e on error. */
struct workload *workload_read_dumpi(const char *const *paths, size_t n, uint64_t *left_out,
				     struct error *e);
/* Adds the calls in the DUMPI text of one rank; changes text, and adds to *left_out.  Returns 0, or
 * -1 and sets *e. */
int workload_add_dumpi(struct workload *w, uint32_t rank, char *text, const char *path,
		       uint64_t *left_out, struct error *e);
/*
 * Reads system call traces (.ktr or the output of strace -f -yy -ttt -T), one of each host.  Every
 * thread that exchanges data with another one over a connection becomes a rank.  Data is split
 * where either a write or a read of it ends, and each part becomes a message.  *lost counts the
 * bytes whose other end is in none of the traces.  Returns NULL and sets *e on error.
 */
struct workload *workload_read_traces(const char *const *paths, size_t n, uint64_t *lost,
				      struct error *e);

#endif
