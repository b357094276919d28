/* SPDX-License-Identifier: MIT */
/* usage_log.h - what each program of a process tree used. */
#ifndef KTRANAL_USAGE_LOG_H
#define KTRANAL_USAGE_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/program.h"
#include "record/usage.h"
#include "trace/event.h"
#include "util/map.h"

enum usage_end { USAGE_RUNNING, USAGE_EXIT, USAGE_EXEC };

/* One program in one process: from its exec, or from the fork, to its end or the next exec. */
struct usage_entry {
	struct program program;
	pid_t pid;
	size_t process;	    /* number of the process, from 0: pids are used again */
	int64_t begin, end; /* ns since the recording began */
	uint32_t threads;   /* that it ever had */
	struct usage usage; /* of this process only */
	bool known;	    /* usage could be read */
	enum usage_end how;
};

/* The entries of a process tree, from events and what is said of each program.  Zeroed it is
 * empty. */
struct usage_log {
	struct {
		struct usage_entry *v;
		size_t n, cap;
	} entries; /* in the order of their begin */
	/* Private. */
	struct map present; /* pid -> place of its present program plus 1 */
	size_t processes;   /* so far */
};

/* Takes an event; its program has begun when it is an EXEC. */
void usage_log_event(struct usage_log *l, const struct event *e);
/* Notes what the present program of a process has used until now, ns since the recording began;
 * NULL: unknown.  It comes before the event that ends the program. */
void usage_log_used(struct usage_log *l, pid_t pid, int64_t now, const struct usage *u);
/* Returns the place of the present program of a process among the entries, or -1 if it has none. */
ptrdiff_t usage_log_present(const struct usage_log *l, pid_t pid);
/* Frees everything. */
void usage_log_free(struct usage_log *l);

#endif
