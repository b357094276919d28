/* SPDX-License-Identifier: MIT */
/* processes.h - the processes of a trace: dense numbers and the names of their programs. */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

/* Zeroed is valid and empty. */
struct processes {
	struct process {
		uint32_t pid;
		size_t name; /* in names, plus one; 0: unknown */
	} * v;		     /* by number, in order of first sight */
	size_t n, cap;
	struct map by_pid; /* number plus one */
	struct names names;
	uint32_t last_pid; /* a cache: the process of the last event, and its number */
	size_t last;
	const char *command; /* of the first process that is seen, until then */
};

/* Begins a trace, whose pids are of new processes.  command (may be ""): of the first of them. */
void processes_begin(struct processes *p, const char *command);
/* The number of the process that an event belongs to; follows FORK and EXEC events. */
size_t processes_event(struct processes *p, const struct event *e);
/* The name of its program, "" when unknown. */
const char *processes_name(const struct processes *p, size_t number);
/* Returns the memory. */
void processes_free(struct processes *p);

#endif
