/* SPDX-License-Identifier: MIT */
/*
 * strace_line.h - one line of strace's output taken apart.
 *
 *	line := [pid] [context] [time] [relative] [number] [ip] body
 *	pid  := "1234 " | "[pid  1234] " | either with "<command>" behind the number (-Y)
 *	time := "12:34:56" | "12:34:56.123456" (-tt) | "1700000000.123456" (-ttt) | "0.000012" (-r)
 *	body := NAME(ARGUMENTS) = RESULT | NAME(ARGUMENTS <unfinished ...> | <... NAME resumed>REST
 *		| --- SIGNAL {...} --- | +++ exited with N +++ | +++ killed by SIGNAL +++ | a note
 *
 * Lines are changed in place: text behind `end` must be writable and *end must be NUL.
 */
#ifndef STRACE_LINE_H
#define STRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Characters from p up to, not including, end. */
struct span {
	char *p, *end;
};

static inline size_t span_length(struct span s)
{
	return (size_t)(s.end - s.p);
}

enum strace_kind {
	STRACE_CALL,	   /* body: all of it; name */
	STRACE_UNFINISHED, /* body: what there is without the mark; name */
	STRACE_RESUMED,	   /* body: what follows the mark; name, empty when cut */
	STRACE_RENAMED,	   /* as UNFINISHED; number: the thread's new id */
	STRACE_SIGNAL,	   /* number: the signal */
	STRACE_EXIT,	   /* number: status as wait(2) gives it */
	STRACE_ATTACHED,   /* number: the new thread */
	STRACE_NOTE,	   /* nothing that matters */
	STRACE_SUMMARY,	   /* the heading of the table of -C */
	STRACE_BAD,	   /* reason */
};

enum strace_clock { STRACE_NO_TIME, STRACE_EPOCH, STRACE_TIME_OF_DAY, STRACE_RELATIVE };

struct strace_line {
	enum strace_kind kind;
	bool has_pid;
	uint32_t pid;
	enum strace_clock clock;
	int64_t time; /* ns, as the clock counts */
	struct span name, body;
	uint32_t number;
	const char *reason;
};

/* Takes colours and a carriage return out of a line; returns its new end, where a NUL is. */
char *strace_clean(char *p, char *end);
/* Takes a line without its newline apart. */
void strace_parse_line(char *p, char *end, struct strace_line *out);

/*
 * On a terminal strace says "strace: Process N attached" in the middle of the call that made N,
 * whose rest is on the next line.  Where that begins in a line that ends with it, and N; NULL: it
 * does not.
 */
char *strace_find_attached(char *p, char *end, uint32_t *pid);

enum { STRACE_ARGS = 6 };

enum strace_result {
	STRACE_NUMBER,	/* value; an error is minus its errno */
	STRACE_NOTHING, /* '?' */
	STRACE_RESTART, /* '?' and one of ERESTART...: the call goes on */
};

struct strace_call {
	struct span name;
	struct span args; /* all of them */
	bool unbalanced;  /* they could not be told apart: arg is empty */
	struct span arg[STRACE_ARGS];
	unsigned nargs;
	enum strace_result result;
	int64_t value;
	struct span decoration; /* of a descriptor returned: what stands in <>; empty: none */
	int64_t duration;	/* ns; -1: not given */
};

/* Takes "NAME(ARGUMENTS) = RESULT <DURATION>" apart.  NULL, or the reason why it is none. */
const char *strace_parse_call(char *p, char *end, struct strace_call *out);

/* The byte behind a string that begins with the quote at p, or NULL. */
char *strace_skip_string(char *p, const char *end);
/* The byte behind a decoration that begins with the '<' at p, or NULL. */
char *strace_skip_decoration(char *p, const char *end);
/* The number at *p, decimal, 0x or 0, which moves behind it; false when there is none. */
bool strace_parse_number(char **p, int64_t *out);
/* The same for "12" or "12.345678" seconds, as nanoseconds. */
bool strace_parse_seconds(char **p, int64_t *ns);

#endif
