/* SPDX-License-Identifier: MIT */
/*
 * ktrace.h - the reader of ktrace.out: ktrace_record.c finds and parses records, ktrace_events.c
 * makes events of them, ktrace.c reads the file, kdump.c what kdump(1) prints of it.
 *
 * What the format leaves open: where a thread has no number of its own, a process has one thread;
 * the parent of a process is who was inside of a fork when its first record came; the end of a
 * process that a signal killed is only known where the system writes a record of it.
 */
#ifndef KTRACE_H
#define KTRACE_H

#include "trace/format.h"
#include "trace/format/ktrace/ktrace_record.h"
#include "trace/importer.h"
#include "util/map.h"

struct ktrace {
	struct ktrace_form form;
	struct importer im;
	struct map processes; /* pid -> struct ktrace_process * */
	struct map threads; /* pid << 32 | tid of a record -> tid of events, of all but the first */
	uint32_t next_tid;  /* of a thread whose own number is taken */
	bool begun, ended;
	int64_t origin;		/* ns since 1970 of the first record */
	int64_t now;		/* ns since then, of the record at hand */
	char *command;		/* of the first process */
	unsigned wait4, ktrace; /* ids, Linux's */
};

/* ---- ktrace_process.c ---- */

struct ktrace_process {
	uint32_t pid;
	bool seen;	     /* a record of it; otherwise only its birth */
	uint32_t first;	     /* the number of its first thread */
	uint32_t parent;     /* who was inside of a fork when it appeared; 0: the fork told */
	const struct os *os; /* of its program, which may be for another system */
	enum abi abi;
	int signal; /* that had no handler, and may have killed it */
	char comm[KTRACE_COMM + 1];
	VEC(uint32_t) others; /* threads as records number them */
	VEC(char) arguments;  /* of the execve that it is inside of */
};

enum { KTRACE_FRESH_TIDS = 1 << 30 }; /* higher than what systems give */

/* The process with that number, which nobody has seen yet; made by that call of parent, unless that
 * is NULL. */
struct ktrace_process *ktrace_born(struct ktrace *k, uint32_t pid, struct pairing_thread *parent,
				   const struct event *call);
/* The process of a record; a new one was made by the oldest fork. */
struct ktrace_process *ktrace_process_of(struct ktrace *k, uint32_t pid);
/* The thread of a record by its number there: the first one of a process has the process's. */
uint32_t ktrace_tid_of(struct ktrace *k, struct ktrace_process *p, uint32_t number);
/* The thread of a record that is about a call. */
struct pairing_thread *ktrace_thread_of(struct ktrace *k, struct ktrace_process *p,
					const struct ktrace_record *r);
/* The process ends with that status, with all its threads; frees p. */
void ktrace_end_process(struct ktrace *k, struct ktrace_process *p, int status);
/* Forgets all processes, without events. */
void ktrace_free_processes(struct ktrace *k);

/* ---- ktrace_events.c ---- */

/* Prepares what ktrace_take needs; k->form is set. */
void ktrace_begin(struct ktrace *k);
/* The records that follow are of another system, or of a trace that has nothing to do with this. */
void ktrace_restart(struct ktrace *k);
/* Puts the events of a record into the queue. */
void ktrace_take(struct ktrace *k, const struct ktrace_record *r);
/* Frees what ktrace_begin and ktrace_take made. */
void ktrace_free(struct ktrace *k);

#endif
