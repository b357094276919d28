/* SPDX-License-Identifier: MIT */
/* Arguments of system calls, whose fields are named as the kernel's source names them. */
#include <string.h>

#include "trace/format/ctf/ctf.h"
#include "trace/syscalls.h"

/* Which letter of a row of calls a field is for, by its name; the others take what is left. */
static const struct {
	const char *name;
	char letter;
} letters[] = {
	{ "fd", ARG_FD },	  { "fildes", ARG_FD },	    { "dfd", ARG_DIRFD },
	{ "filename", ARG_PATH }, { "pathname", ARG_PATH }, { "count", ARG_SIZE },
	{ "len", ARG_SIZE },	  { "size", ARG_SIZE },	    { "nbytes", ARG_SIZE },
	{ "vlen", ARG_SIZE },	  { "nfds", ARG_SIZE },	    { "pos", ARG_OFFSET },
	{ "offset", ARG_OFFSET }, { "flags", ARG_FLAGS },   { "clone_flags", ARG_FLAGS },
	{ "prot", ARG_FLAGS },	  { "mode", ARG_MODE },	    { "sig", ARG_SIGNAL },
	{ "pid", ARG_PID },
};

static char letter_of(const struct ctf *k, unsigned name)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(*letters); i++)
		if (name < k->m.names.n && !strcmp(k->m.names.v[name], letters[i].name))
			return letters[i].letter;
	return ARG_NONE;
}

/* Entries lack what the kernel only writes: fields go where their letter is, or in order. */
void ctf_take_arguments(const struct ctf *k, const struct ctf_stream *s, struct tracepoint_hit *p)
{
	const char *argument = syscall_get(p->meaning.call)->argument;
	size_t n = s->n - s->own, places = strlen(argument);
	bool used[6] = { false };

	memset(p->args, 0, sizeof(p->args));
	p->has &= ~(1u << FIELD_FILENAME);
	for (size_t i = 0; i < n && i < 6; i++) {
		const struct ctf_value *v = &s->values[s->own + i];
		char letter = n == places ? ARG_NONE : letter_of(k, v->name);
		size_t at = n == places ? i : 0;

		while (letter && at < places && (used[at] || argument[at] != letter))
			at++;
		if (letter && at == places)
			continue;
		while (!letter && at < 5 && used[at])
			at++;
		used[at] = true;
		p->args[at] = v->text ? 1 : v->number;
		if (v->text && !(p->has & 1u << FIELD_FILENAME))
			ctf_take_value(p, FIELD_FILENAME, v);
	}
}
