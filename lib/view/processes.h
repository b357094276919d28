/* SPDX-License-Identifier: MIT */
/* processes.h - the processes of a trace: dense numbers, parents, and the names of their programs.
 */
#ifndef PROCESSES_H
#define PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"
#include "util/opt.h"

/* Zeroed is valid and empty. */
struct processes {
	struct process {
		uint32_t pid;  /* as in events */
		size_t host;   /* in hosts, plus one; 0: the trace has but one */
		size_t name;   /* in names, plus one; 0: unknown */
		size_t parent; /* number plus one, which is at most its own number; 0: unknown */
		bool within;   /* it or an ancestor was named by roots */
	} * v;		       /* by number, in order of first sight */
	size_t n, cap;
	struct map by_pid; /* number plus one */
	struct names names, hosts;
	struct map host_numbers; /* in hosts, plus one, by number */
	struct opt_list roots;	 /* pids and names of programs: see within */
	uint32_t last_pid;	 /* a cache: the process of the last event, and its number */
	size_t last;
	const char *command; /* of the first process that is seen, until then */
};

/* Begins a trace, whose pids are of new processes.  command (may be ""): of the first of them. */
void processes_begin(struct processes *p, const char *command);
/* True when an event is about its own process: others, such as an interrupt or a wake-up, only
 * found it on the CPU, whether it is in the trace or not. */
bool processes_own(const struct event *e);
/* The number of the process that an event belongs to; SIZE_MAX: to none.  Follows FORK, EXEC, COMM,
 * ATTACH and HOST events. */
size_t processes_event(struct processes *p, const struct event *e);
/* The name of its program, "" when unknown. */
const char *processes_name(const struct processes *p, size_t number);
enum { PROCESSES_ID = 96 };
/* A pid or tid of that process as people know it: "1234", or "web1:1234" in a trace of several
 * hosts. Returns out. */
const char *processes_id(const struct processes *p, size_t number, uint32_t id,
			 char out[PROCESSES_ID]);
/* The number of the process that has that pid now, or SIZE_MAX. */
size_t processes_find(const struct processes *p, uint32_t pid);
/* Whether the list has that pid, alone or behind "HOST:" (host may be NULL), or that name of a
 * program. */
bool processes_listed(const struct opt_list *list, const char *host, uint32_t pid,
		      const char *program);
/* The name of the host that a number of an event is of; NULL: the trace has but one. */
const char *processes_host_of(const struct processes *p, uint32_t id);
/* The same of a process. */
const char *processes_host(const struct processes *p, size_t number);
/* Returns the memory. */
void processes_free(struct processes *p);

#endif
