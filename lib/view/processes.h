/* SPDX-License-Identifier: MIT */
/* processes.h - the processes of a trace: consecutive numbers, parents, and names of programs. */
#ifndef VIEW_PROCESSES_H
#define VIEW_PROCESSES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"
#include "util/opt.h"

/* A zeroed struct is valid and empty. */
struct processes {
	struct process {
		uint32_t pid;  /* as in events */
		size_t host;   /* in hosts, plus one; 0: the trace has only one host */
		size_t name;   /* in names, plus one; 0: unknown */
		size_t parent; /* number of the parent plus one; 0: unknown */
		bool within;   /* it or an ancestor is listed in roots */
	} * v;		       /* by number, in order of the first event */
	size_t n, cap;
	struct map by_pid; /* number plus one */
	struct names names, hosts;
	struct map host_numbers; /* by number of the host: in hosts, plus one */
	struct opt_list roots;	 /* process IDs and program names: see within */
	uint32_t last_pid;	 /* cache: ID and number of the process of the last event */
	size_t last;
	char *command; /* of the first process, until that is seen */
};

/* Begins a trace, in which process IDs belong to new processes. command (may be "") is that of the
 * first process. */
void processes_begin(struct processes *p, const char *command);
/* Returns whether an event is about its own process.  Others, such as interrupts and wake-ups, only
 * happened on the CPU that the process had. */
bool processes_own(const struct event *e);
/* Processes an event and returns the number of its process; SIZE_MAX: none.  Names and parents come
 * from FORK, EXEC, COMM, ATTACH and HOST events. */
size_t processes_event(struct processes *p, const struct event *e);
/* Returns the name of its program, "" if unknown. */
const char *processes_name(const struct processes *p, size_t number);
/* Returns the same for a cell of a table: NULL if it is unknown. */
const char *processes_shown(const struct processes *p, size_t number);
enum { PROCESSES_ID = 96 };
/* Writes the ID of a process or thread as people know it to out: "1234", or "web1:1234" in a trace
 * of several hosts.  Returns out. */
const char *processes_id(const struct processes *p, size_t number, uint32_t id,
			 char out[PROCESSES_ID]);
/* Returns the number of the process that has this ID now, or SIZE_MAX. */
size_t processes_find(const struct processes *p, uint32_t pid);
/* Returns whether the list has that ID, alone or after "HOST:" (host may be NULL), or that
 * program. */
bool processes_listed(const struct opt_list *list, const char *host, uint32_t pid,
		      const char *program);
/* Returns the host that a number in an event belongs to; NULL: the trace has only one host. */
const char *processes_host_of(const struct processes *p, uint32_t id);
/* Returns the host of a process; NULL: the trace has only one host. */
const char *processes_host(const struct processes *p, size_t number);
/* Frees everything. */
void processes_free(struct processes *p);

#endif
