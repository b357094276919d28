/* SPDX-License-Identifier: MIT */
/*
 * event.h - what happened in a traced program, whatever recorded it.
 *
 * Recorders and importers produce these events, every view consumes them.  All times are
 * nanoseconds since the start of the trace.
 */
#ifndef EVENT_H
#define EVENT_H

#include <stdbool.h>
#include <stdint.h>

enum event_type {
	EVENT_SYSCALL = 1, /* one call, emitted when it ends or when the trace does */
	EVENT_SWITCH,	   /* a thread left or took a CPU */
	EVENT_WAKE,	   /* a thread made another runnable */
	EVENT_FORK,	   /* a process or thread was born */
	EVENT_EXEC,	   /* a process changed its program */
	EVENT_EXIT,	   /* a thread or process ended */
	EVENT_FD,	   /* what an object behind descriptors is */
	EVENT_LOST,	   /* events are missing here */
	EVENT_CLOCK,	   /* trace time against wall-clock time */
	EVENT_MARK,	   /* an annotation by the program (states, queues, links) */
	EVENT_COUNTER,	   /* a counter's value */
	EVENT_SIGNAL,	   /* a signal was delivered */
};

/* What stands behind a file descriptor.  The numbers are in files (docs/ktr.5): add at the end. */
enum fd_kind {
	FD_UNKNOWN,
	FD_FILE,
	FD_DIRECTORY,
	FD_PIPE,
	FD_UNIX,
	FD_TCP,
	FD_UDP,
	FD_NETLINK,
	FD_SOCKET, /* of another family */
	FD_EPOLL,
	FD_EVENTFD,
	FD_TIMERFD,
	FD_SIGNALFD,
	FD_INOTIFY,
	FD_PIDFD,
	FD_IOURING,
	FD_TTY,
	FD_DEVICE,
	FD_ANON,
	FD_MEMFD,
	FD_KINDS
};

/* "file", "tcp", ...: the words of the tables and of basis.conf. */
const char *fd_kind_name(enum fd_kind kind);
/* The kind of that name, or -1. */
int fd_kind_parse(const char *name);
/* What a path most likely is, as far as its name says; NULL: a file. */
enum fd_kind fd_kind_of_path(const char *path);
/* True of every kind of socket. */
bool fd_kind_is_socket(enum fd_kind kind);

/* These numbers are in files too. */
enum {
	CALL_UNFINISHED = 1 << 0,  /* no exit was seen: result and duration are unknown */
	CALL_ORPHAN = 1 << 1,	   /* no entry was seen: start and arguments are unknown */
	CALL_NO_TIME = 1 << 2,	   /* the source carries no time stamps */
	CALL_NO_DURATION = 1 << 3, /* ... or no durations */
	CALL_RESTARTED = 1 << 4,   /* interrupted and continued: the pieces are folded in */
	CALL_NO_ARGS = 1 << 5,	   /* arguments are not numbers here (text has them) */
	CALL_NO_RESULT = 1 << 6,   /* returns nothing (exit), or '?' in the source */
	CALL_APPENDS = 1 << 15,	   /* never in a file: set by who asked appends_event() */
};

/* What an annotation says.  The numbers are in files: add at the end. */
enum mark_verb {
	MARK_STATE = 1,	 /* the thread enters the state `name` */
	MARK_ENQUEUE,	 /* it put `amount` into the queue `name` */
	MARK_DEQUEUE,	 /* it took `amount` out of it */
	MARK_WAIT_EMPTY, /* it waits because the queue is empty */
	MARK_WAIT_FULL,	 /* ... or full */
	MARK_LINK,	 /* what bears `tag` elsewhere caused what comes */
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
			const char *path;	/* of a call that takes one, or NULL */
			const char *text;	/* arguments as the source wrote them, or NULL */
		} call;
		struct { uint32_t cpu; bool out, preempted; uint32_t next; } change; /* SWITCH */
		struct { uint32_t target; } wake;
		struct {
			uint32_t child_pid, child_tid;	/* same pid: a thread */
			bool shares_files;	/* a process with CLONE_FILES */
		} fork;
		struct { const char *command; } exec; /* argv, as words of sh(1) */
		struct { int status; bool last; } exit; /* wait(2) status; last thread */
		struct {
			uint32_t object;
			enum fd_kind kind;
			const char *name;	/* "": none */
		} fd;
		struct { uint64_t count; int64_t until; } lost; /* 0: number unknown */
		struct { int64_t realtime; } clock; /* ns since 1970 at this trace time */
		struct {
			unsigned verb;		/* enum mark_verb, or one of a newer version */
			const char *name;
			uint64_t amount, tag;
		} mark;
		struct { const char *name; double value; } counter;
		struct { int signal; } signal;
	};
};
/* clang-format on */

/*
 * Strings live until the next event is read from the same source.
 *
 * Calls that pass what matters through memory leave it in the last two arguments, which they do
 * not have themselves, when the source knows it:
 *	clone3			[4] flags
 *	openat2			[4] flags
 *	pipe, pipe2, socketpair	[4], [5] the two descriptors
 */

/* True when the call failed; its errno is -result. */
static inline bool event_failed(const struct event *e)
{
	return !(e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT)) && e->call.result < 0 &&
	       e->call.result >= -4095;
}

#endif
