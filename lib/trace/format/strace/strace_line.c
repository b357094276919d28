/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace_line.h"

#include <string.h>

#include "trace/constants.h"

enum { PID_LIMIT = 1 << 22 }; /* of Linux; what is larger must be a time */

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

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

/* Decimal digits at p into *out, as much of them as fits; returns what follows. */
static char *digits(char *p, uint64_t *out)
{
	for (*out = 0; is_digit(*p); p++)
		if (*out < UINT64_MAX / 10)
			*out = *out * 10 + (uint64_t)(*p - '0');
	return p;
}

static char *hex_digits(char *p, uint64_t *out)
{
	for (*out = 0;; p++) {
		unsigned c = (unsigned char)*p | 0x20;

		if (is_digit(*p))
			*out = *out << 4 | (uint64_t)(*p - '0');
		else if (c >= 'a' && c <= 'f')
			*out = *out << 4 | (c - 'a' + 10);
		else
			return p;
	}
}

static char *octal_digits(char *p, uint64_t *out)
{
	for (*out = 0; *p >= '0' && *p <= '7'; p++)
		*out = *out << 3 | (uint64_t)(*p - '0');
	return p;
}

bool strace_parse_number(char **p, int64_t *out)
{
	bool negative = **p == '-';
	char *at = *p + negative;
	uint64_t v;

	if (!is_digit(*at))
		return false;
	if (at[0] == '0' && at[1] == 'x')
		*p = hex_digits(at + 2, &v);
	else if (at[0] == '0')
		*p = octal_digits(at, &v);
	else
		*p = digits(at, &v);
	*out = (int64_t)(negative ? -v : v);
	return true;
}

/* ".123456" at *p as nanoseconds; 0 without a point. */
static int64_t parse_fraction(char **p)
{
	int64_t ns = 0, unit = 100000000;

	if (**p != '.')
		return 0;
	for ((*p)++; is_digit(**p); (*p)++) {
		ns += (**p - '0') * unit;
		unit /= 10;
	}
	return ns;
}

bool strace_parse_seconds(char **p, int64_t *ns)
{
	const uint64_t longest = 9000000000; /* 285 years fit into 63 bits of nanoseconds */
	uint64_t seconds;
	char *at = digits(*p, &seconds);

	if (at == *p || seconds > longest)
		return false;
	*ns = (int64_t)seconds * 1000000000 + parse_fraction(&at);
	*p = at;
	return true;
}

/* "1234", "1234<command>" at *p. */
static bool parse_pid(char **p, const char *end, uint32_t *pid)
{
	uint64_t v;
	char *at = digits(*p, &v);

	if (at == *p || v > PID_LIMIT)
		return false;
	if (*at == '<' && !(at = strace_skip_decoration(at, end)))
		return false;
	*pid = (uint32_t)v;
	*p = at;
	return true;
}

/* Skips "[ 59] ", "[00007f...] ", "[context] ": what -n, -i and --secontext put in front. */
static char *skip_brackets(char *p, const char *end)
{
	while (*p == '[' && !starts(p, end, "[ Process")) {
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
	*ns = ((v[0] * 60 + v[1]) * 60 + v[2]) * 1000000000 + parse_fraction(&at);
	*p = at;
	return true;
}

static char *parse_time(char *p, const char *end, struct strace_line *out)
{
	const int64_t epoch = (int64_t)100000000 * 1000000000; /* less counts from the last call */
	char *start = p;

	if (*p == '+')
		p++;
	if (parse_time_of_day(&p, &out->time))
		out->clock = STRACE_TIME_OF_DAY;
	else if (strace_parse_seconds(&p, &out->time))
		out->clock = out->time < epoch ? STRACE_RELATIVE : STRACE_EPOCH;
	if (out->clock == STRACE_NO_TIME || *p != ' ') {
		out->clock = STRACE_NO_TIME;
		return start;
	}
	p = skip_spaces(p);
	if (starts(p, end, "(+")) {
		char *close = memchr(p, ')', (size_t)(end - p));

		p = close ? skip_spaces(close + 1) : p;
	}
	return p;
}

/* Everything in front of the body; returns where that begins. */
static char *parse_prefix(char *p, char *end, struct strace_line *out)
{
	char *at;

	out->clock = STRACE_NO_TIME;
	out->has_pid = false;
	if (starts(p, end, "[pid ")) {
		at = skip_spaces(p + 5);
		if (parse_pid(&at, end, &out->pid) && *at == ']') {
			out->has_pid = true;
			p = at + 1;
		}
	} else if (is_digit(*p)) {
		at = p;
		if (parse_pid(&at, end, &out->pid) && *at == ' ') {
			out->has_pid = true;
			p = at;
		}
	}
	if (starts(p, end, " > "))
		return p;
	p = skip_brackets(skip_spaces(p), end);
	if (is_digit(*p) || (p[0] == '+' && is_digit(p[1])))
		p = parse_time(p, end, out);
	return skip_brackets(p, end);
}

static bool bad(struct strace_line *out, const char *reason)
{
	out->kind = STRACE_BAD;
	out->reason = reason;
	return false;
}

/* The signal whose name begins at p; 0 when it is not known. */
static uint32_t parse_signal(char *p)
{
	char *end = p;
	uint64_t n;
	int64_t value;

	while (is_name(*end))
		end++;
	if (starts(p, end, "SIGRT_") && digits(p + 6, &n) == end && n < 33)
		return 32 + (uint32_t)n;
	return constant_find(p, (size_t)(end - p), &value) && value > 0 && value < 65
		   ? (uint32_t)value
		   : 0;
}

/* "--- SIGALRM {...} ---" or "--- stopped by SIGSTOP ---", which delivers nothing. */
static bool parse_signal_line(char *p, char *end, struct strace_line *out)
{
	if (!ends(p, end, " ---"))
		return bad(out, "a signal without its end");
	out->number = parse_signal(p + 4);
	out->kind = starts(p + 4, end, "SIG") ? STRACE_SIGNAL : STRACE_NOTE;
	return true;
}

static bool parse_exit_line(char *p, char *end, struct strace_line *out)
{
	static const char exited[] = "+++ exited with ", killed[] = "+++ killed by ";
	const uint32_t core = 0x80;
	uint64_t status;

	if (!ends(p, end, " +++"))
		return bad(out, "an exit without its end");
	if (starts(p, end, exited)) {
		digits(p + sizeof(exited) - 1, &status);
		out->kind = STRACE_EXIT;
		out->number = (uint32_t)(status & 0xff) << 8;
	} else if (starts(p, end, killed)) {
		out->kind = STRACE_EXIT;
		out->number = parse_signal(p + sizeof(killed) - 1);
		if (ends(p, end, "(core dumped) +++"))
			out->number |= core;
	} else {
		out->kind = STRACE_NOTE; /* superseded by execve in pid N */
	}
	return true;
}

/* "<... NAME resumed>", with a space behind it until strace 4.26. */
static bool parse_resumed(char *p, char *end, struct strace_line *out)
{
	static const char mark[] = " resumed>";
	char *at;

	out->name.p = p += 5;
	while (is_name(*p))
		p++;
	out->name.end = p;
	if (!starts(p, end, mark)) {
		at = memmem(p, (size_t)(end - p), mark, sizeof(mark) - 1);
		if (!at)
			return bad(out, "a resumed call without its mark");
		p = at;
	}
	out->kind = STRACE_RESUMED;
	out->body = (struct span){ p + sizeof(mark) - 1, end };
	return true;
}

/* The mark that ends a line whose call goes on, without the brackets; 0: there is none. */
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
	if (!at || strcmp(digits(at + sizeof(renamed) - 1, &pid), " ...>"))
		return 0;
	out->kind = STRACE_RENAMED;
	out->number = (uint32_t)pid;
	return (size_t)(end - at);
}

static bool parse_body(char *p, char *end, struct strace_line *out)
{
	char *at = p;

	out->body = (struct span){ p, end };
	while (is_name(*at))
		at++;
	if (at == p || is_digit(*p) || *at != '(')
		return bad(out, "neither a call nor anything else that strace writes");
	out->name = (struct span){ p, at };
	out->kind = STRACE_CALL;
	size_t mark = end[-1] == '>' && end - p > 7 && !memcmp(end - 5, " ...>", 5)
			  ? mark_length(p, end, out)
			  : 0;
	if (mark) {
		out->body.end -= mark;
		if (out->body.end[-1] == ' ')
			out->body.end--;
	} else {
		out->kind = STRACE_CALL;
	}
	return true;
}

char *strace_find_attached(char *p, char *end, uint32_t *pid)
{
	static const char process[] = "Process ", attached[] = " attached", name[] = "strace: ";
	const size_t longest = 64;
	uint64_t number;

	if (!ends(p, end, attached))
		return NULL;
	char *from = (size_t)(end - p) > longest ? end - longest : p;
	char *at = memmem(from, (size_t)(end - from), process, sizeof(process) - 1);
	if (!at || digits(at + sizeof(process) - 1, &number) != end - sizeof(attached) + 1)
		return NULL;
	*pid = (uint32_t)number;
	return ends(p, at, name) ? at - sizeof(name) + 1 : at;
}

/* What strace says about itself. */
static void parse_note(char *p, char *end, struct strace_line *out)
{
	out->kind = strace_find_attached(p, end, &out->number) ? STRACE_ATTACHED : STRACE_NOTE;
}

char *strace_clean(char *p, char *end)
{
	const char escape = '\x1b';
	char *from = memchr(p, escape, (size_t)(end - p)), *to = from;

	while (from && from < end) {
		if (from[0] == escape && from[1] == '[') {
			from += 2;
			while (from < end && (is_digit(*from) || *from == ';'))
				from++;
			from += from < end; /* the letter */
		} else {
			*to++ = *from++;
		}
	}
	end = to ? to : end;
	end -= end > p && end[-1] == '\r';
	*end = '\0';
	return end;
}

void strace_parse_line(char *p, char *end, struct strace_line *out)
{
	p = parse_prefix(p, end, out);
	if (starts(p, end, "<... "))
		parse_resumed(p, end, out);
	else if (starts(p, end, "--- "))
		parse_signal_line(p, end, out);
	else if (starts(p, end, "+++ "))
		parse_exit_line(p, end, out);
	else if (starts(p, end, "% time"))
		out->kind = STRACE_SUMMARY;
	else if (starts(p, end, "strace: ") || starts(p, end, "[ Process") ||
		 starts(p, end, "Process ") || starts(p, end, " > "))
		parse_note(p, end, out);
	else
		parse_body(p, end, out);
}
