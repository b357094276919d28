/* SPDX-License-Identifier: MIT */
/*
 * source.h - any trace file as a stream of events; the format is recognized from its first bytes.
 *
 * Formats: .ktr (docs/ktr.5), strace text, ktrace.out of the BSDs and the output of kdump,
 * perf.data and the output of perf script, the output of ftrace, folders of CTF.  Memory use
 * depends on threads, open calls and open descriptors, not on the length of the trace.
 */
#ifndef SOURCE_H
#define SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/syscalls.h"
#include "util/error.h"

/* What the times count; a host's boot id and clock say which traces can be laid side by side. */
enum trace_clock {
	TRACE_CLOCK_UNKNOWN,
	TRACE_CLOCK_MONOTONIC,
	TRACE_CLOCK_MONOTONIC_RAW,
	TRACE_CLOCK_REALTIME,
};

struct source_info {
	const char *path;
	const char *format;   /* "ktr", "strace", "ktrace", "kdump", "perf", "ctf" */
	const char *recorder; /* "ptrace", "strace", ... */
	const char *host;     /* "" when unknown, here and below */
	const char *command;  /* of the first process */
	const char *kernel;
	const char *host_id, *cpu; /* host.identity and cpu.model of machine/environment.h */
	const struct os *os;	   /* whose calls, errors and flags the events have */
	enum abi abi;
	bool has_time, has_duration;
	bool aggregated;    /* most calls are only counted: CALL_SEVERAL */
	uint64_t call_cost; /* ns that recording added to the duration of each call; 0: unknown */
	enum trace_clock clock;
	char boot[37];	 /* boot id of the host, as in /proc; "" when unknown */
	uint32_t stream; /* of several written by one recorder at a time */
};

/* What is missing or could not be parsed; every table prints these. */
struct source_losses {
	uint64_t lost;	     /* events the recorder says it lost */
	bool lost_unknown;   /* ... and more, an unknown number */
	bool unclosed;	     /* the recorder did not end the trace: it may stop early */
	uint64_t torn_bytes; /* at damaged places, skipped */
	uint64_t unfinished; /* calls without an exit (exit and exit_group not counted) */
	uint64_t orphans;    /* exits without an entry */
	uint64_t bad_lines;  /* lines of a text log that are not of its grammar */
	uint64_t first_bad;  /* of the first such line, or byte offset of the first tear */
	char first_bad_reason[128];
	uint64_t noted[LOST_CLASSES]; /* what the recorder counted, by class of loss */
};

struct source;

/* Opens path ("-": stdin).  NULL and *e when it cannot be read or is no trace. */
struct source *source_open(const char *path, struct error *e);
/* The same from a copy of data[n]; name is for messages. */
struct source *source_open_memory(const void *data, size_t n, const char *name, struct error *e);
/* 1: *out is the next event; 0: the end; -1: the file cannot be read further, *e says why. */
int source_next(struct source *s, struct event *out, struct error *e);
/* Where the trace comes from, and what it holds. */
const struct source_info *source_info(const struct source *s);
/* Complete only after the end. */
const struct source_losses *source_losses(const struct source *s);
/* Bytes read so far and in all (0: a pipe), for progress. */
void source_position(const struct source *s, uint64_t *at, uint64_t *total);
/* NULL is fine. */
void source_close(struct source *s);

#endif
