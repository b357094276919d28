/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace.h"

#include <string.h>

#include "trace/os.h"

enum { PID_LIMIT = 1 << 22 }; /* of Linux; a larger number is a time */

static bool is_name(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool starts(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(p, with, n);
}

static bool ends(const char *p, const char *end, const char *with)
{
	size_t n = strlen(with);

	return (size_t)(end - p) >= n && !memcmp(end - n, with, n);
}

static char *skip_spaces(char *p)
{
	while (*p == ' ')
		p++;
	return p;
}

/* ---- numbers, strings, decorations ---- */

/* Parses the digits at p, as many of them as fit into *out; returns what follows these. */
static char *digits(char *p, unsigned base, uint64_t *out)
{
	for (*out = 0;; p++) {
		unsigned letter = ((unsigned char)*p | 0x20u) - 'a';
		unsigned digit = is_digit(*p) ? (unsigned)(*p - '0')
				 : letter < 6 ? letter + 10
					      : base;
		uint64_t more;

		if (digit >= base)
			return p;
		if (__builtin_mul_overflow(*out, base, &more) ||
		    __builtin_add_overflow(more, digit, &more))
			return p;
		*out = more;
	}
}

bool strace_parse_number(char **p, int64_t *out)
{
	bool negative = **p == '-';
	char *at = *p + negative;
	uint64_t v;

	if (!is_digit(*at))
		return false;
	if (at[0] == '0' && at[1] == 'x')
		*p = digits(at + 2, 16, &v);
	else
		*p = digits(at, at[0] == '0' ? 8 : 10, &v);
	*out = (int64_t)(negative ? -v : v);
	return true;
}

char *strace_string_end(char *p, const char *end)
{
	while (++p < end && *p != '"')
		p += *p == '\\';
	return p < end ? p : NULL;
}

char *strace_decoration_end(char *p, const char *end)
{
	bool path = p[1] == '/';
	int depth = 0;

	/*
	 * strace escapes '>' in a path, but "<char 1:3>" may follow it.  Anything else is
	 * PROTOCOL:[...], with '>' and quoted paths between the brackets.
	 */
	while (p && ++p < end) {
		if (*p == '>' && depth <= 0)
			return p;
		if (*p == '<')
			p = memchr(p, '>', (size_t)(end - p));
		else if (!path && *p == '"')
			p = strace_string_end(p, end);
		else if (!path)
			depth += (*p == '[') - (*p == ']');
	}
	return NULL;
}

/* ---- what is in front of the body ---- */

/* "1234 ", "[pid  1234] ", either with "<command>" after the number; returns what follows. */
static char *parse_pid(char *p, const char *end, struct strace_line *out)
{
	bool bracketed = starts(p, end, "[pid ");
	char *start = bracketed ? skip_spaces(p + 5) : p;
	uint64_t pid;
	char *at = digits(start, 10, &pid);

	if (at == start || pid > PID_LIMIT)
		return p;
	if (*at == '<' && (at = strace_decoration_end(at, end)))
		at++;
	if (!at || *at != (bracketed ? ']' : ' '))
		return p;
	out->has_pid = true;
	out->bracketed = bracketed;
	out->pid = (uint32_t)pid;
	return at + 1;
}

/* Skips "[ 59] ", "[00007f...] ", "[context] ": what -n, -i and --secontext put in front. */
static char *skip_brackets(char *p, const char *end)
{
	while (*p == '[') {
		char *close = memchr(p, ']', (size_t)(end - p));

		if (!close || close[1] != ' ')
			break;
		p = skip_spaces(close + 1);
	}
	return p;
}

/* "HH:MM:SS[.fraction]" at *p as nanoseconds since midnight. */
static bool parse_time_of_day(char **p, int64_t *ns)
{
	char *at = *p;
	int64_t v[3];

	for (int i = 0; i < 3; i++) {
		if (!is_digit(at[0]) || !is_digit(at[1]) || (i < 2 && at[2] != ':'))
			return false;
		v[i] = (at[0] - '0') * 10 + at[1] - '0';
		at += i < 2 ? 3 : 2;
	}
	*p += input_fraction(at, ns) - *p;
	*ns += ((v[0] * 60 + v[1]) * 60 + v[2]) * 1000000000;
	return true;
}

static char *parse_time(char *p, const char *end, struct strace_line *out)
{
	const int64_t epoch = (int64_t)100000000 * 1000000000; /* -r gives less */
	const char *after;
	char *start = p;

	p += *p == '+';
	if (parse_time_of_day(&p, &out->time)) {
		out->clock = STRACE_TIME_OF_DAY;
	} else if ((after = input_seconds(p, &out->time))) {
		out->clock = out->time < epoch ? STRACE_RELATIVE : STRACE_EPOCH;
		p += after - p;
	}
	if (out->clock == STRACE_NO_TIME || *p != ' ') {
		out->clock = STRACE_NO_TIME;
		return start;
	}
	p = skip_spaces(p);
	if (starts(p, end, "(+")) { /* -r together with another clock */
		char *close = memchr(p, ')', (size_t)(end - p));

		p = close ? skip_spaces(close + 1) : p;
	}
	return p;
}

/* ---- the body ---- */

static void bad(struct strace_line *out, const char *reason)
{
	out->kind = STRACE_BAD;
	out->reason = reason;
}

/* The signal whose name begins at p; 0 if it is not known. */
static uint32_t parse_signal(char *p)
{
	char *end = p;
	uint64_t n;
	int64_t value;

	while (is_name(*end))
		end++;
	if (starts(p, end, "SIGRT_") && digits(p + 6, 10, &n) == end && n < 33)
		return 32 + (uint32_t)n;
	return os_constant(&os_linux, p, (size_t)(end - p), &value) && value > 0 && value < 65
		   ? (uint32_t)value
		   : 0;
}

/* "--- SIGALRM {...} ---" or "--- stopped by SIGSTOP ---", which delivers nothing. */
static void parse_signal_line(char *p, char *end, struct strace_line *out)
{
	if (!ends(p, end, " ---")) {
		bad(out, "a signal without its closing ---");
		return;
	}
	out->number = parse_signal(p + 4);
	out->kind = starts(p + 4, end, "SIG") ? STRACE_SIGNAL : STRACE_NOTE;
}

/* "+++ exited with 1 +++", "+++ killed by SIGSEGV (core dumped) +++",
 * "+++ superseded by execve in pid 12 +++" */
static void parse_exit_line(char *p, char *end, struct strace_line *out)
{
	static const char exited[] = "+++ exited with ", killed[] = "+++ killed by ",
			  superseded[] = "+++ superseded by execve in pid ";
	const uint32_t core = 0x80;
	uint64_t status;

	out->kind = STRACE_NOTE;
	if (!ends(p, end, " +++")) {
		bad(out, "an exit without its closing +++");
	} else if (starts(p, end, exited)) {
		digits(p + sizeof(exited) - 1, 10, &status);
		out->kind = STRACE_EXIT;
		out->number = (uint32_t)(status & 0xff) << 8;
	} else if (starts(p, end, killed)) {
		out->kind = STRACE_EXIT;
		out->number = parse_signal(p + sizeof(killed) - 1);
		if (ends(p, end, "(core dumped) +++"))
			out->number |= core;
	} else if (starts(p, end, superseded)) {
		digits(p + sizeof(superseded) - 1, 10, &status);
		out->kind = STRACE_SUPERSEDED;
		out->number = (uint32_t)status;
	}
}

/* "<... NAME resumed>", with a space after it until strace 4.26. */
static void parse_resumed(char *p, char *end, struct strace_line *out)
{
	static const char mark[] = " resumed>";

	out->name.p = p += 5;
	while (is_name(*p))
		p++;
	out->name.end = p;
	p = memmem(p, (size_t)(end - p), mark, sizeof(mark) - 1);
	if (!p || span_length(out->name) > STRACE_NAME) {
		bad(out, "a resumed call without \"resumed>\"");
		return;
	}
	out->kind = STRACE_RESUMED;
	out->body = (struct span){ p + sizeof(mark) - 1, end };
}

/* The length of the mark at the end of a line whose call goes on elsewhere; 0: there is none. */
static size_t mark_length(char *p, char *end, struct strace_line *out)
{
	static const char renamed[] = "<pid changed to ";
	uint64_t pid;

	out->kind = STRACE_UNFINISHED;
	if (ends(p, end, "<unfinished ...>"))
		return sizeof("<unfinished ...>") - 1;
	if (ends(p, end, "<detached ...>"))
		return sizeof("<detached ...>") - 1;
	char *open = end - p > 40 ? end - 40 : p;
	char *at = memmem(open, (size_t)(end - open), renamed, sizeof(renamed) - 1);
	if (!at || strcmp(digits(at + sizeof(renamed) - 1, 10, &pid), " ...>"))
		return 0;
	out->kind = STRACE_RENAMED;
	out->number = (uint32_t)pid;
	return (size_t)(end - at);
}

static void parse_call_line(char *p, char *end, struct strace_line *out)
{
	char *at = p;
	size_t mark = 0;

	out->body = (struct span){ p, end };
	while (is_name(*at))
		at++;
	if (at == p || is_digit(*p) || *at != '(' || at - p > STRACE_NAME) {
		/* The same table, if -U has the names first. */
		if (at > p && starts(at, end, "  ") && !strpbrk(at, "(<-+"))
			out->kind = STRACE_NOTE;
		else
			bad(out, "neither a call nor anything else that strace writes");
		return;
	}
	out->name = (struct span){ p, at };
	if (ends(p, end, " ...>"))
		mark = mark_length(p, end, out);
	if (!mark) {
		out->kind = STRACE_CALL;
		return;
	}
	out->body.end -= mark;
	if (out->body.end[-1] == ' ')
		out->body.end--;
	*out->body.end = '\0';
}

char *strace_find_attached(char *p, char *end)
{
	static const char process[] = "Process ", attached[] = " attached", name[] = "strace: ";
	const size_t longest = 64;
	uint64_t number;

	if (!ends(p, end, attached))
		return NULL;
	char *from = (size_t)(end - p) > longest ? end - longest : p;
	char *at = memmem(from, (size_t)(end - from), process, sizeof(process) - 1);
	if (!at || digits(at + sizeof(process) - 1, 10, &number) != end - sizeof(attached) + 1)
		return NULL;
	return ends(p, at, name) ? at - sizeof(name) + 1 : at;
}

/* What strace says about itself, what -k and -e read= write below a call, and the rows of the table
 * of -C. */
static bool is_note(const char *p, const char *end)
{
	static const char *const begins[] = { "strace: ", "Process ", "[ Process", " > ",
					      " | ",	  "% time",   "------",	   "100.00 " };

	for (size_t i = 0; i < sizeof(begins) / sizeof(*begins); i++)
		if (starts(p, end, begins[i]))
			return true;
	return *p == ' ' && !strpbrk(p, "(<-+");
}

void strace_parse_line(char *p, char *end, struct strace_line *out)
{
	out->clock = STRACE_NO_TIME;
	out->has_pid = false;
	if (is_note(p, end)) {
		out->kind = STRACE_NOTE;
		return;
	}
	p = skip_brackets(skip_spaces(parse_pid(p, end, out)), end);
	if (is_digit(*p) || (p[0] == '+' && is_digit(p[1])))
		p = skip_brackets(parse_time(p, end, out), end);
	if (starts(p, end, "??") || starts(p, end, "<... ??"))
		out->kind = STRACE_NOTE;
	else if (starts(p, end, "<... "))
		parse_resumed(p, end, out);
	else if (starts(p, end, "--- "))
		parse_signal_line(p, end, out);
	else if (starts(p, end, "+++ "))
		parse_exit_line(p, end, out);
	else
		parse_call_line(p, end, out);
}
