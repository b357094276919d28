/* SPDX-License-Identifier: MIT */
/*
 * source.h - reads any trace file as a stream of events; recognizes the format by its first bytes.
 *
 * Formats: .ktr (docs/ktr.5), strace text, ktrace.out of the BSDs and the output of kdump,
 * perf.data and the output of perf script, the output of ftrace, folders of CTF.  Memory use
 * depends on threads, open calls and open descriptors, not on the length of the trace.
 */
#ifndef TRACE_SOURCE_H
#define TRACE_SOURCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/syscalls.h"
#include "util/error.h"

/* The clock that the times are of.  Traces of one clock and one boot of a host have comparable
 * times. */
enum trace_clock {
	TRACE_CLOCK_UNKNOWN,
	TRACE_CLOCK_MONOTONIC,
	TRACE_CLOCK_MONOTONIC_RAW,
	TRACE_CLOCK_REALTIME,
};

struct source_info {
	const char *path;
	const char *format;   /* "ktr", "strace", "ktrace", "kdump", "perf" (also of ftrace's text),
				 "ctf" */
	const char *recorder; /* "ptrace", "strace", ... */
	const char *host;     /* "": unknown, as for the following */
	const char *command;  /* of the first process */
	const char *kernel;
	const char *host_id, *cpu; /* host.identity and cpu.model of machine/environment.h */
	const struct os *os;	   /* whose calls, errors and flags the events have */
	enum abi abi;
	bool has_time, has_duration;
	bool aggregated;    /* most calls are only counted: CALL_SEVERAL */
	uint64_t call_cost; /* ns that recording added to the duration of each call; 0: unknown */
	enum trace_clock clock;
	char boot[37];	 /* boot id of the host, as in /proc; "": unknown */
	uint32_t stream; /* number of this one if a recorder writes several at a time */
};

/* What is missing or could not be parsed; every table prints these. */
struct source_losses {
	uint64_t lost;	     /* events that the recorder says it lost */
	bool lost_unknown;   /* it lost more of them, an unknown number */
	bool unclosed;	     /* the recorder did not finish the trace: its end may be missing */
	uint64_t torn_bytes; /* skipped at damaged places */
	uint64_t unfinished; /* calls without an exit (exit and exit_group not counted) */
	uint64_t orphans;    /* exits without an entry */
	uint64_t bad_lines;  /* lines of a text log that are not of its grammar */
	uint64_t first_bad;  /* number of the first such line, or offset of the first damage */
	char first_bad_reason[128];
	uint64_t noted[LOST_CLASSES]; /* what the recorder counted, by class of loss */
};

struct source;

/* Opens the trace at path ("-": standard input).  Returns NULL and sets *e if it cannot be read or
 * is no trace.  Close it with source_close(). */
struct source *source_open(const char *path, struct error *e);
/* Opens a copy of data[n] as a trace; `name` stands for it in messages. */
struct source *source_open_memory(const void *data, size_t n, const char *name, struct error *e);
/* Stores the next event in *out, whose strings live until the next call.  Returns 1; 0 at the end;
 * or -1 and sets *e if the file cannot be read further. */
int source_next(struct source *s, struct event *out, struct error *e);
/* Returns where the trace comes from and what it holds, valid as long as s. */
const struct source_info *source_info(const struct source *s);
/* Returns what is missing so far, valid as long as s; complete only after the last event. */
const struct source_losses *source_losses(const struct source *s);
/* Stores how many bytes were read so far and how many there are (0: unknown, a pipe), to show the
 * progress. */
void source_position(const struct source *s, uint64_t *at, uint64_t *total);
/* Closes the trace and frees s.  NULL is fine. */
void source_close(struct source *s);

#endif
