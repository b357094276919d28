/* SPDX-License-Identifier: MIT */
/*
 * strace.h - the state of a reader of strace logs: strace.c reads lines and keeps the time,
 * strace_events.c makes events of them.
 */
#ifndef STRACE_H
#define STRACE_H

#include "trace/fd/fdtable.h"
#include "trace/format/strace/strace_line.h"
#include "trace/pairing.h"
#include "trace/format.h"
#include "util/arena.h"
#include "util/vec.h"

/* Bytes of the log in memory behind the line at hand, unless it ends: see adopt(). */
enum { STRACE_LOOK_AHEAD = 64 << 10 };

struct strace {
	/* strace.c */
	VEC(struct event) queue; /* of the line at hand */
	size_t taken;		 /* of the queue */
	uint64_t line;		 /* number of the line at hand */
	uint64_t good;		 /* lines so far that say something about a thread */
	bool in_summary;	 /* in the table of -C */
	bool ended;
	enum strace_clock clock;
	int64_t origin, days; /* ns: time of the first line; midnights passed since */
	char *command;	      /* of the first process */
	/* strace_events.c, except for now */
	int64_t now; /* time of the line at hand: ns since the first */
	struct pairing calls;
	struct fdtable *fds;
	struct arena arena; /* strings of the events in the queue */
	uint32_t root;	    /* thread of lines without a pid */
	uint64_t looked_at; /* bytes searched in adopt() */
	struct {
		unsigned execve, execveat, fork, vfork, clone, clone3;
	} id;
};

/* strace_events.c */

/* Prepares the second half of the state; s->info is set. */
void strace_begin(struct source *s);
/* Puts the events of a line on the queue.  NULL, or why the line is bad. */
const char *strace_take_line(struct source *s, struct strace_line *line);

#endif
