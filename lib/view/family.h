/* SPDX-License-Identifier: MIT */
/*
 * family.h - how each process of a trace came to be, what it was told before that, through which
 * pipes and sockets it talks to others, and what it and its descendants used.
 */
#ifndef FAMILY_H
#define FAMILY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "trace/source.h"
#include "util/map.h"
#include "util/vec.h"
#include "view/processes.h"

/* What one process, or a subtree, used. */
struct family_use {
	uint64_t calls;	     /* that returned */
	double user, system; /* seconds; NaN: unknown */
};

struct life {
	int64_t start, end; /* ns; of the first and last event of the trace that were seen */
	bool born, ended;   /* these are its birth and its end */
	const char *how;    /* "process", "vfork": the variant of the call; NULL: unknown */
	int status;	    /* of wait(2), when ended */
	char *command;	    /* words of sh(1), of its parent before the first exec; NULL: unknown */
	size_t after; /* channel or terminal that its creator read last before, plus one; 0: none */
	unsigned threads;
	bool counted;		    /* user and system time are in the trace */
	struct family_use own, all; /* all: of its descendants too, set by family_sum() */
	VEC(size_t) channels;	    /* that it read or wrote, in order of first use */
};

/* Zeroed is valid and empty. */
struct family {
	VEC(struct life) lives; /* by the number of the process */
	/* Pipes, and connections: both sockets of a connection are one channel. */
	struct names channels;
	VEC(unsigned) users; /* processes that read or wrote each */
	VEC(struct writers {
		size_t v[2]; /* processes plus one; 0: none */
		bool more;
	})
	writers; /* of each, once family_sum() has been */
	VEC(struct creator {
		const char *how; /* of the latest process it made */
		uint32_t child;	 /* its pid */
		size_t after;
	})
	creators;
	struct map by_tid;  /* creator plus one */
	struct map objects; /* channel plus one */
	struct map uses;    /* bits FAMILY_READS, FAMILY_WRITES by process << 32 | channel */
};

enum { FAMILY_READS = 1, FAMILY_WRITES = 2 };

/* Begins a trace: its threads and objects are new. */
void family_begin(struct family *f);
/* Follows an event of the process of that number, once processes_event() has. */
void family_event(struct family *f, const struct processes *p, size_t number,
		  const struct event *e);
/* Sums up the subtrees, once all events are in. */
void family_sum(struct family *f, const struct processes *p);
/* FAMILY_ bits: how a process used a channel. */
unsigned family_uses(const struct family *f, size_t number, size_t channel);
/* The process that alone, besides those above it, wrote to what is after in its life; SIZE_MAX:
 * none.
 */
size_t family_cause(const struct family *f, const struct processes *p, size_t number);
/* Returns the memory. */
void family_free(struct family *f);

#endif
