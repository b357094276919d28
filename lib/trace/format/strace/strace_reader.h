/* SPDX-License-Identifier: MIT */
/*
 * strace_reader.h - the state of the reader of strace logs, shared by its parts: strace.c reads
 * lines and tells time, strace_lines.c knows threads, strace_calls.c makes events of calls,
 * strace_survey.c looks at a log beforehand.
 */
#ifndef STRACE_READER_H
#define STRACE_READER_H

#include "trace/fd/fdtable.h"
#include "trace/reader.h"
#include "trace/format/strace/strace_scratch.h"
#include "trace/format/strace/strace_line.h"
#include "trace/format/strace/strace_threads.h"

enum {
	STRACE_LINE_LIMIT = 16 << 20, /* bytes; what is longer is no line of strace */
	STRACE_LOOK_AHEAD = 64 << 10, /* bytes searched for who made a new thread */
};

struct strace {
	struct strace_threads threads;
	struct fdtable *fds;
	struct scratch scratch; /* strings of the events in the queue */
	struct {
		struct event *v;
		size_t n, cap;
	} queue;
	size_t taken;		  /* of the queue */
	uint32_t root;		  /* thread of lines without a number */
	unsigned forking;	  /* threads in a call that makes one not seen yet */
	uint64_t line;		  /* number of the one at hand */
	int64_t now;		  /* its time: ns since the first */
	struct strace_text split; /* a line whose rest is on the next */
	unsigned splits;	  /* how often that one was cut */
	uint64_t looked;	  /* bytes looked at beforehand, for new threads */
	bool skipping;		  /* the rest of a line beyond the limit */
	bool in_summary;	  /* in the table of -C */
	bool ended;
	bool clock_started;
	int64_t origin, day; /* ns: time of the first line; midnights passed */
	char *command;	     /* of the first execve */
	struct {
		unsigned execve, execveat, restart_syscall, rt_sigreturn, sigreturn;
		unsigned fork, vfork, clone, clone3;
	} id;
};

/* a + b; times of a log that is none may add up to more than 292 years. */
static inline int64_t strace_add_times(int64_t a, int64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow(a, b, &sum))
		sum = b < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* What a log holds, from its first lines. */
struct strace_survey {
	unsigned good, bad; /* lines */
	bool has_time, has_duration;
	uint32_t root; /* number of the first process, 0: not told */
	char *command; /* of the first execve, in fresh memory, or NULL */
};

/* Looks at data[n], which stays as it is. */
void strace_survey(const unsigned char *data, size_t n, struct strace_survey *out);

/* strace_lines.c: puts the events of a line on the queue.  NULL, or why it is bad. */
const char *strace_take_line(struct source *s, struct strace_line *line);
/* Puts those on the queue that the end of the log brings. */
void strace_take_end(struct source *s);

/* strace_calls.c: a whole call, "NAME(...) = ...", that began at start.
 * NULL, or why it is none. */
const char *strace_take_call(struct source *s, struct strace_thread *t, struct span text,
			     int64_t start);
/* One of which only the end was seen; text is its name, "(" and that end. */
const char *strace_take_orphan(struct source *s, struct strace_thread *t, struct span text);
/* Gives up an interrupted call of the thread, if there is one. */
void strace_abandon_piece(struct strace *st, struct strace_thread *t);
/* A thread or process that a call with these CLONE_ flags made. */
void strace_born(struct strace *st, const struct strace_thread *parent, uint32_t tid,
		 uint64_t flags);
/* True of fork, vfork, clone, clone3. */
bool strace_is_fork(const struct strace *st, struct span name);
/* An event of the thread at the time of this line; and its way to the queue. */
struct event strace_event(const struct strace *st, const struct strace_thread *t,
			  enum event_type type);
void strace_emit(struct strace *st, struct event *e);

#endif
