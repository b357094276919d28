/* SPDX-License-Identifier: MIT */
/*
 * perf_data.h - reads perf.data: perf_head.c what the file says about itself, perf_data.c its
 * records.
 */
#ifndef PERF_PERF_DATA_H
#define PERF_PERF_DATA_H

#include "trace/format/perf/perf.h"
#include "trace/reorder.h"

enum {
	PERF_FILE_HEADER = 104, /* bytes */
	PERF_PIPE_HEADER = 16,
	PERF_FEATURE_MAX = 256 << 20,
	PERF_ATTRS_MAX = 1 << 16,
};

/* Bytes that were read together; freed after the last of their runs. */
struct block {
	unsigned char *v;
	size_t n, cap, runs;
	struct run *last;
	int64_t latest; /* time of its last record */
};

/* Records of a block whose times increase. */
struct run {
	struct block *block;
	size_t at, end;
	uint64_t sequence;
};

struct perf_data {
	struct perf perf; /* first */
	struct perf_attrs attrs;
	struct perf_formats formats;
	bool swapped, is_pipe, ended, done, samples_execs;
	uint64_t left;	  /* bytes of records */
	uint64_t lost[2]; /* events, as records and as samples */
	struct reorder runs;
	struct run *current;
	uint64_t sequence;
	int64_t limit, latest; /* records up to this time may leave; time of the latest so far */
	char host[64], kernel[64];
	struct tracepoint_hit sample;
};

/* Reads the feature with that number in p[n]: formats, host, kernel, machine. */
void perf_take_feature(struct perf_data *d, unsigned feature, const unsigned char *p, size_t n);
/* Returns whether events with a meaning are sampled, and learns which of them say what others also
 * say.
 */
bool perf_survey(struct perf_data *d);
/* Reads what is in front of the records and after them; sets d->left, and where the records begin.
 * Returns 0, or -1 and sets *e. */
int perf_read_head(struct source *s, uint64_t *start, struct error *e);

#endif
