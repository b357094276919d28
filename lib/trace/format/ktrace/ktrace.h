/* SPDX-License-Identifier: MIT */
/*
 * ktrace.h - reads ktrace.out: ktrace_record.c finds and parses records, ktrace_events.c makes
 * events of them, ktrace.c reads the file, kdump.c what kdump(1) prints of it.
 *
 * The format leaves some things open.  Where threads have no numbers, a process counts as one
 * thread. The parent of a process is the one that was in a fork when the first record of the
 * process came. The end of a process that a signal killed is known only if the system writes a
 * record of it.
 */
#ifndef KTRACE_KTRACE_H
#define KTRACE_KTRACE_H

#include "trace/format.h"
#include "trace/format/ktrace/ktrace_record.h"
#include "trace/importer.h"
#include "util/map.h"

struct ktrace {
	struct ktrace_form form;
	struct importer im;
	struct map processes; /* pid -> struct ktrace_process * */
	struct map threads; /* pid << 32 | tid of records -> tid of events, except first threads */
	uint32_t next_tid;  /* for a thread whose own number is taken */
	bool begun, ended;
	int64_t origin;		/* ns since 1970 of the first record */
	int64_t now;		/* ns from then to the record at hand */
	char *command;		/* of the first process */
	unsigned wait4, ktrace; /* ids of the calls of Linux */
};

/* ---- ktrace_process.c ---- */

struct ktrace_process {
	uint32_t pid;
	bool seen;	     /* a record of it was seen, not only its birth */
	uint32_t first;	     /* the number of its first thread */
	uint32_t parent;     /* the process in a fork when it appeared; 0: the fork said so */
	const struct os *os; /* the system that its program is for */
	enum abi abi;
	int signal; /* the last without a handler, which may have killed it */
	char comm[KTRACE_COMM + 1];
	VEC(uint32_t) others; /* threads as records number them */
	VEC(char) arguments;  /* of the execve that it is in */
};

enum { KTRACE_FRESH_TIDS = 1 << 30 }; /* higher than the numbers of any system */

/* Adds the process with that number, which no record was about yet and which was made by `call` of
 * thread `parent`, unless that is NULL.  Returns it. */
struct ktrace_process *ktrace_born(struct ktrace *k, uint32_t pid, struct pairing_thread *parent,
				   const struct event *call);
/* Returns the process of a record; a new one counts as made by the oldest fork. */
struct ktrace_process *ktrace_process_of(struct ktrace *k, uint32_t pid);
/* Returns the number in events of the thread that has `number` in records; the first thread of a
 * process has the number of the process. */
uint32_t ktrace_tid_of(struct ktrace *k, struct ktrace_process *p, uint32_t number);
/* Returns the thread of a record about a call. */
struct pairing_thread *ktrace_thread_of(struct ktrace *k, struct ktrace_process *p,
					const struct ktrace_record *r);
/* Ends the process, with all its threads and with that status of wait(2), and frees p. */
void ktrace_end_process(struct ktrace *k, struct ktrace_process *p, int status);
/* Frees all processes, without events. */
void ktrace_free_processes(struct ktrace *k);

/* ---- ktrace_events.c ---- */

/* Prepares what ktrace_take() needs, after k->form was set. */
void ktrace_begin(struct ktrace *k);
/* Begins anew: the records to come are of another system, or of a trace that is unrelated. */
void ktrace_restart(struct ktrace *k);
/* Puts the events of a record into the queue. */
void ktrace_take(struct ktrace *k, const struct ktrace_record *r);
/* Frees what ktrace_begin() and ktrace_take() made. */
void ktrace_free(struct ktrace *k);

#endif
