/* SPDX-License-Identifier: MIT */
/*
 * strace_line.h - the grammar of a line of strace's output.
 *
 *	line := [pid] [context] [time] [relative] [number] [ip] body
 *	pid  := "1234 " | "[pid  1234] " | either with "<command>" after the number (-Y)
 *	time := "12:34:56" | "12:34:56.123456" (-tt) | "1700000000.123456" (-ttt) | "0.000012" (-r)
 *	body := NAME(ARGUMENTS) = RESULT | NAME(ARGUMENTS <unfinished ...> | <... NAME resumed>REST
 *		| --- SIGNAL {...} --- | +++ exited with N +++ | +++ killed by SIGNAL +++ | a note
 *
 * Lines are parsed in place: the text of a line must be writable and *end must be NUL.
 */
#ifndef STRACE_LINE_H
#define STRACE_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The characters from p up to, not including, end. */
struct span {
	char *p, *end;
};

static inline size_t span_length(struct span s)
{
	return (size_t)(s.end - s.p);
}

enum strace_kind {
	STRACE_CALL,	   /* name; body: the whole call */
	STRACE_UNFINISHED, /* name; body: the call up to the mark */
	STRACE_RENAMED,	   /* the same for an execve after which the thread has this number */
	STRACE_RESUMED,	   /* name, empty if strace left it out; body: what follows the mark */
	STRACE_SIGNAL,	   /* number: the signal */
	STRACE_EXIT,	   /* number: the status as wait(2) gives it */
	STRACE_NOTE,	   /* not about a call: a message, a stack frame, a hexdump */
	STRACE_SUMMARY,	   /* the heading of the table of -C; reason, if no table follows */
	STRACE_BAD,	   /* reason */
};

enum strace_clock { STRACE_NO_TIME, STRACE_EPOCH, STRACE_TIME_OF_DAY, STRACE_RELATIVE };

enum { STRACE_NAME = 64 }; /* bytes of a call's name: a longer one is none */

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

/* Parses a line, which has no newline any more. */
void strace_parse_line(char *p, char *end, struct strace_line *out);

/*
 * The place of "strace: Process N attached" at the end of a line, or NULL.  On a terminal strace
 * writes this in the middle of the call that made N; the rest of the call is on the next line.
 */
char *strace_find_attached(char *p, char *end);

/*
 * Parses the number at *p, which is decimal, hexadecimal (0x) or octal (0), and moves *p behind it.
 * False if there is none; one that does not fit is truncated.
 */
bool strace_parse_number(char **p, int64_t *out);
/*
 * The same for "12" or "12.345678" seconds, as nanoseconds.  False also beyond 136 years, so that
 * two such times and a difference of two more can be added.
 */
bool strace_parse_seconds(char **p, int64_t *ns);
/* The quote that ends the string whose first one is at p, or NULL. */
char *strace_string_end(char *p, const char *end);
/* The '>' that ends the decoration ("3</etc/passwd>") whose '<' is at p, or NULL. */
char *strace_decoration_end(char *p, const char *end);

#endif
