/* SPDX-License-Identifier: MIT */
/*
 * appvec.h - the application characterization vector: what a program asks of the OS.
 *
 * File: JSON, schema "osvec-application/1" (docs/appvec.5):
 *
 *	{ "schema": "osvec-application/1", "name": "redis-set", "command": "...", "created": "...",
 *	  "machine": { "host": ..., "id": ..., "kernel": ..., "cpu": ..., "arch": ... },  // where it ran
 *	  "units": 100000, "unit": "request",
 *	  "basis": "basis.conf", "recorder": "ptrace",
 *	  "user_entries": ["cpu_int", "cpu_branch", "cpu_hash"],   // geometric mean of their ratios scales user time
 *	  "switch_entry": "lat_ctx_shared_0_2", "fault_entry": "lat_pagefault_anon",
 *	  "runs": [ { "trace": "x.ktr", "times": "measured" | "traced", "counts": the same,
 *		"user": s, "system": s, "wall": s, "voluntary": n, "involuntary": n,
 *		"minor_faults": n, "major_faults": n, "processes": n, "threads": n,
 *		"calls": n, "call_time": s, "mapped_calls": n, "mapped_time": s,
 *		"lost": n, "unfinished": n,
 *		"items": [ { "entry": "lat_send_tcp_*", "weight": 1, "part": "kernel" | "wait" | "counted",
 *			     "fallback": false, "calls": n, "bytes": n, "time": s,
 *			     "sizes": [[size, calls], ...] | absent, "from": ["write", ...] } ],
 *		"unmapped": [ { "call": "ioctl tty", "calls": n, "time": s } ] } ] }
 */
#ifndef APPVEC_H
#define APPVEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"

enum part { PART_KERNEL, PART_WAIT, PART_COUNTED };

struct appvec_size {
	double size; /* mean of the class */
	double calls;
};

/* Use of one entry (or of a curve, by size). */
struct appvec_item {
	char *entry;		   /* entry, or curve with '*' */
	double weight;		   /* cost of one call = weight * entry; negative: subtracted */
	enum part part;		   /* COUNTED: the cost is inside another entry */
	bool fallback;		   /* the null call stands in for it: a lower bound */
	double calls, bytes, time; /* time: traced seconds inside the calls */
	struct appvec_size *sizes;
	size_t nsizes; /* 0: no sizes */
	char *from;    /* calls it stands for, separated by spaces */
};

struct appvec_run {
	char *trace;
	bool measured; /* times below come from an untraced run (ktranal time) */
	bool counted;  /* so do the numbers of calls (ktranal time -c) */
	double user, system, wall;
	double voluntary, involuntary, minor_faults, major_faults;
	double processes, threads;
	double calls, call_time, mapped_calls, mapped_time;
	double lost, unfinished;
	struct appvec_item *items;
	size_t nitems;
	struct appvec_unmapped {
		char *call;
		double calls, time;
	} * unmapped;
	size_t nunmapped;
};

struct appvec {
	char *name, *command, *created, *path;
	char *host, *host_id, *kernel, *cpu, *arch; /* "" when unknown */
	double units;				    /* >= 1 */
	char *unit;				    /* "run", "request" */
	char *recorder, *basis;
	char **user_entries;
	size_t nuser_entries;
	char *switch_entry, *fault_entry; /* NULL: not priced */
	struct appvec_run *runs;
	size_t nruns; /* >= 1 */
};

/* NULL and *e when it is missing, of another schema, or holds a value that is no count or time. */
struct appvec *appvec_read(const char *path, struct error *e);
/* The same from memory; name stands for the file in messages. */
struct appvec *appvec_parse(const char *text, size_t n, const char *name, struct error *e);
/* Writes atomically.  0, or -1 and *e. */
int appvec_write(const struct appvec *a, const char *path, struct error *e);
/* A vector without runs. */
struct appvec *appvec_new(const char *name);
/* NULL is fine. */
void appvec_free(struct appvec *a);

#endif
