/* SPDX-License-Identifier: MIT */
/*
 * appvec.h - the application characterization vector: what a program asks of the OS.
 *
 * A JSON file of schema "osvec-application/1", described in docs/appvec.5.  Calls come from
 * traced runs; times, switches and faults from untraced runs of the same work, because tracing
 * distorts them.
 */
#ifndef VECTOR_APPVEC_H
#define VECTOR_APPVEC_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "vector/loops.h"

enum part {
	PART_KERNEL,  /* time on a CPU */
	PART_WAIT,    /* time that a device takes */
	PART_USER,    /* user time, which the call is followed by */
	PART_COUNTED, /* no cost: it is part of the cost of another entry */
};

extern const char *const part_names[]; /* "kernel", "wait", "user", "counted" */

struct appvec_size {
	double size; /* mean of the class */
	double calls;
};

/* What the page faults of a kind that has an entry of its own come from, in place of calls. */
#define APPVEC_FAULTS "(faults)"

/* Use of one entry of the OS vector or, by size, of a curve. */
struct appvec_item {
	char *entry;   /* name of the entry, or of the curve with '*' for the size */
	double weight; /* cost of one call = weight * entry; negative: subtracted */
	enum part part;
	bool fallback;		   /* the null call stands in for the call: a lower bound */
	double calls, bytes, time; /* time: traced seconds inside the calls, or NaN */
	struct appvec_size *sizes; /* ascending */
	size_t nsizes;		   /* 0: no sizes */
	char *from;		   /* the system calls, separated by spaces */
};

/* A system call, on one kind of descriptor, that no rule of the basis maps. */
struct appvec_unmapped {
	char *call;
	double calls, time; /* seconds, or NaN */
};

/* What one run of the application used; NaN: unknown.  All are numbers that add up. */
struct appvec_run {
	double user, system, wall; /* seconds */
	double voluntary, involuntary, minor_faults, major_faults;
};

/* What the counters of the CPU counted in a run; NaN: not counted. */
enum { APPVEC_EVENTS = 4 };
struct appvec_events {
	double cycles, instructions, cache_misses, branch_misses;
	char *mode; /* "all", or that of "user" or "kernel" alone */
};

struct appvec_trace {
	char *trace;		   /* file name */
	bool counted;		   /* the numbers of calls come from an untraced run (time -c) */
	double processes, threads; /* that made a call */
	double calls, call_time, mapped_calls, mapped_time; /* times in seconds, or NaN */
	double lost, unfinished;			    /* events, calls */
	struct appvec_run run; /* the traced run, whose times tracing distorts */
	double asleep; /* seconds that processes of one thread slept because they had asked for
			  that, with nanosleep(2): at most those without CPU time; NaN: unknown */
	struct appvec_item *items;
	size_t nitems;
	struct appvec_unmapped *unmapped; /* longest time first */
	size_t nunmapped;
};

struct appvec {
	char *name, *command, *created, *path;
	char *host, *host_id, *kernel, *cpu, *arch; /* "" when unknown */
	char *vector; /* name of the machine's OS vector; "": it is found by these */
	double units; /* of work in each run, >= 1 */
	char *unit;   /* "run", "request" */
	char *recorder, *basis;
	char **user_entries; /* user time scales with these */
	size_t nuser_entries;
	char *switch_entry, *fault_entry; /* NULL: not priced */
	struct appvec_trace *traces;
	size_t ntraces; /* >= 1 */
	struct appvec_events events;
	struct appvec_run *runs;
	size_t nruns;	    /* untraced; 0: only the traced runs are known */
	struct loops loops; /* during the untraced runs */
	/* What each run does once, which is not in traces and runs (start.h): its own traces and
	 * runs, and nothing else.  NULL: it is not known apart. */
	struct appvec *start;
};

/* Reads a file.  NULL and *e when it is missing, of another schema, or holds a value that is not a
 * count or a time. */
struct appvec *appvec_read(const char *path, struct error *e);
/* The same from memory; name stands for the file in messages. */
struct appvec *appvec_parse(const char *text, size_t n, const char *name, struct error *e);
/* Writes atomically.  0, or -1 and *e. */
int appvec_write(const struct appvec *a, const char *path, struct error *e);
/* A vector without traces and runs. */
struct appvec *appvec_new(const char *name);
/* Frees what a trace holds. */
void appvec_trace_free(struct appvec_trace *t);
/* NULL is fine. */
void appvec_free(struct appvec *a);

#endif
