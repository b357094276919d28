/* SPDX-License-Identifier: MIT */
/*
 * kernel.h - what tracepoints of the Linux kernel say, whoever recorded them: threads that run on
 * CPUs, wake each other up, are made and end, and enter and leave system calls.
 *
 * The reader of a format sets `now`, finds the fields and reports them; events come out of `im`.
 */
#ifndef KERNEL_H
#define KERNEL_H

#include "trace/importer.h"
#include "util/map.h"

struct kernel_cpu {
	bool known;
	uint32_t tid;	/* that runs */
	unsigned depth; /* of handlers on top of it */
	struct {
		int64_t time;
		uint32_t number;
		bool soft;
	} handler[4];
};

struct kernel {
	struct importer im;
	int64_t now; /* of the tracepoint at hand: ns since the first */
	bool sees_waking, sees_exec, sees_fork, sees_switches, sees_exits;
	bool knows_births; /* from other records than sched_process_fork */
	bool partial;	   /* threads whose process is unknown may not be recorded */
	enum abi abi;	   /* of the calls' numbers */
	bool assumed; /* the thread at hand came to its CPU, as it could not be there otherwise */
	uint64_t unseen, seen; /* switches from threads that had come so, or not */
	uint64_t homeless;     /* entries and exits of a thread that is unknown */
	uint64_t strange;      /* lines in trace_marker that begin as marks do, and are none */
	/* What follows belongs to kernel.c. */
	VEC(struct kernel_cpu) cpus;
	struct map pids;  /* tid -> pid */
	struct map comms; /* tid -> hash of the name that it has */
	struct map files; /* address of a table of descriptors -> pid, as of the start */
};

/* Makes *k an empty set of threads, whose calls have the numbers of that ABI. */
void kernel_init(struct kernel *k, enum abi abi);
/* The same of a trace that tells its machine, before the first call. */
void kernel_set_abi(struct kernel *k, enum abi abi);
/* Forgets everything. */
void kernel_free(struct kernel *k);
/* No tracepoint is left: calls in flight end. */
void kernel_end(struct kernel *k);

/* ---- threads ---- */

/* The state of a CPU. */
struct kernel_cpu *kernel_cpu(struct kernel *k, uint32_t cpu);
/* The process of a thread, which has the same number unless it was set. */
uint32_t kernel_pid(const struct kernel *k, uint32_t tid);
/* Sets the process of a thread. */
void kernel_set_pid(struct kernel *k, uint32_t tid, uint32_t pid);
/* The thread for importer.h. */
struct pairing_thread *kernel_thread(struct kernel *k, uint32_t tid);
/* An event of that thread with nothing but type and time. */
struct event kernel_event(const struct kernel *k, enum event_type type, uint32_t tid);
/* The thread has this name of n bytes (from now on): an EVENT_COMM, if it is new. */
void kernel_name(struct kernel *k, uint32_t tid, const char *name, size_t n);
/* Its number may be given to another one. */
void kernel_forget(struct kernel *k, uint32_t tid);

/* ---- tracepoints ---- */

/* sched_switch; the state is that of prev in the kernel's bits, a thread 0 is the idle loop. */
void kernel_switch(struct kernel *k, uint32_t cpu, uint32_t prev, int64_t state, uint32_t next);
/*
 * sched_waking, or if it is not recorded sched_wakeup, which tells when it took effect, maybe on
 * another CPU.  tid: who runs on that CPU; target_cpu: where the target will, or -1; context:
 * WAKE_UNKNOWN if only the handlers that have begun tell.
 */
void kernel_wake(struct kernel *k, bool waking, enum wake_context context, uint32_t cpu,
		 uint32_t tid, uint32_t target, int64_t target_cpu);
/* The handler of an interrupt or softirq begins. */
void kernel_handler_begins(struct kernel *k, uint32_t cpu, bool soft, uint32_t number);
/* It ends. */
void kernel_handler_ends(struct kernel *k, uint32_t cpu, bool soft);
/* sched_process_fork; the child's process is set. */
void kernel_fork(struct kernel *k, uint32_t parent, uint32_t child);
/* The same if only the parent's call tells whether the child is a thread. */
void kernel_fork_of_call(struct kernel *k, uint32_t parent, uint32_t child);
/* sched_process_exec: thread tid, which has its process's number from now on, runs that program. */
void kernel_exec(struct kernel *k, uint32_t tid, const char *path);
/* sched_process_exit. */
void kernel_exit(struct kernel *k, uint32_t tid);
/* A page fault of a program. */
void kernel_fault(struct kernel *k, uint32_t tid, uint64_t address, bool write);
/* The thread enters the call e: id, args, cpu and path; 0: it is unknown. */
void kernel_enter(struct kernel *k, uint32_t tid, struct event *e);
/*
 * The thread leaves that call (UINT32_MAX: the one it is in).  pair: the descriptors that the call
 * has made in memory, or NULL; program: what the thread is called now, or NULL.
 */
void kernel_leave(struct kernel *k, uint32_t tid, unsigned id, int64_t result,
		  const uint64_t pair[2], const char *program);

/*
 * The call that a function sys_NAME of the kernel implements, as tracepoints are called: "newstat"
 * is stat.  UINT32_MAX: that of a number.
 */
unsigned kernel_call_named(const char *name);

#endif
