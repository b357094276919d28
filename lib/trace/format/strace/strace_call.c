/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace.h"

#include <stdlib.h>
#include <string.h>

#include "trace/os.h"
#include "util/shell.h"

/* ---- grammar ---- */

/* Where the scanner of arguments stops. */
static const bool stops[256] = {
	['"'] = 1, ['('] = 1, ['['] = 1, ['{'] = 1, [')'] = 1,	[']'] = 1,
	['}'] = 1, ['<'] = 1, [','] = 1, ['/'] = 1, ['\0'] = 1,
};

/* Adds the argument from p up to end, which --arg-names, and clone always, write as "name=value".
 */
static void add_arg(struct strace_call *c, char *p, char *end)
{
	while (*p == ' ')
		p++;
	if (c->nargs >= STRACE_ARGS || (!c->nargs && p >= end))
		return;
	char *at = p;
	while ((*at >= 'a' && *at <= 'z') || *at == '_' || (is_digit(*at) && at > p))
		at++;
	if (*at != '=' || at[1] == '=' || at == p)
		at = p;
	c->arg_name[c->nargs] = (struct span){ p, at };
	c->arg[c->nargs++] = (struct span){ at + (at > p), end };
}

/* '<' after a number or AT_FDCWD opens a decoration; "1<<3" and " <unfinished" do not. */
static bool opens_decoration(const char *p)
{
	return (is_digit(p[-1]) || p[-1] == 'D') && p[1] != '<';
}

/* Separates the arguments from p on; returns their closing parenthesis, or NULL. */
static char *scan_args(char *p, const char *end, struct strace_call *c)
{
	char *start = p;
	int depth = 0;

	c->nargs = 0;
	for (; p; p++) {
		while (!stops[(unsigned char)*p])
			p++;
		switch (*p) {
		case '\0': return NULL;
		case '"': p = strace_string_end(p, end); break;
		case '<':
			if (p[1] == '<')
				p++;
			else if (opens_decoration(p))
				p = strace_decoration_end(p, end);
			break;
		case '/':
			if (p[1] == '*')
				p = memmem(p, (size_t)(end - p), "*/", 2);
			break;
		case ',':
			if (depth == 0) {
				add_arg(c, start, p);
				start = p + 1;
			}
			break;
		case '(':
		case '[':
		case '{': depth++; break;
		case ')':
			if (depth == 0) {
				add_arg(c, start, p);
				return p;
			}
			/* fall through */
		default: depth--;
		}
		if (!p)
			break;
	}
	return NULL;
}

/* Cuts " <0.000123>" off the end of the line; returns it as nanoseconds, -1 if there is none. */
static int64_t cut_duration(const char *p, char **end)
{
	char *at = *end - 1;
	int64_t ns;

	if (at <= p || *at != '>')
		return -1;
	while (at > p && *--at != '<')
		if (*at != '.' && !is_digit(*at))
			return -1;
	if (at <= p || at[-1] != ' ' || !input_seconds(at + 1, &ns))
		return -1;
	*end = at - 1;
	return ns;
}

/* "ENOENT (...)" or "(errno 524)" after a result of -1. */
static int64_t parse_errno(char *p)
{
	static const char numbered[] = "(errno ";
	char *end = p;
	int64_t number;

	if (!strncmp(p, numbered, sizeof(numbered) - 1)) {
		p += sizeof(numbered) - 1;
		return strace_parse_number(&p, &number) && number > 0 && number < 4096 ? -number
										       : -1;
	}
	while ((*end >= 'A' && *end <= 'Z') || is_digit(*end) || *end == '_')
		end++;
	return *p == 'E' && os_constant(&os_linux, p, (size_t)(end - p), &number) ? -number : -1;
}

/* Parses what follows the closing parenthesis up to end; false if it is no result. */
static bool parse_result(char *close, char *end, struct strace_call *c)
{
	char *p = close + 1;

	while (*p == ' ')
		p++;
	if (p[0] != '=' || p[1] != ' ')
		return false;
	p += 2;
	c->returned = (struct span){ p, p };
	c->value = 0;
	c->result = STRACE_NUMBER;
	if (*p == '?') {
		c->result = !strncmp(p, "? ERESTART", 10)   ? STRACE_RESTART
			    : !strncmp(p, "? <unavail", 10) ? STRACE_UNREAD
							    : STRACE_NOTHING;
		return true;
	}
	if (!strace_parse_number(&p, &c->value))
		return false;
	if (*p == '<') {
		c->returned.end = end;
		return true;
	}
	if (*p == ' ' && c->value == -1)
		c->value = parse_errno(p + 1);
	return *p == ' ' || p == end || *p == '(';
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
	out->unbalanced = !close || !parse_result(close, end, out);
	if (out->unbalanced) {
		/* They end at the last parenthesis that a result follows. */
		out->nargs = 0;
		close = end;
		do
			close = memrchr(open + 1, ')', (size_t)(close - open - 1));
		while (close && !parse_result(close, end, out));
	}
	if (!close)
		return "a call without a result";
	out->args = (struct span){ open + 1, close };
	*close = '\0';
	return NULL;
}

/* ---- numbers ---- */

/* One number or name at *p, which moves behind it and its decoration. */
static int64_t parse_atom(char **p, const char *end)
{
	int64_t value = 0;
	char *at = *p;

	if (!strace_parse_number(p, &value)) {
		while (at < end && ((*at >= 'A' && *at <= 'Z') || is_digit(*at) || *at == '_'))
			at++;
		if (at > *p && !os_constant(&os_linux, *p, (size_t)(at - *p), &value))
			value = 0;
		*p = at;
	}
	if (*p < end && **p == '<' && (*p)[1] != '<') {
		at = strace_decoration_end(*p, end);
		*p = at ? at + 1 : *p + 1;
	}
	return value;
}

uint64_t strace_value(struct span arg)
{
	uint64_t value = 0;
	char *p = arg.p;

	if (p < arg.end && (*p == '"' || *p == '[' || *p == '{' || *p == '~'))
		return 1;
	for (;; p++) {
		char *start = p;
		uint64_t atom = (uint64_t)parse_atom(&p, arg.end);

		if (p + 2 < arg.end && p[0] == '<' && p[1] == '<') {
			p += 2;
			atom <<= parse_atom(&p, arg.end) & 63;
		}
		value |= atom;
		if (p == start || p >= arg.end || *p != '|')
			return value;
	}
}

/* The kernel's place of an argument of clone, which strace writes in another order, with names. */
static unsigned place_in_clone(struct span name, unsigned place)
{
	static const char *const names[] = { "flags", "child_stack", "parent_tid", "child_tid",
					     "tls" };

	for (unsigned i = 0; span_length(name) && i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(name.p, names[i], strlen(names[i])))
			return i;
	return place;
}

/* The calls that pass descriptors or flags in memory, and where strace shows these. */
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

	if (p && member) {
		args[4] = strace_value((struct span){ p + strlen(member), arg.end });
	} else if (p && *p++ == '[') {
		args[4] = (uint64_t)parse_atom(&p, arg.end);
		while (p < arg.end && (*p == ',' || *p == ' '))
			p++;
		args[5] = (uint64_t)parse_atom(&p, arg.end);
	}
}

static void set_numbers(const struct strace_call *call, unsigned id, uint64_t *args)
{
	enum { ROWS = sizeof(in_memory) / sizeof(*in_memory) };
	static unsigned ids[ROWS], clone;

	if (!clone) {
		clone = syscall_by_name("clone");
		for (int i = 0; i < ROWS; i++)
			ids[i] = syscall_by_name(in_memory[i].call);
	}
	memset(args, 0, STRACE_ARGS * sizeof(*args));
	for (unsigned i = 0; i < call->nargs; i++)
		args[id == clone ? place_in_clone(call->arg_name[i], i) : i] =
		    strace_value(call->arg[i]);
	for (int i = 0; i < ROWS; i++)
		if (ids[i] == id && in_memory[i].argument < call->nargs)
			parse_memory(call->arg[in_memory[i].argument], in_memory[i].member, args);
}

/* ---- strings ---- */

/* The byte of the escape sequence whose backslash is before *p; *p moves behind it. */
static char unescape(const char **p, const char *end)
{
	static const char letters[] = "n\nt\tr\rv\vf\fa\ab\b";
	const char *at = *p, *limit = end - at < 3 ? end : at + 3;
	unsigned v = 0;

	for (const char *l = letters; *l; l += 2)
		if (*at == l[0]) {
			(*p)++;
			return l[1];
		}
	if (*at == 'x') {
		for (at++; at < limit && strchr("0123456789abcdef", *at) && *at; at++)
			v = v << 4 | (unsigned)(*at <= '9' ? *at - '0' : *at - 'a' + 10);
	} else if (*at >= '0' && *at <= '7') {
		for (; at < limit && *at >= '0' && *at <= '7'; at++)
			v = v << 3 | (unsigned)(*at - '0');
	} else {
		v = (unsigned char)*at++;
	}
	*p = at;
	return (char)v;
}

/* The string whose quote is at s->p, without quotes and escapes; NULL if none is.  Moves s->p. */
static const char *unquote(struct span *s, struct arena *arena)
{
	const char *from = s->p + 1;
	char *close = s->p < s->end && *s->p == '"' ? strace_string_end(s->p, s->end) : NULL;

	if (!close)
		return NULL;
	char *out = arena_take(arena, (size_t)(close - from) + 1), *to = out;
	while (from < close)
		if (*from != '\\')
			*to++ = *from++;
		else if (++from < close)
			*to++ = unescape(&from, close);
	*to = '\0';
	s->p = close + 1;
	return out;
}

void strace_arguments(const struct strace_call *call, struct arena *arena, struct event *e)
{
	const char *argument = syscall_get(e->call.id)->argument;

	set_numbers(call, e->call.id, e->call.args);
	e->call.path = NULL;
	for (unsigned i = 0; i < call->nargs; i++)
		if (argument[i] == ARG_PATH) {
			struct span path = call->arg[i];

			e->call.path = unquote(&path, arena);
			break;
		}
}

const char *strace_command(const struct strace_call *call, struct arena *arena)
{
	enum { WORDS = 1000 };
	struct span list = { NULL, NULL };
	const char *words[WORDS];
	int n = 0;

	for (unsigned i = call->nargs; i-- > 0;)
		if (*call->arg[i].p == '[' || (*call->arg[i].p == '"' && !list.p))
			list = call->arg[i];
	while (n < WORDS && list.p && (list.p = memchr(list.p, '"', span_length(list))) &&
	       (words[n] = unquote(&list, arena)))
		n++;
	char *fresh = shell_words(words, n);
	const char *command = arena_copy(arena, fresh, strlen(fresh));
	free(fresh);
	return command;
}

/* ---- descriptors ---- */

/* Parses what stands in <> into kind and name. */
static void parse_decoration(struct span decoration, struct arena *arena, struct strace_fd *out)
{
	static const char deleted[] = " (deleted)";
	char *name = arena_copy(arena, decoration.p, span_length(decoration));
	char *device = *name == '/' ? strchr(name, '<') : NULL;
	size_t n = strlen(name), suffix = sizeof(deleted) - 1;

	out->name = name;
	out->kind = FD_UNKNOWN;
	if (device) { /* "/dev/null<char 1:3>" */
		*device = '\0';
		out->kind = fd_kind_of_path(name);
		if (out->kind == FD_FILE)
			out->kind = FD_DEVICE;
		return;
	}
	if (n > suffix && !strcmp(name + n - suffix, deleted))
		name[n - suffix] = '\0';
	out->kind = fd_kind_of_link(name);
}

bool strace_decorated(struct span arg, struct arena *arena, struct strace_fd *out)
{
	int64_t fd;

	if (!strace_parse_number(&arg.p, &fd) || arg.p >= arg.end || *arg.p != '<' || fd < 0 ||
	    fd > INT32_MAX)
		return false;
	char *close = strace_decoration_end(arg.p, arg.end);
	if (!close)
		return false;
	out->fd = (int)fd;
	parse_decoration((struct span){ arg.p + 1, close }, arena, out);
	return true;
}
