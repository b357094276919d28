/* SPDX-License-Identifier: MIT */
/* Entries and exits of system calls, whose fields are named as the kernel's source names them. */
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
static void fill_arguments(struct ctf *k, const struct ctf_stream *s, struct event *e)
{
	const char *argument = syscall_get(e->call.id)->argument;
	size_t n = s->n - s->own, places = strlen(argument);
	bool used[6] = { false };

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
		e->call.args[at] = v->text ? 1 : v->number;
		if (v->text && !e->call.path)
			e->call.path = ctf_text(k, v);
	}
}

void ctf_take_entry(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_value *args = ctf_known_field(k, s, CTF_ARGS);
	struct event e = { 0 };

	e.call.id = s->event->call;
	e.call.cpu = s->packet.cpu + 1;
	if (args && ctf_known_field(k, s, CTF_ID)) { /* syscall_entry_unknown */
		e.call.id = syscall_by_number(ABI_X86_64, (unsigned)ctf_number(k, s, CTF_ID));
		for (int i = 0; i < 6 && args + 1 + i < s->values + s->n; i++)
			e.call.args[i] = args[1 + i].number;
	} else {
		fill_arguments(k, s, &e);
	}
	kernel_enter(&k->kernel, ctf_tid_of(k, s), &e);
}

void ctf_take_exit(struct ctf *k, const struct ctf_stream *s)
{
	const struct ctf_value *pair = ctf_known_field(k, s, CTF_FILDES);
	uint64_t fds[2];
	bool two = pair && pair->number >= 2 && pair + 2 < s->values + s->n;

	for (int i = 0; two && i < 2; i++)
		fds[i] = pair[1 + i].number;
	kernel_leave(&k->kernel, ctf_tid_of(k, s), s->event->call, ctf_number(k, s, CTF_RET),
		     two ? fds : NULL, NULL);
}
