/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace_call.h"

#include <stdlib.h>
#include <string.h>

#include "trace/os.h"
#include "util/shell.h"

/* ---- grammar ---- */

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
	return *p == 'E' && os_constant(&os_linux, p, (size_t)(end - p), &number) ? -number : value;
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

/* ---- values ---- */

enum { SHOWN = 1 }; /* for a pointer: what it points to is shown instead */

static bool is_lower(char c)
{
	return c >= 'a' && c <= 'z';
}

/* Skips "name=", which --arg-names puts in front of every argument and clone always. */
static struct span skip_name(struct span arg, struct span *name)
{
	char *p = arg.p;

	*name = (struct span){ p, p };
	if (p < arg.end && (is_lower(*p) || *p == '_'))
		while (p < arg.end && (is_lower(*p) || *p == '_' || (*p >= '0' && *p <= '9')))
			p++;
	if (p > arg.p && p < arg.end && p[0] == '=' && p[1] != '=') {
		name->end = p;
		arg.p = p + 1;
	}
	return arg;
}

static struct span value_of(struct span arg)
{
	struct span name;

	return skip_name(arg, &name);
}

/* One number or name at *p, which moves behind it and its decoration. */
static int64_t parse_atom(char **p, const char *end)
{
	int64_t value = 0;
	char *at = *p;

	if (!strace_parse_number(p, &value)) {
		while (at < end &&
		       ((*at >= 'A' && *at <= 'Z') || (*at >= '0' && *at <= '9') || *at == '_'))
			at++;
		if (at > *p && !os_constant(&os_linux, *p, (size_t)(at - *p), &value))
			value = 0;
		*p = at;
	}
	if (*p < end && **p == '<' && (*p)[1] != '<') {
		at = strace_skip_decoration(*p, end);
		*p = at ? at : *p + 1;
	}
	return value;
}

/* Atoms joined by '|', and "1<<3"; what else there is ends it. */
static uint64_t parse_value(struct span s)
{
	uint64_t value = 0;
	char *p = s.p;

	for (;;) {
		char *start = p;
		uint64_t atom = (uint64_t)parse_atom(&p, s.end);

		if (p + 2 < s.end && p[0] == '<' && p[1] == '<') {
			p += 2;
			atom <<= parse_atom(&p, s.end) & 63;
		}
		value |= atom;
		if (p == start || p >= s.end || *p != '|')
			return value;
		p++;
	}
}

uint64_t strace_value(struct span arg)
{
	arg = value_of(arg);
	if (arg.p == arg.end)
		return 0;
	return strchr("\"[{~", *arg.p) ? SHOWN : parse_value(arg);
}

/* clone's arguments are written in another order than the kernel's, with their names. */
static unsigned place_in_clone(struct span name, unsigned place)
{
	static const struct {
		const char *name;
		unsigned place;
	} places[] = {
		{ "flags", 0 },	       { "child_stack", 1 },   { "stack", 1 },
		{ "parent_tid", 2 },   { "parent_tidptr", 2 }, { "child_tid", 3 },
		{ "child_tidptr", 3 }, { "tls", 4 },
	};

	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		if (span_length(name) == strlen(places[i].name) &&
		    !memcmp(name.p, places[i].name, span_length(name)))
			return places[i].place;
	return place;
}

/* Those that leave descriptors or flags in memory, and where strace shows them. */
static const struct {
	const char *call;
	unsigned argument;
	const char *member; /* NULL: a pair of descriptors */
} in_memory[] = {
	{ "clone3", 0, "flags=" }, { "openat2", 2, "flags=" }, { "pipe", 0, NULL },
	{ "pipe2", 0, NULL },	   { "socketpair", 3, NULL },
};

/* "[3, 4]" into args[4] and args[5], or "{flags=CLONE_VM|..." into args[4]. */
static void parse_memory(struct span arg, const char *member, uint64_t *args)
{
	char *p = member ? memmem(arg.p, span_length(arg), member, strlen(member)) : arg.p;

	if (!p)
		return;
	if (member) {
		args[4] = parse_value((struct span){ p + strlen(member), arg.end });
		return;
	}
	if (*p++ != '[')
		return;
	args[4] = (uint64_t)parse_atom(&p, arg.end);
	while (p < arg.end && (*p == ',' || *p == ' '))
		p++;
	args[5] = (uint64_t)parse_atom(&p, arg.end);
}

void strace_numbers(const struct strace_call *call, const struct syscall *row, uint64_t *args)
{
	bool clone = !strcmp(row->name, "clone");

	memset(args, 0, STRACE_ARGS * sizeof(*args));
	for (unsigned i = 0; i < call->nargs; i++) {
		struct span name;

		skip_name(call->arg[i], &name);
		args[clone ? place_in_clone(name, i) : i] = strace_value(call->arg[i]);
	}
	for (size_t i = 0; i < sizeof(in_memory) / sizeof(*in_memory); i++)
		if (in_memory[i].argument < call->nargs && !strcmp(row->name, in_memory[i].call))
			parse_memory(value_of(call->arg[in_memory[i].argument]),
				     in_memory[i].member, args);
}

/* The byte that the escape behind a backslash at *p stands for; *p moves behind it. */
static char unescape(const char **p, const char *end)
{
	static const char letters[] = "n\nt\tr\rv\vf\fa\ab\b";
	const char *at = *p;
	unsigned v = 0;

	for (const char *l = letters; *l; l += 2)
		if (*at == l[0]) {
			(*p)++;
			return l[1];
		}
	if (*at == 'x') {
		for (at++; at < end && at < *p + 3 && strchr("0123456789abcdef", *at) && *at; at++)
			v = v << 4 | (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	} else if (*at >= '0' && *at <= '7') {
		for (; at < end && at < *p + 3 && *at >= '0' && *at <= '7'; at++)
			v = v << 3 | (unsigned)(*at - '0');
	} else {
		v = (unsigned char)*at++;
	}
	*p = at;
	return (char)v;
}

/* A quoted string decoded; NULL when it is none.  *p moves behind it. */
static const char *unquote(char **p, const char *end, struct arena *arena)
{
	const char *from = *p + 1;
	char *close = *p < end && **p == '"' ? strace_skip_string(*p, end) : NULL;

	if (!close)
		return NULL;
	char *out = arena_take(arena, (size_t)(close - from)), *to = out;
	while (from < close - 1)
		if (*from != '\\')
			*to++ = *from++;
		else if (++from < close - 1)
			*to++ = unescape(&from, close - 1);
	*to = '\0';
	*p = close;
	return out;
}

const char *strace_path(const struct strace_call *call, const struct syscall *row,
			struct arena *arena)
{
	for (unsigned i = 0; i < call->nargs; i++)
		if (row->argument[i] == ARG_PATH) {
			struct span arg = value_of(call->arg[i]);

			return unquote(&arg.p, arg.end, arena);
		}
	return NULL;
}

const char *strace_command(const struct strace_call *call, struct arena *arena)
{
	enum { WORDS = 1000 };
	const char *words[WORDS];
	int n = 0;

	for (unsigned i = 0; i < call->nargs; i++) {
		struct span arg = value_of(call->arg[i]);

		if (arg.p < arg.end && *arg.p == '"' && n == 0)
			words[n++] = unquote(&arg.p, arg.end, arena);
		if (arg.p == arg.end || *arg.p != '[')
			continue;
		n = 0;
		while (n < WORDS && (arg.p = memchr(arg.p, '"', span_length(arg))) &&
		       (words[n] = unquote(&arg.p, arg.end, arena)))
			n++;
		break;
	}
	if (n == 0 || !words[0])
		return "";
	char *fresh = shell_words(words, n);
	const char *command = arena_copy(arena, fresh, strlen(fresh));
	free(fresh);
	return command;
}

/* How a decoration begins that is no path, and what it tells. */
/* clang-format off */
static const struct {
	const char *prefix;
	enum fd_kind kind;
} decorations[] = {
	{ "pipe:", FD_PIPE }, { "socket:", FD_SOCKET }, { "TCP", FD_TCP }, { "UDP", FD_UDP },
	{ "UNIX", FD_UNIX }, { "NETLINK", FD_NETLINK }, { "anon_inode:[eventpoll]", FD_EPOLL },
	{ "anon_inode:[eventfd", FD_EVENTFD }, { "anon_inode:[timerfd", FD_TIMERFD },
	{ "anon_inode:[signalfd", FD_SIGNALFD }, { "signalfd:", FD_SIGNALFD },
	{ "anon_inode:inotify", FD_INOTIFY }, { "anon_inode:[inotify", FD_INOTIFY },
	{ "anon_inode:[pidfd", FD_PIDFD }, { "pid:", FD_PIDFD },
	{ "anon_inode:[io_uring", FD_IOURING }, { "anon_inode:", FD_ANON },
	{ "RAW", FD_SOCKET }, { "PACKET", FD_SOCKET }, { "SCTP", FD_SOCKET }, { "PING", FD_SOCKET },
	{ "/memfd:", FD_MEMFD },
};
/* clang-format on */

static bool has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

void strace_decoration(struct span decoration, struct arena *arena, struct strace_fd *out)
{
	static const char deleted[] = " (deleted)";
	char *name = arena_copy(arena, decoration.p, span_length(decoration));
	char *device = *name == '/' ? strchr(name, '<') : NULL;
	size_t n = strlen(name);

	out->name = name;
	out->kind = FD_UNKNOWN;
	if (device) { /* "/dev/null<char 1:3>" */
		*device = '\0';
		out->kind = fd_kind_of_path(name);
		if (out->kind == FD_FILE)
			out->kind = FD_DEVICE;
		return;
	}
	if (n >= sizeof(deleted) && !strcmp(name + n - sizeof(deleted) + 1, deleted))
		name[n - sizeof(deleted) + 1] = '\0';
	for (size_t i = 0; i < sizeof(decorations) / sizeof(*decorations); i++)
		if (has_prefix(name, decorations[i].prefix)) {
			out->kind = decorations[i].kind;
			return;
		}
}

bool strace_decorated(struct span arg, struct arena *arena, struct strace_fd *out)
{
	int64_t fd;

	arg = value_of(arg);
	if (arg.p == arg.end || !strace_parse_number(&arg.p, &fd) || arg.p == arg.end ||
	    *arg.p != '<' || fd < 0 || fd > INT32_MAX)
		return false;
	char *close = strace_skip_decoration(arg.p, arg.end);
	if (!close)
		return false;
	out->fd = (int)fd;
	strace_decoration((struct span){ arg.p + 1, close - 1 }, arena, out);
	return true;
}
