/* SPDX-License-Identifier: MIT */
/*
 * event.h - what happened in a traced program, whatever recorded it: recorders and readers of
 * traces produce these events, every view consumes them.
 *
 * Times are nanoseconds since the start of the trace.  A source gives the events of each thread in
 * the order in which they ended: the `time` of a call, an interrupt or an operation says when it
 * began, but the event comes after what happened meanwhile.  Events of different threads may be
 * somewhat out of order.  An EVENT_FD comes before the first call on the object, an EVENT_FORK
 * before the events of the child.
 */
#ifndef TRACE_EVENT_H
#define TRACE_EVENT_H

#include <stdbool.h>
#include <stdint.h>

#include "trace/fd/kind.h"
#include "trace/losses.h"

enum event_type {
	EVENT_SYSCALL = 1, /* one call, emitted when it ends or when the trace does */
	EVENT_SWITCH,	   /* a thread left or took a CPU */
	EVENT_WAKE,	   /* a thread made another runnable */
	EVENT_FORK,	   /* a process or thread was born */
	EVENT_EXEC,	   /* a process changed its program */
	EVENT_EXIT,	   /* a thread or process ended */
	EVENT_FD,	   /* kind and name of an object behind descriptors */
	EVENT_LOST,	   /* events are missing here */
	EVENT_CLOCK,	   /* trace time against wall-clock time */
	EVENT_MARK,	   /* an annotation by the program (states, queues, links) */
	EVENT_COUNTER,	   /* the value of a counter */
	EVENT_SIGNAL,	   /* a signal was delivered */
	EVENT_FAULT,	   /* a page fault */
	EVENT_URING,	   /* an io_uring operation, emitted when it completes or the trace ends */
	EVENT_INTERRUPT,   /* an interrupt handler or softirq ran, on top of the thread */
	EVENT_BLOCK,	   /* a request to a block device was issued or completed */
	EVENT_COMM,	   /* a thread has this name (from now on) */
	EVENT_CGROUP,	   /* a process is in this control group (from now on) */
	EVENT_ATTACH,	   /* a process that was running when the recording began */
	EVENT_ADDRESS,	   /* the addresses of a socket */
	EVENT_HOST,	   /* the name of a host, in a trace of several */
	EVENT_STACK,	   /* where in its program a thread made a call */
	EVENT_TYPES
};

/* These numbers are in files too. */
enum {
	CALL_UNFINISHED = 1 << 0,  /* no exit was seen: result and duration are unknown */
	CALL_ORPHAN = 1 << 1,	   /* no entry was seen: start and arguments are unknown */
	CALL_NO_TIME = 1 << 2,	   /* the source carries no time stamps */
	CALL_NO_DURATION = 1 << 3, /* the source carries no durations */
	CALL_RESTARTED = 1 << 4,   /* interrupted and continued: the pieces are folded in */
	CALL_NO_ARGS = 1 << 5,	   /* arguments are not numbers here (text has them) */
	CALL_NO_RESULT = 1 << 6,   /* returns nothing (exit), or '?' in the source */
	CALL_SEVERAL = 1 << 7,	   /* stands for `more` further calls like it */
	/* Never in a file: what extents_flags() and exists_event() returned. */
	CALL_APPENDS = 1 << 15,
	CALL_SYNCED = 1 << 13,
	CALL_EXISTS = 1 << 14,
};

/* Why a thread left its CPU, and who woke it.  The numbers are in files: add at the end. */
enum thread_state {
	STATE_UNKNOWN,
	STATE_RUNNABLE,
	STATE_SLEEPING,
	STATE_UNINTERRUPTIBLE, /* mostly waiting for a device */
	STATE_STOPPED,
	STATE_DEAD,
	STATES
};

enum wake_context {
	WAKE_UNKNOWN,
	WAKE_THREAD,	/* the thread of the event is the waker */
	WAKE_INTERRUPT, /* a handler that interrupted it */
	WAKE_SOFTIRQ,
	WAKE_CONTEXTS
};

/* What a page fault was about.  The numbers are in files: add at the end. */
enum fault_kind {
	FAULT_UNKNOWN,
	FAULT_READ, /* of a page that was not there, as the next two */
	FAULT_WRITE,
	FAULT_EXECUTE,
	FAULT_COPY, /* a write to a page that was there, but protected: mostly to copy it */
	FAULT_KINDS
};

struct event;

/* "read", "write", ... */
const char *fault_kind_name(enum fault_kind kind);
/* Makes an event a page fault with that error code of an x86 processor. */
void fault_set_x86(struct event *e, uint64_t address, uint64_t code);

/* One end of a connection; zeroed: unknown. */
struct address {
	uint8_t length;	   /* bytes: 4 (IPv4), 16 (IPv6), 0: unknown, or no IP address */
	uint8_t bytes[16]; /* in network order */
	uint16_t port;
};

/* What an annotation says.  The numbers are in files: add at the end. */
enum mark_verb {
	MARK_STATE = 1,	 /* the thread enters the state `name` */
	MARK_ENQUEUE,	 /* it put `amount` into the queue `name` */
	MARK_DEQUEUE,	 /* it took `amount` out of it */
	MARK_WAIT_EMPTY, /* it waits because the queue is empty */
	MARK_WAIT_FULL,	 /* it waits because the queue is full */
	MARK_LINK,	 /* an earlier event with the same `tag` caused what follows */
	MARK_PEEK,	 /* it looks at `amount` in the queue, which stay there */
	MARK_RESERVE,	 /* it takes room for `amount`, which it will put there */
	MARK_CAPACITY,	 /* the queue has room for `amount` */
	MARK_IDENTIFY,	 /* it goes on for the connection or request `tag`, which has its own queues
			  */
};

/* clang-format off */
struct event {
	enum event_type type;
	uint32_t pid, tid;	/* process (thread group) and thread */
	int64_t time;		/* ns; for a call: when it was entered */
	union {
		struct {
			unsigned id;		/* of syscalls.h */
			unsigned flags;		/* CALL_* */
			int64_t duration;	/* ns; -1 when unknown */
			uint64_t args[6];	/* unused ones 0; see below */
			int64_t result;		/* raw: -4095 ... -1 is minus the errno */
			enum fd_kind kind;	/* of the descriptor it works on; FD_UNKNOWN */
			uint32_t object;	/* open file description; 0: none or unknown */
			uint32_t cpu;		/* where it was entered, plus 1; 0: unknown */
			uint64_t more;		/* with CALL_SEVERAL; else 0 */
			const char *path;	/* of a call that takes one, or NULL */
			const char *text;	/* arguments as the source wrote them, or NULL */
		} call;
		struct {
			uint32_t cpu;
			bool out, preempted;
			uint32_t next;		/* thread that follows on the CPU */
			uint8_t state;		/* enum thread_state, of a thread that left */
		} change; /* SWITCH */
		struct {
			uint32_t target;	/* thread */
			uint8_t context;	/* enum wake_context */
			uint32_t cpu;		/* where the target will run, plus 1; 0: unknown */
			uint32_t from;		/* where it was woken, likewise */
		} wake;
		struct {
			uint32_t child_pid, child_tid;	/* same pid: a thread */
			bool shares_files;	/* a process with CLONE_FILES */
		} fork;
		struct {
			const char *command;	/* argv, as words of sh(1) */
			const char *name, *file; /* of the program, while it is recorded; or NULL */
		} exec;
		struct { int status; bool last; } exit; /* wait(2) status; last thread */
		struct {
			uint32_t object;
			enum fd_kind kind;
			const char *name;	/* "": none */
		} fd;
		struct {
			uint64_t count;		/* 0: an unknown number */
			int64_t until;		/* ns: the last time when one may be missing */
			uint8_t class;		/* enum loss_class */
		} lost;
		struct { int64_t realtime; } clock; /* ns since 1970 at this trace time */
		struct {
			unsigned verb;		/* enum mark_verb, or one of a newer version */
			const char *name;
			uint64_t amount, tag;
		} mark;
		struct { const char *name; double value; } counter;
		struct { int signal; } signal;
		struct {
			uint64_t address;
			bool major, write;	/* major: a device was read; no source tells yet */
			uint8_t kind;		/* enum fault_kind */
		} fault;
		struct {
			bool complete;		/* else no end was seen */
			uint32_t object;	/* the ring */
			uint64_t request;	/* user_data */
			uint32_t opcode;	/* IORING_OP_* */
			int64_t result;		/* raw, as of a call */
			int64_t duration;	/* ns since it was submitted; -1 when unknown */
			int32_t fd;		/* -1: a registered file, or none */
			enum fd_kind kind;	/* of fd; FD_UNKNOWN */
			uint32_t file;		/* the object behind fd; 0: none or unknown */
		} uring; /* of the thread that submitted it */
		struct {
			bool soft;
			uint32_t number;	/* of the interrupt line or softirq */
			uint32_t cpu;
			int64_t duration;	/* ns; -1 when unknown */
		} interrupt;
		struct {
			bool complete, write;
			uint64_t device;	/* major << 32 | minor */
			uint64_t sector, bytes;
			uint32_t cpu;		/* plus 1; 0: unknown */
		} block;
		struct { const char *name; } comm;
		struct { const char *path; } cgroup;
		struct { uint32_t parent; } attach; /* process */
		struct { uint32_t object; struct address local, remote; } address;
		struct { uint32_t number; const char *name; } host;
		struct { const char *frames; } stack; /* of the next call of the thread that ends */
	};
};
/* clang-format on */

/*
 * Strings live until the next event is read from the same source.
 *
 * The frames of a stack, from the inside out, are the addresses of calls in files that are mapped,
 * counted from where the first byte of the file is mapped: "/lib/libc.so.6+0x9f < /bin/app+0x120".
 *
 * Calls that pass what matters through memory leave it in the last two arguments, which they do
 * not have themselves, when the source knows it:
 *	clone3			[4] flags
 *	openat2			[4] flags
 *	pipe, pipe2, socketpair	[4], [5] the two descriptors
 *
 * An event that stands for several calls of a thread has what they have in common: the call, its
 * variant (syscalls.h), the kind of descriptor, and the error.  Its duration is theirs to the
 * nanosecond, or the mean of calls that differ by less than a factor of two; the same holds for the
 * size: the bytes that it returns, else its first argument that is one, else the result.  Other
 * arguments are of one of them, and it ends when they were counted.
 */

/*
 * In a trace of several hosts (ktranal sync) the numbers of processes, threads, CPUs and objects
 * have the number of their host above these bits, so that what follows one host by them follows
 * several. The numbers of the first host are its own.
 */
enum { HOST_SHIFT = 22, HOSTS_MAX = 1 << 10 };

/* Returns a number as its host knows it. */
static inline uint32_t host_local(uint32_t number)
{
	return number & ((1u << HOST_SHIFT) - 1);
}

/* Returns what stands here for `number` of the host that `of` belongs to. */
static inline uint32_t host_same(uint32_t of, uint32_t number)
{
	return of >> HOST_SHIFT << HOST_SHIFT | number;
}

/* Returns when an event ended, in ns, which is what the order of events goes by. */
static inline int64_t event_end(const struct event *e)
{
	int64_t duration = e->type == EVENT_SYSCALL	? e->call.duration
			   : e->type == EVENT_INTERRUPT ? e->interrupt.duration
			   : e->type == EVENT_URING	? e->uring.duration
							: 0;

	return duration > 0 ? (int64_t)((uint64_t)e->time + (uint64_t)duration) : e->time;
}

/* Returns the number of calls that an EVENT_SYSCALL stands for. */
static inline uint64_t event_calls(const struct event *e)
{
	return e->call.more + 1;
}

/* Returns whether the result of a call is minus an errno. */
static inline bool result_is_error(int64_t result)
{
	return result < 0 && result >= -4095;
}

/* Returns whether a call failed; its errno is -result then. */
static inline bool event_failed(const struct event *e)
{
	return !(e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT)) &&
	       result_is_error(e->call.result);
}

/* Returns whether the event is a call that succeeded and whose arguments are known. */
static inline bool event_is_done(const struct event *e)
{
	const unsigned unknown = CALL_UNFINISHED | CALL_NO_RESULT | CALL_NO_ARGS | CALL_ORPHAN;

	return e->type == EVENT_SYSCALL && !(e->call.flags & unknown) && !event_failed(e);
}

#endif
