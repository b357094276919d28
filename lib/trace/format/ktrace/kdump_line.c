/* SPDX-License-Identifier: MIT */
#include "trace/format/ktrace/kdump.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMN = 6 /* characters of the number of a process, at least */ };

/* ---- the beginning of a line ---- */

/* Those that mean something here, and those that do not. */
static const struct {
	const char *name;
	unsigned type;
} types[] = {
	{ "CALL", KTRACE_SYSCALL },
	{ "RET", KTRACE_SYSRET },
	{ "NAMI", KTRACE_NAMEI },
	{ "PSIG", KTRACE_PSIG },
	{ "CSW", KTRACE_CSW },
	{ "EMUL", KTRACE_EMUL },
	{ "ARG", KTRACE_EXEC_ARG },
	{ "ARGS", KTRACE_EXEC_ARG },
	{ "PFLT", KTRACE_FAULT },
	{ "GIO", 0 },
	{ "STRU", 0 },
	{ "SCTL", 0 },
	{ "CAP", 0 },
	{ "PRET", 0 },
	{ "MIB", 0 },
	{ "USER", 0 },
	{ "MISC", 0 },
	{ "ENV", 0 },
	{ "ENVS", 0 },
	{ "PLDG", 0 },
	{ "PINS", 0 },
	{ "XERR", 0 },
	{ "EXTE", 0 },
};

/* "12.345678" as nanoseconds; false if the n characters are not that. */
static bool parse_time(const char *p, size_t n, int64_t *ns)
{
	return input_seconds(p, ns) == p + n && memchr(p, '.', n);
}

static bool is_number(const char *p, size_t n)
{
	return n && strspn(p, "0123456789") >= n;
}

/* [TID] COMM [TIME] [CPU], from p up to end. */
static void parse_middle(const char *p, const char *end, struct kdump_head *h)
{
	const char *back = end, *word;
	size_t n;

	while (back > p && back[-1] == ' ')
		back--;
	end = back;
	word = input_last_word(p, &back, &n);
	if (is_number(word, n) && back > p) {
		const char *cpu = word;

		word = input_last_word(p, &back, &n);
		if ((h->has_time = parse_time(word, n, &h->record.time)))
			h->record.cpu = (uint32_t)strtoul(cpu, NULL, 10) + 1;
	} else {
		h->has_time = parse_time(word, n, &h->record.time) && back > p;
	}
	if (h->has_time)
		end = back;
	n = strspn(p, "0123456789");
	if (n && p + n < end && p[n] == ' ') {
		h->record.tid = (uint32_t)strtoul(p, NULL, 10);
		p += n;
		p += strspn(p, " ");
	}
	snprintf(h->record.comm, sizeof(h->record.comm), "%.*s", (int)(end - p), p);
}

bool kdump_parse_head(const char *p, struct kdump_head *h)
{
	size_t blanks = strspn(p, " ");
	char *at;

	*h = (struct kdump_head){ 0 };
	if (blanks >= COLUMN || !isdigit((unsigned char)p[blanks]))
		return false;
	unsigned long pid = strtoul(p, &at, 10);
	if ((*at != ' ' && *at != '/') || pid >= KTRACE_FRESH_TIDS)
		return false;
	h->record.pid = (uint32_t)pid;
	const char *middle = at + 1 + strspn(at + 1, " ");
	for (const char *word = middle; (word = strchr(word, ' ')); word++) {
		size_t n = strcspn(word + 1, " ");

		for (size_t i = 0; n <= 4 && i < sizeof(types) / sizeof(*types); i++)
			if (!strncmp(word + 1, types[i].name, n) && !types[i].name[n] && n) {
				h->type_length = n;
				h->record.type = types[i].type;
				h->body = word + 1 + n + strspn(word + 1 + n, " ");
				parse_middle(middle, word, h);
				return true;
			}
	}
	return false;
}

/* ---- calls ---- */

bool kdump_has_call(const struct os *os, const char *name)
{
	for (const struct syscall *c = os->calls; c->name; c++)
		if (c->number[ABI_OTHER] >= 0 && !strcmp(c->name, name))
			return true;
	return false;
}

void kdump_copy_name(const struct os *os, const char *p, size_t n, char out[KDUMP_NAME])
{
	char shorter[KDUMP_NAME];
	size_t release = !strncmp(p, "compat", 6) ? strspn(p + 6, "0123456789") : 0;

	if (release && p[6 + release] == '.')
		snprintf(out, KDUMP_NAME, "freebsd%.*s_%.*s", (int)release, p + 6,
			 (int)(n - 7 - release), p + 7 + release);
	else
		snprintf(out, KDUMP_NAME, "%.*s", (int)n, p);
	snprintf(shorter, KDUMP_NAME, "%s", out + strspn(out, "_"));
	n = strlen(shorter);
	while (n && isdigit((unsigned char)shorter[n - 1]))
		shorter[--n] = '\0';
	if (os == &os_netbsd && !kdump_has_call(os, out) && kdump_has_call(os, shorter))
		strcpy(out, shorter);
}

/* Names in place of numbers that the table of descriptors needs. */
static int64_t symbol(const struct os *os, const char *p, size_t n)
{
	const struct {
		const char *name;
		int64_t value;
	} symbols[] = {
		{ "AT_FDCWD", -100 },	      { "PF_LOCAL", os->af_unix },
		{ "PF_UNIX", os->af_unix },   { "AF_UNIX", os->af_unix },
		{ "PF_INET", os->af_inet },   { "AF_INET", os->af_inet },
		{ "PF_INET6", os->af_inet6 }, { "AF_INET6", os->af_inet6 },
		{ "SOCK_STREAM", 1 },	      { "SOCK_DGRAM", 2 },
		{ "F_DUPFD", os->f_dupfd },   { "F_DUPFD_CLOEXEC", os->f_dupfd_cloexec },
		{ "F_SETFD", os->f_setfd },   { "FD_CLOEXEC", 1 },
	};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (!strncmp(symbols[i].name, p, n) && !symbols[i].name[n])
			return symbols[i].value;
	return 0;
}

static uint64_t parse_value(const struct os *os, const char *p)
{
	return (uint64_t)(isdigit((unsigned char)p[*p == '-']) ? input_number(p)
							       : symbol(os, p, strcspn(p, ",|<)")));
}

/* Behind the argument at p: a comma or parenthesis that is not within another pair. */
static const char *argument_end(const char *p)
{
	unsigned depth = 0;

	for (; *p && (depth || (*p != ',' && *p != ')')); p++) {
		depth += strchr("<({", *p) != NULL;
		depth -= depth && strchr(">)}", *p);
	}
	return p;
}

/* In the order of bytes of this machine. */
static void put(struct kdump *d, struct ktrace_record *r, uint64_t v, unsigned bytes)
{
	uint32_t four = (uint32_t)v;
	uint16_t two = (uint16_t)v;

	memcpy(d->payload + r->n,
	       bytes == 2   ? (const void *)&two
	       : bytes == 4 ? (const void *)&four
			    : (const void *)&v,
	       bytes);
	r->n += bytes;
}

/*
 * The name of a call at *p, which moves behind it; with -A the ABI is in front, with -S the number
 * behind, and an unknown call is a number in brackets.  False if there is none.
 */
static bool take_name(struct kdump *d, const char **p, struct ktrace_record *r, unsigned *number)
{
	const char *at = *p;

	if (isupper((unsigned char)*at) && strlen(at) > 5 && at[3] == ' ')
		at += 3 + strspn(at + 3, " ");
	size_t n = strcspn(at, " ([");
	*number = *at == '[' ? (unsigned)strtoul(at + 1, NULL, 10) & 0x7ff : 0;
	r->call = n ? d->name : NULL;
	if (n >= KDUMP_NAME || (!n && *at != '['))
		return false;
	kdump_copy_name(d->layout.os, at, n, d->name);
	at += n;
	if (*at == '[')
		at += strcspn(at, "]") + (strchr(at, ']') != NULL);
	*p = at;
	return true;
}

/* "read(0x3,0x7ffd,0x400)", "getpid", "[583](0x3)". */
static const char *make_call(struct kdump *d, const char *p, struct ktrace_record *r)
{
	unsigned half = d->layout.os == &os_freebsd ? 2 : 4, n = 0, number;

	if (!take_name(d, &p, r, &number))
		return "a call without a name";
	for (r->n = 8; n < KDUMP_ARGUMENTS && *p && *p != ')' && p[1] != ')'; n++) {
		put(d, r, parse_value(d->layout.os, p + 1), 8);
		p = argument_end(p + 1);
	}
	size_t end = r->n;
	r->n = 0;
	put(d, r, number, half);
	put(d, r, half == 2 ? n : 8 * n, half); /* arguments, or their bytes */
	r->n = end;
	return NULL;
}

/* "open 3/0x3", "open -1 errno 2 No such file", "execve JUSTRETURN", "read RESTART". */
static const char *make_return(struct kdump *d, const char *p, struct ktrace_record *r)
{
	enum { JUST_RETURN = -2 };
	bool netbsd = d->layout.os == &os_netbsd;
	unsigned number;

	if (!take_name(d, &p, r, &number) || *p != ' ')
		return "a return without a value";
	p++;
	bool just = !strncmp(p, "JUSTRETURN", 10), again = !strncmp(p, "RESTART", 7);
	const char *error = strstr(p, " errno "), *comma = error ? NULL : strstr(p, ", ");
	if (!isdigit((unsigned char)*p) && *p != '-' && !just && !again)
		return "a return without a value";
	put(d, r, number, d->layout.os == &os_openbsd ? 4 : 2);
	r->n = 4;
	put(d, r,
	    (uint64_t)(error   ? strtol(error + 7, NULL, 10)
		       : just  ? JUST_RETURN
		       : again ? netbsd ? -3 : -1
			       : 0),
	    4);
	put(d, r, error ? 0 : parse_value(d->layout.os, p), 8);
	if (netbsd)
		put(d, r, comma ? parse_value(d->layout.os, comma + 2) : 0, 8);
	return NULL;
}

/* ---- other records ---- */

const char *kdump_make_text(const char *p, struct ktrace_record *r)
{
	const char *first = strchr(p, '"'), *last = strrchr(p, '"');

	if (!first || last == first)
		return "a name without its quotes";
	r->data = (const unsigned char *)first + 1;
	r->n = (size_t)(last - first) - 1;
	return NULL;
}

/* "SIGINT caught handler=0x1000 mask=0x0", "SIGTERM SIG_DFL", "SIGCHLD SIG_IGN". */
static const char *make_signal(struct kdump *d, const char *p, struct ktrace_record *r)
{
	static const char *const names[] = {
		"HUP",	"INT",	  "QUIT", "ILL",   "TRAP", "ABRT", "EMT",  "FPE",
		"KILL", "BUS",	  "SEGV", "SYS",   "PIPE", "ALRM", "TERM", "URG",
		"STOP", "TSTP",	  "CONT", "CHLD",  "TTIN", "TTOU", "IO",   "XCPU",
		"XFSZ", "VTALRM", "PROF", "WINCH", "INFO", "USR1", "USR2",
	};
	enum { CAUGHT = 2 };
	unsigned number = 0;
	size_t n = strcspn(p, " ");

	for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (n > 3 && !strncmp(p + 3, names[i], n - 3) && !names[i][n - 3])
			number = i + 1;
	put(d, r, number, 8);
	put(d, r, strstr(p, "SIG_DFL") ? 0 : strstr(p, "SIG_IGN") ? 1 : CAUGHT, 8);
	return number ? NULL : "a signal without its name";
}

const char *kdump_make_record(struct kdump *d, struct kdump_head *h, struct ktrace_record *r)
{
	enum { WRITE = 2 };

	r->data = d->payload;
	switch (r->type) {
	case KTRACE_SYSCALL: return make_call(d, h->body, r);
	case KTRACE_SYSRET: return make_return(d, h->body, r);
	case KTRACE_PSIG: return make_signal(d, h->body, r);
	case KTRACE_CSW:
		put(d, r, !strncmp(h->body, "stop", 4), 4);
		put(d, r, strstr(h->body, "user") != NULL, 4);
		return NULL;
	case KTRACE_FAULT:
		put(d, r, parse_value(d->layout.os, h->body), 8);
		put(d, r, strstr(h->body, "WRITE") ? WRITE : 0, 4);
		return NULL;
	case KTRACE_NAMEI:
	case KTRACE_EMUL: return kdump_make_text(h->body, r);
	case KTRACE_EXEC_ARG:
		d->arguments = h->type_length == 4; /* OpenBSD's ARGS */
		return d->arguments ? NULL : kdump_make_text(h->body, r);
	default: return NULL;
	}
}
