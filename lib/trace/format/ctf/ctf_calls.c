/* SPDX-License-Identifier: MIT */
/* Entries and exits of system calls, whose fields are named as the kernel's source names them. */
#include <stdlib.h>
#include <string.h>

#include "trace/format/ctf/ctf.h"
#include "trace/syscalls.h"

/* Names of LTTng's that are those of functions in the kernel. */
static const char *const renamed[][2] = {
	{ "newstat", "stat" },
	{ "newfstat", "fstat" },
	{ "newlstat", "lstat" },
	{ "newuname", "uname" },
	{ "sendfile64", "sendfile" },
	{ "umount", "umount2" },
	{ "sysctl", "_sysctl" },
	{ "mmap_pgoff", "mmap2" },
	{ "sigprocmask", "rt_sigprocmask" },
	{ "fadvise64_64", "fadvise64" },
};

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
	uint32_t tid = ctf_tid_of(k, s);
	struct event e = ctf_event_of(k, EVENT_SYSCALL, tid);
	const struct ctf_value *args = ctf_known_field(k, s, CTF_ARGS);

	if (!tid) {
		k->homeless++;
		return;
	}
	e.call.id = s->event->call;
	e.call.cpu = s->packet.cpu + 1;
	if (args && ctf_known_field(k, s, CTF_ID)) { /* syscall_entry_unknown */
		e.call.id = syscall_by_number(ABI_X86_64, (unsigned)ctf_number(k, s, CTF_ID));
		for (int i = 0; i < 6 && args + 1 + i < s->values + s->n; i++)
			e.call.args[i] = args[1 + i].number;
	} else {
		fill_arguments(k, s, &e);
	}
	importer_enter(&k->im, ctf_thread_of(k, tid), &e);
}

/* A child whose birth no other event told. */
static void take_clone(struct ctf *k, const struct pairing_thread *t, const struct event *call,
		       int64_t child)
{
	uint64_t flags =
	    syscall_get(call->call.id)->argument[0] == ARG_FLAGS ? call->call.args[0] : 0;
	bool thread = flags & CTF_CLONE_THREAD;
	uint32_t tid = (uint32_t)child, pid = thread ? t->pid : tid;

	if (k->sees_fork || child <= 0 || child > INT32_MAX)
		return;
	*map_at(&k->pids, tid) = pid;
	importer_fork(&k->im, t, pid, tid, !thread && flags & CTF_CLONE_FILES, k->now);
}

void ctf_take_exit(struct ctf *k, const struct ctf_stream *s)
{
	uint32_t tid = ctf_tid_of(k, s);

	if (!tid) {
		k->homeless++;
		return;
	}
	struct pairing_thread *t = ctf_thread_of(k, tid);
	struct event *inside = pairing_inside(t);
	int64_t result = ctf_number(k, s, CTF_RET);
	const struct ctf_value *pair = ctf_known_field(k, s, CTF_FILDES);
	unsigned id = s->event->call;
	if (id == UINT32_MAX) /* exit_syscall, or one of an unknown number */
		id = inside ? inside->call.id : syscall_by_name("unknown");
	struct event call = inside ? *inside : (struct event){ 0 };
	char *path = inside && call.call.path ? xstrdup(call.call.path) : NULL;
	if (inside && pair && pair->number >= 2 && pair + 2 < s->values + s->n) {
		inside->call.args[4] = pair[1].number;
		inside->call.args[5] = pair[2].number;
	}
	bool own = inside && inside->call.id == id;
	importer_leave(&k->im, t, id, result, k->now);
	if (own && importer_is_fork(&k->im, id))
		take_clone(k, t, &call, result);
	else if (own && result == 0 && importer_is_exec(&k->im, id) && !k->sees_exec)
		importer_exec(&k->im, t, path ? path : "", k->now);
	free(path);
}

unsigned ctf_call_named(const char *name)
{
	if (!strcmp(name, "unknown"))
		return UINT32_MAX;
	for (size_t i = 0; i < sizeof(renamed) / sizeof(*renamed); i++)
		if (!strcmp(name, renamed[i][0]))
			name = renamed[i][1];
	return syscall_by_name(name);
}
