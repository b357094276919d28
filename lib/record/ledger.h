/* SPDX-License-Identifier: MIT */
/*
 * ledger.h - what each program of a process tree used, from the stops of a tracer.
 *
 * The tracer runs with .corpses and without .calls, so that processes are disturbed only where they are
 * born and change their program.  One entry is one program in one process: from its exec, or from the
 * fork, until it ended or another took its place.  Children that nobody waits for and daemons are in.
 */
#ifndef LEDGER_H
#define LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/callcount.h"
#include "record/program.h"
#include "record/ptrace/tracer.h"
#include "machine/usage.h"

enum entry_end { ENTRY_RUNNING, ENTRY_EXIT, ENTRY_EXEC };

struct ledger_entry {
	struct program program;
	pid_t pid;
	size_t process;	    /* number of the process: pids are used again */
	int64_t begin, end; /* CLOCK_MONOTONIC ns */
	uint32_t threads;   /* that it ever had */
	struct usage usage; /* of this process only */
	bool known;	    /* usage could be read */
	enum entry_end how;
	struct call_count *calls; /* made by it; NULL: none, or not counted */
	size_t ncalls;
};

struct ledger;

/* Takes the calls that each entry made from c, which outlives the ledger; NULL: they are not counted. */
struct ledger *ledger_new(struct callcount *c);
/* Counts from now on what process pid, which runs already, uses. */
void ledger_adopt(struct ledger *l, pid_t pid, int64_t now);
/* Takes one stop before the tracee goes on. */
void ledger_stop(struct ledger *l, const struct stop *s);
/* Accounts what is still running until now. */
void ledger_close(struct ledger *l, int64_t now);
/* All entries in the order of their begin. */
const struct ledger_entry *ledger_entries(const struct ledger *l, size_t *n);
/* NULL is fine. */
void ledger_free(struct ledger *l);

#endif
