/* SPDX-License-Identifier: MIT */
/*
 * timefile.h - what a process tree used, untraced: the file that `ktranal time` writes.
 *
 * JSON, schema "osvec-time/2"; version 1 is read as well (docs/osvec-time.5).
 */
#ifndef VECTOR_TIMEFILE_H
#define VECTOR_TIMEFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "util/error.h"
#include "vector/loops.h"

/* Seconds and counts; one of them, or the sum of several. */
struct time_usage {
	double user, system;
	double voluntary, involuntary;
	double minor_faults, major_faults;
};

/* How often a program made one call. */
struct time_calls {
	char *call;
	double calls, failed; /* failed: those of them that returned an error; NaN: not known */
};

enum time_end { TIME_EXIT, TIME_EXEC, TIME_RUNNING };

/* One program in one process, from its exec (or the fork) until it ended or another took its place.
 */
struct time_program {
	char *program; /* by whose name it was started, without directories */
	double pid;
	double start, wall;	  /* seconds; start counts from the start of the run */
	double threads;		  /* that it ever had */
	struct time_usage usage;  /* its own, children not included */
	enum time_end end;	  /* TIME_RUNNING: when the run was over, it was not */
	bool counted;		  /* in the totals: all, or those that --only named */
	struct time_calls *calls; /* NULL: none, or not counted */
	size_t ncalls;
};

struct time_run {
	double wall;		   /* seconds from the start until the command ended */
	double status;		   /* exit status, 128 + n when signal n killed it */
	double processes, threads; /* counted */
	struct time_usage usage;   /* sum of what is counted */
	bool complete;		   /* false: something is missing or was still running */
	struct time_program *programs;
	size_t nprograms; /* 0 when the method cannot separate them */
};

struct timefile {
	char *command, *created, *host, *kernel;
	char *host_id, *cpu; /* host.identity and cpu.model, "" when unknown */
	char *method;	     /* "bpf", "ptrace" (births and deaths only) or "wait" */
	char *only;	     /* programs counted, separated by spaces; NULL: all */
	double call_user;    /* seconds of a call that look like user time; 0: unknown */
	struct loops loops;  /* the mean over the runs */
	struct time_run *runs;
	size_t nruns;		/* >= 1 in a file */
	struct time_run *calls; /* one more, whose calls were counted; NULL: none */
};

/* a += b. */
void time_usage_add(struct time_usage *a, const struct time_usage *b);

/* NULL and *e when it is missing, of another schema, or holds a value that is no time or count. */
struct timefile *timefile_read(const char *path, struct error *e);
/* The same from n bytes in memory; name stands for the file in messages. */
struct timefile *timefile_parse(const char *text, size_t n, const char *name, struct error *e);
/*
 * Moves the runs of more behind those of t, and frees it: runs of one command at several times.
 * Loops and call_user become the mean over all runs; counted calls stay those of t, if it has any.
 * 0, or -1 and *e, which names path, and nothing is changed: more is of another command, machine or
 * kernel, or counts other programs.
 */
int timefile_append(struct timefile *t, struct timefile *more, const char *path, struct error *e);
/* Writes atomically.  0, or -1 and *e. */
int timefile_write(const struct timefile *t, const char *path, struct error *e);
/* Frees what a run holds. */
void time_run_free(struct time_run *r);
/* NULL is fine. */
void timefile_free(struct timefile *t);

#endif
