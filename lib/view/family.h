/* SPDX-License-Identifier: MIT */
/* family.h - how each process of a trace was created, what its creator had read before, which pipes
 * and sockets it uses, and the resources that it and its descendants used. */
#ifndef VIEW_FAMILY_H
#define VIEW_FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/source.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"

/* The resources that a process or a subtree used. */
struct family_use {
	uint64_t calls;	     /* that returned */
	double user, system; /* seconds; NaN: unknown */
};

struct life {
	int64_t start, end; /* ns; its first event, and its end or that of the trace */
	bool born, ended;   /* start is its birth; end is its end */
	const char *how;    /* variant of the call, "process" or "vfork"; NULL: unknown */
	int status;	    /* as of wait(2); valid if ended */
	char *command;	    /* words of sh(1); before its first exec, its parent's; NULL: unknown */
	size_t after; /* channel or terminal that its creator had read last, plus one; 0: none */
	unsigned threads;
	bool counted;		    /* user and system time are in the trace */
	struct family_use own, all; /* all: including its descendants, set by family_sum() */
	VEC(size_t) channels;	    /* that it read or wrote, in order of first use */
};

/* A zeroed struct is valid and empty. */
struct family {
	VEC(struct life) lives; /* by number of the process */
	int64_t end;		/* ns; when the last event ended */
	/* Pipes and connections; both sockets of a connection are one channel. */
	struct names channels;
	VEC(unsigned) users; /* by channel: processes that read or wrote it */
	VEC(struct writers {
		size_t v[2]; /* processes plus one; 0: none */
		bool more;
	})
	writers; /* by channel, valid after family_sum() */
	VEC(struct creator {
		const char *how; /* of the last process that it created */
		uint32_t child;	 /* ID of that process */
		size_t after;
	})
	creators;
	struct map by_tid;    /* index in creators plus one */
	struct map objects;   /* channel plus one */
	struct map datagrams; /* of objects: see connections.h */
	struct map uses;      /* FAMILY_READS and FAMILY_WRITES, by process << 32 | channel */
};

enum { FAMILY_READS = 1, FAMILY_WRITES = 2 };

/* Begins a trace, with new threads and objects. */
void family_begin(struct family *f);
/* Processes an event of the process `number`, after processes_event(). */
void family_event(struct family *f, const struct processes *p, size_t number,
		  const struct event *e);
/* Sums up the subtrees after all events. */
void family_sum(struct family *f, const struct processes *p);
/* Returns how a process used a channel: bits FAMILY_READS, FAMILY_WRITES. */
unsigned family_uses(const struct family *f, size_t number, size_t channel);
/* Returns the only process, apart from its ancestors, that wrote to the channel `after` of this
 * process; SIZE_MAX: none, or several. */
size_t family_cause(const struct family *f, const struct processes *p, size_t number);
/* Frees everything. */
void family_free(struct family *f);

#endif
