/* SPDX-License-Identifier: MIT */
/* The part of strace_line.h that is about calls: arguments, result, duration. */
#include "trace/format/strace/strace_line.h"

#include <string.h>

#include "trace/constants.h"

char *strace_skip_string(char *p, const char *end)
{
	for (p++; p < end; p++) {
		if (*p == '"')
			return p + 1;
		if (*p == '\\')
			p++;
	}
	return NULL;
}

/*
 * A path ends at the next '>', because strace escapes those within; behind it only "<char 1:3>" may
 * come.  Anything else is PROTOCOL:[...], with '>' and quoted paths between the brackets.
 */
char *strace_skip_decoration(char *p, const char *end)
{
	bool path = p[1] == '/';
	int depth = 0;

	for (p++; p < end; p++) {
		if (*p == '<') {
			p = memchr(p, '>', (size_t)(end - p));
			if (!p)
				return NULL;
		} else if (*p == '>' && depth <= 0) {
			return p + 1;
		} else if (!path && *p == '[') {
			depth++;
		} else if (!path && *p == ']') {
			depth--;
		} else if (!path && *p == '"') {
			p = strace_skip_string(p, end);
			if (!p)
				return NULL;
			p--;
		}
	}
	return NULL;
}

/* What the scanner of arguments stops at. */
static const bool stops[256] = {
	['"'] = 1, ['('] = 1, ['['] = 1, ['{'] = 1, [')'] = 1,	[']'] = 1,
	['}'] = 1, ['<'] = 1, [','] = 1, ['/'] = 1, ['\0'] = 1,
};

static void end_arg(struct strace_call *c, char *p, char *start)
{
	if (c->nargs >= STRACE_ARGS)
		return;
	while (*start == ' ')
		start++;
	if (c->nargs || p > start)
		c->arg[c->nargs++] = (struct span){ start, p };
}

/* '<' behind a number or AT_FDCWD opens a decoration; "1<<3" and " <unfinished" do not. */
static bool opens_decoration(const char *p)
{
	return ((p[-1] >= '0' && p[-1] <= '9') || p[-1] == 'D') && p[1] != '<';
}

/* Splits the arguments from p on; returns their closing parenthesis, or NULL. */
static char *scan_args(char *p, const char *end, struct strace_call *c)
{
	char *start = p;
	int depth = 0;

	c->nargs = 0;
	for (;;) {
		while (!stops[(unsigned char)*p])
			p++;
		switch (*p) {
		case '"':
			p = strace_skip_string(p, end);
			if (!p)
				return NULL;
			continue;
		case '(':
		case '[':
		case '{': depth++; break;
		case ')':
			if (depth == 0) {
				end_arg(c, p, start);
				return p;
			}
			/* fall through */
		case ']':
		case '}': depth--; break;
		case '<':
			if (p[1] == '<')
				p++;
			else if (opens_decoration(p)) {
				p = strace_skip_decoration(p, end);
				if (!p)
					return NULL;
				continue;
			}
			break;
		case '/':
			if (p[1] == '*') {
				p = memmem(p, (size_t)(end - p), "*/", 2);
				if (!p)
					return NULL;
			}
			break;
		case ',':
			if (depth == 0) {
				end_arg(c, p, start);
				start = p + 1;
			}
			break;
		case '\0': return NULL;
		}
		p++;
	}
}

/* " <0.000123>" at the end of the line, as nanoseconds, cut off; -1: there is none. */
static int64_t cut_duration(const char *p, char **end)
{
	char *at = *end - 1, *seconds;
	int64_t ns;

	if (at <= p || *at != '>')
		return -1;
	while (at > p && *--at != '<')
		if (*at != '.' && (*at < '0' || *at > '9'))
			return -1;
	seconds = at + 1;
	if (at <= p || at[-1] != ' ' || !strace_parse_seconds(&seconds, &ns))
		return -1;
	*end = at - 1;
	return ns;
}

/* "ENOENT (...)" or "(errno 512)" behind a result of -1. */
static int64_t parse_errno(char *p, int64_t value)
{
	static const char numbered[] = "(errno ";
	char *end = p;
	int64_t number;

	if (value != -1)
		return value;
	if (!strncmp(p, numbered, sizeof(numbered) - 1)) {
		p += sizeof(numbered) - 1;
		return strace_parse_number(&p, &number) && number > 0 && number < 4096 ? -number
										       : value;
	}
	while ((*end >= 'A' && *end <= 'Z') || (*end >= '0' && *end <= '9') || *end == '_')
		end++;
	return *p == 'E' && constant_find(p, (size_t)(end - p), &number) ? -number : value;
}

/* What stands behind "= ", up to end, where a NUL is. */
static bool parse_result(char *p, char *end, struct strace_call *c)
{
	c->decoration = (struct span){ NULL, NULL };
	c->value = 0;
	if (*p == '?') {
		c->result = !strncmp(p, "? ERESTART", 10) ? STRACE_RESTART : STRACE_NOTHING;
		return true;
	}
	c->result = STRACE_NUMBER;
	if (!strace_parse_number(&p, &c->value))
		return false;
	if (*p == '<') {
		char *close = strace_skip_decoration(p, end);

		if (close)
			c->decoration = (struct span){ p + 1, close - 1 };
		return true;
	}
	if (*p == ' ')
		c->value = parse_errno(p + 1, c->value);
	return *p == ' ' || p == end || *p == '(';
}

/* From the closing parenthesis on; false when no result follows. */
static bool parse_tail(char *close, char *end, struct strace_call *c)
{
	char *p = close + 1;

	while (*p == ' ')
		p++;
	if (p[0] != '=' || p[1] != ' ')
		return false;
	return parse_result(p + 2, end, c);
}

/* Where strace wrote something unbalanced: the last parenthesis that a result follows. */
static char *find_close(char *p, char *end, struct strace_call *c)
{
	char *close = end;

	while ((close = memrchr(p, ')', (size_t)(close - p))))
		if (parse_tail(close, end, c))
			return close;
	return NULL;
}

const char *strace_parse_call(char *p, char *end, struct strace_call *out)
{
	char *open = memchr(p, '(', (size_t)(end - p));

	if (!open)
		return "a call without arguments";
	out->name = (struct span){ p, open };
	out->duration = cut_duration(open, &end);
	*end = '\0';
	char *close = scan_args(open + 1, end, out);
	out->unbalanced = !close || !parse_tail(close, end, out);
	if (out->unbalanced) {
		out->nargs = 0;
		close = find_close(open + 1, end, out);
	}
	if (!close)
		return "a call without a result";
	out->args = (struct span){ open + 1, close };
	*close = '\0';
	return NULL;
}
