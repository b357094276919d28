/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - makes events of what tracepoints of the Linux kernel say, whoever recorded them:
 * threads run on CPUs, wake each other up, are made and end, and enter and leave system calls.
 *
 * The reader of a format sets `now` and reports what it finds; the events come out of `im`.
 */
#ifndef TRACE_KERNEL_H
#define TRACE_KERNEL_H

#include "trace/importer.h"
#include "util/map.h"

struct kernel_cpu {
	bool known;
	uint32_t tid;	/* the thread that runs */
	unsigned depth; /* how many handlers run on top of it */
	struct {
		int64_t time;
		uint32_t number;
		bool soft;
	} handler[4];
};

struct kernel {
	struct importer im;
	int64_t now; /* ns since the first tracepoint, of the one at hand */
	bool sees_waking, sees_exec, sees_fork, sees_switches, sees_exits;
	bool knows_births; /* other records than those of sched_process_fork tell of them */
	bool partial;	   /* threads whose process is unknown may not be recorded */
	bool knows_pids;   /* the trace tells the process of a thread with what the thread does */
	enum abi abi;	   /* of the numbers of calls */
	bool inferred;	   /* the switch to the thread at hand was not recorded: it could not run
			      otherwise */
	uint64_t unseen,
	    seen; /* switches from threads whose switch to the CPU was inferred, or not */
	uint64_t unattributed; /* entries and exits of calls whose thread is unknown */
	uint64_t bad_marks;    /* lines in trace_marker that begin like marks but are none */
	/* What follows belongs to kernel.c. */
	VEC(struct kernel_cpu) cpus;
	struct map pids;   /* tid -> pid */
	struct map unborn; /* tid not seen yet -> who made it: pid << 32 | tid */
	struct map comms;  /* tid -> hash of its name */
	struct map files;  /* address of a table of descriptors -> pid, at the start of the trace */
};

/* Makes *k an empty set of threads, whose calls have the numbers of that ABI. */
void kernel_init(struct kernel *k, enum abi abi);
/* Sets the ABI of a trace that says which machine it is of; call it before the first call. */
void kernel_set_abi(struct kernel *k, enum abi abi);
/* Forgets and frees everything. */
void kernel_free(struct kernel *k);
/* Ends the calls of all threads, after the last tracepoint, and reports what was missing. */
void kernel_end(struct kernel *k);

/* ---- threads ---- */

/* Returns the state of a CPU, valid until the next call. */
struct kernel_cpu *kernel_cpu(struct kernel *k, uint32_t cpu);
/* Sets the process of a thread, which tells what was born if a call left that open. */
void kernel_set_pid(struct kernel *k, uint32_t tid, uint32_t pid);
/* Returns an event of a thread, now, that has a type and nothing else. */
struct event kernel_event(const struct kernel *k, enum event_type type, uint32_t tid);
/* Notes that a thread has this name of n bytes: an EVENT_COMM, if it had another one. */
void kernel_name(struct kernel *k, uint32_t tid, const char *name, size_t n);
/* Forgets a thread, whose number may be given to another one. */
void kernel_forget(struct kernel *k, uint32_t tid);

/* ---- tracepoints ---- */

/* Reports sched_switch.  `state` is that of thread prev in the kernel's bits; thread 0 is the idle
 * loop. */
void kernel_switch(struct kernel *k, uint32_t cpu, uint32_t prev, int64_t state, uint32_t next);
/*
 * Reports sched_waking or, if that is not recorded, sched_wakeup, which says when it took effect,
 * maybe on another CPU.  tid is the thread that runs on the CPU, target_cpu the CPU where the
 * target will run, or -1; context is WAKE_UNKNOWN if only the handlers that have begun tell it.
 */
void kernel_wake(struct kernel *k, bool waking, enum wake_context context, uint32_t cpu,
		 uint32_t tid, uint32_t target, int64_t target_cpu);
/* Reports that the handler of an interrupt or softirq begins. */
void kernel_handler_begins(struct kernel *k, uint32_t cpu, bool soft, uint32_t number);
/* Reports that the handler that began last ends. */
void kernel_handler_ends(struct kernel *k, uint32_t cpu, bool soft);
/* Reports sched_process_fork, after the process of the child was set. */
void kernel_fork(struct kernel *k, uint32_t parent, uint32_t child);
/* Reports the same if only the call of the parent tells whether the child is a thread. */
void kernel_fork_of_call(struct kernel *k, uint32_t parent, uint32_t child);
/* Reports sched_process_exec: thread tid, which has the number of its process from now on, runs the
 * program at path. */
void kernel_exec(struct kernel *k, uint32_t tid, const char *path);
/* Reports sched_process_exit. */
void kernel_exit(struct kernel *k, uint32_t tid);
/* Reports a page fault of a program, with the error code of the processor. */
void kernel_fault(struct kernel *k, uint32_t tid, uint64_t address, uint64_t code);
/* Reports that a thread (0: unknown) enters call e, of which id, args, cpu and path count. */
void kernel_enter(struct kernel *k, uint32_t tid, struct event *e);
/*
 * Reports that a thread leaves call `id`, UINT32_MAX: the one that it is in.  `pair` has the
 * descriptors that the call has made in memory, and `program` is what the thread is called now;
 * both may be NULL.
 */
void kernel_leave(struct kernel *k, uint32_t tid, unsigned id, int64_t result,
		  const uint64_t pair[2], const char *program);

/*
 * Returns the id of the call that is implemented by the kernel's function sys_NAME, after which
 * tracepoints are called: stat for "newstat"; UINT32_MAX if there is no such call.
 */
unsigned kernel_call_named(const char *name);

#endif
