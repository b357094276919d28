/* SPDX-License-Identifier: MIT */
/*
 * strace_call.h - a call as strace writes it, "NAME(ARGUMENTS) = RESULT <DURATION>", and its
 * arguments as numbers, paths and descriptors.
 */
#ifndef STRACE_CALL_H
#define STRACE_CALL_H

#include "trace/event.h"
#include "trace/format/strace/strace_line.h"
#include "trace/syscalls.h"
#include "util/arena.h"

enum { STRACE_ARGS = 6 };

enum strace_result {
	STRACE_NUMBER,	/* value; of a call that failed, minus the errno */
	STRACE_NOTHING, /* '?': the call does not return, or strace has not seen it return */
	STRACE_RESTART, /* "? ERESTARTSYS" and the like: a signal interrupted the call */
};

struct strace_call {
	struct span name;
	struct span args;		   /* all of them */
	bool unbalanced;		   /* they cannot be separated: nargs is 0 */
	struct span arg[STRACE_ARGS];	   /* each, without its name */
	struct span arg_name[STRACE_ARGS]; /* "flags" of "flags=O_RDONLY"; empty: none */
	unsigned nargs;
	enum strace_result result;
	int64_t value;
	struct span returned; /* a descriptor with its decoration, or empty */
	int64_t duration;     /* ns; -1 without -T */
};

/* Parses a call in place.  NULL, or the reason why it is none. */
const char *strace_parse_call(char *p, char *end, struct strace_call *out);

/*
 * An argument as a number: decimal, hexadecimal, octal, or names joined by '|'.  A pointer in whose
 * place strace shows the target is 1, an unknown name is 0.
 */
uint64_t strace_value(struct span arg);
/*
 * Sets args and path of a call, whose id *e has.  Descriptors and flags that it passes in memory go
 * where event.h wants them; the path is the first one, unquoted.
 */
void strace_arguments(const struct strace_call *call, struct arena *arena, struct event *e);
/* The argument list of an execve as words of sh(1); its path if the list is not shown. */
const char *strace_command(const struct strace_call *call, struct arena *arena);

/* A descriptor and what its decoration (-y, -yy) says about it. */
struct strace_fd {
	int fd;
	enum fd_kind kind; /* FD_UNKNOWN if it does not say */
	const char *name;
};

/* Parses a descriptor with its decoration; false if arg is none. */
bool strace_decorated(struct span arg, struct arena *arena, struct strace_fd *out);

#endif
