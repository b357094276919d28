/* SPDX-License-Identifier: MIT */
/*
 * usage_log.h - what each program of a process tree used, from the stops of a tracer.
 *
 * The tracer runs with .corpses and without .calls, so that processes are stopped only where they create others and change
 * their program.  An entry is one program in one process: from its exec, or from the fork, to its end or the next exec.
 * Children that nobody waits for and daemons have entries too.
 */
#ifndef USAGE_LOG_H
#define USAGE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine/usage.h"
#include "record/callcount.h"
#include "record/program.h"
#include "record/ptrace/tracer.h"

enum usage_end { USAGE_RUNNING, USAGE_EXIT, USAGE_EXEC };

struct usage_entry {
	struct program program;
	pid_t pid;
	size_t process;	    /* number of the process, from 0: pids are used again */
	int64_t begin, end; /* CLOCK_MONOTONIC ns */
	uint32_t threads;   /* that it ever had */
	struct usage usage; /* of this process only */
	bool known;	    /* usage could be read */
	enum usage_end how;
	struct call_count *calls; /* made by it; NULL: none, or not counted */
	size_t ncalls;
};

struct usage_log;

/* An empty log.  Each entry takes its calls from c, which must outlive the log; NULL: calls are not counted. */
struct usage_log *usage_log_new(struct callcount *c);
/* Logs what the running process pid uses from now on. */
void usage_log_attach(struct usage_log *l, pid_t pid, int64_t now);
/* Takes one stop before the tracee continues. */
void usage_log_stop(struct usage_log *l, const struct stop *s);
/* Ends the entries of the processes that still run. */
void usage_log_close(struct usage_log *l, int64_t now);
/* All entries in the order of their begin; valid until the next stop. */
const struct usage_entry *usage_log_entries(const struct usage_log *l, size_t *n);
/* NULL is fine. */
void usage_log_free(struct usage_log *l);

#endif
