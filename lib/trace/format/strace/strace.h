/* SPDX-License-Identifier: MIT */
/*
 * strace.h - reads strace logs: strace_line.c splits a line, strace_call.c a call and its
 * arguments, strace_events.c makes events of them, strace.c keeps the time.
 *
 *	line := [pid] [context] [time] [relative] [number] [ip] body
 *	pid  := "1234 " | "[pid  1234] " | either with "<command>" after the number (-Y)
 *	time := "12:34:56" | "12:34:56.123456" (-tt) | "1700000000.123456" (-ttt) | "0.000012" (-r)
 *	body := NAME(ARGUMENTS) = RESULT | NAME(ARGUMENTS <unfinished ...> | <... NAME resumed>REST
 *		| --- SIGNAL {...} --- | +++ exited with N +++ | +++ killed by SIGNAL +++ | a note
 *
 * Lines are parsed in place: the text of a line must be writable and *end must be NUL.
 */
#ifndef STRACE_STRACE_H
#define STRACE_STRACE_H

#include "trace/event.h"
#include "trace/format.h"
#include "trace/importer.h"
#include "trace/syscalls.h"

/* ---- strace_line.c ---- */

/* The characters from p up to, not including, end. */
struct span {
	char *p, *end;
};

/* Returns whether c is a decimal digit. */
static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Returns the number of characters of s. */
static inline size_t span_length(struct span s)
{
	return (size_t)(s.end - s.p);
}

enum strace_kind {
	STRACE_CALL,	   /* name; body: the whole call */
	STRACE_UNFINISHED, /* name; body: the call up to the mark */
	STRACE_RENAMED,	   /* as UNFINISHED; an execve after which the thread has this number */
	STRACE_RESUMED,	   /* name, empty if strace left it out; body: what follows the mark */
	STRACE_SIGNAL,	   /* number: the signal */
	STRACE_EXIT,	   /* number: the status as wait(2) gives it */
	STRACE_SUPERSEDED, /* number: the thread whose execve, of which the first part was a line
			    * of its own, gives it the number of this line's thread */
	STRACE_NOTE, /* not about a call: a message, a stack frame, a hexdump, a table; or a call
		      * whose thread was killed before it, so that strace writes question marks */
	STRACE_BAD,  /* reason */
};

enum strace_clock { STRACE_NO_TIME, STRACE_EPOCH, STRACE_TIME_OF_DAY, STRACE_RELATIVE };

enum { STRACE_NAME = 64 }; /* bytes of a call's name; longer text is not a name */

struct strace_line {
	enum strace_kind kind;
	bool has_pid;
	bool bracketed; /* the pid is in brackets: strace omits it while there is one process */
	uint32_t pid;
	enum strace_clock clock;
	int64_t time; /* ns, as the clock counts */
	struct span name, body;
	uint32_t number;
	const char *reason;
};

/* Parses a line, whose newline is gone, into *out. */
void strace_parse_line(char *p, char *end, struct strace_line *out);

/*
 * Returns where "strace: Process N attached" begins at the end of a line, or NULL.  On a terminal
 * strace writes this in the middle of the call that made N; the rest of the call is on the next
 * line.
 */
char *strace_find_attached(char *p, char *end);

/*
 * Parses the number at *p, which is decimal, hexadecimal (0x) or octal (0), and moves *p past it.
 * Returns false if there is none; one that does not fit is truncated.
 */
bool strace_parse_number(char **p, int64_t *out);
/* Returns the quote that ends the string whose first quote is at p, or NULL. */
char *strace_string_end(char *p, const char *end);
/* Returns the '>' that ends the decoration ("3</etc/passwd>") whose '<' is at p, or NULL. */
char *strace_decoration_end(char *p, const char *end);

/* ---- strace_call.c ---- */

enum { STRACE_ARGS = 6 };

enum strace_result {
	STRACE_NUMBER,	/* value; minus the errno if the call failed */
	STRACE_NOTHING, /* '?': the call does not return, or strace has not seen it return */
	STRACE_UNREAD,	/* "? <unavailable>": it returned, but its thread was killed before strace
			   looked */
	STRACE_RESTART, /* "? ERESTARTSYS" and the like: a signal interrupted the call */
};

struct strace_call {
	struct span name;
	struct span args;		   /* all arguments */
	bool unbalanced;		   /* they cannot be separated: nargs is 0 */
	struct span arg[STRACE_ARGS];	   /* each, without its name */
	struct span arg_name[STRACE_ARGS]; /* "flags" of "flags=O_RDONLY"; empty: none */
	unsigned nargs;
	enum strace_result result;
	int64_t value;
	struct span returned; /* a descriptor with its decoration, or empty */
	int64_t duration;     /* ns; -1 without -T */
};

/* Parses a call in place.  Returns NULL, or why the text is not a call. */
const char *strace_parse_call(char *p, char *end, struct strace_call *out);

/*
 * Returns an argument as a number: it is decimal, hexadecimal, octal, or names joined by '|'.  A
 * pointer in whose place strace shows the target is 1, an unknown name is 0.
 */
uint64_t strace_value(struct span arg);
/*
 * Sets args and path of the call whose id is in *e.  Descriptors and flags that it passes in memory
 * go where event.h wants them; the path is the first one, without quotes.
 */
void strace_arguments(const struct strace_call *call, struct arena *arena, struct event *e);
/* Returns the argument list of an execve as words of sh(1), or its path if the list is not shown.
 */
const char *strace_command(const struct strace_call *call, struct arena *arena);

/* A descriptor and what its decoration (-y, -yy) says about it. */
struct strace_fd {
	int fd;
	enum fd_kind kind; /* FD_UNKNOWN if it does not say */
	const char *name;
};

/* Parses a descriptor with its decoration.  Returns false if arg is none. */
bool strace_decorated(struct span arg, struct arena *arena, struct strace_fd *out);

/* ---- the reader ---- */

struct strace {
	struct importer im;
	/* strace.c */
	uint64_t line; /* number of the line at hand */
	uint64_t good; /* lines so far that say something about a thread */
	bool ended;
	enum strace_clock clock;
	int64_t origin, days; /* ns: time of the first line; of the days since then */
	char *command;	      /* of the first process */
	int64_t now;	      /* time of the line at hand: ns since the first */
	/* strace_events.c */
	uint32_t root; /* thread of lines without a pid */
	VEC(uint32_t)
	forks; /* threads in a fork or clone whose child is unknown; see oldest_fork() */
	size_t forks_done; /* how many of these are done */
};

/* strace_events.c */

/* Prepares the part of the state for strace_events.c, after s->info was set. */
void strace_begin(struct source *s);
/* Puts the events of a line into the queue.  Returns NULL, or why the line is bad. */
const char *strace_take_line(struct source *s, struct strace_line *line);

#endif
