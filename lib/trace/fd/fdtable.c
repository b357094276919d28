/* SPDX-License-Identifier: MIT */
/*
 * What a call does to the descriptors of its process is a row of os->fd_rules; the descriptor it
 * works on is its first argument that is one.
 */
#include "trace/fd/fdtable.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "trace/fd/descriptors.h"
#include "trace/syscalls.h"
#include "util/map.h"
#include "util/vec.h"

/* The descriptors of one process, or of several that share them. */
struct files {
	uint32_t references;
	struct fdtree open;
};

/* A call in the tables of the system. */
struct call {
	bool prepared;		    /* the rest is set */
	const struct fd_rule *rule; /* or NULL */
	int8_t fd_argument;	    /* the first descriptor; -1: none */
	bool at;		    /* a directory's descriptor and a path come first */
	enum fd_kind hint;
};

struct fdtable {
	const struct os *os;
	enum abi abi;
	fdtable_resolve *resolve;
	void *arg;
	VEC(struct call) calls; /* by id */
	struct map processes;	/* pid -> struct files * */
	struct files *last;	/* those of last_pid, or NULL */
	uint32_t last_pid;
	struct objects objects;
	uint64_t pairs;	  /* ends of pipes and pairs so far, to name them */
	struct event now; /* the event at hand: whose, and when */
};

static void prepare_call(const struct os *os, struct call *c, const struct syscall *row)
{
	*c = (struct call){ .prepared = true, .fd_argument = -1 };
	c->at = row->argument[0] == ARG_DIRFD && row->argument[1] == ARG_PATH;
	for (int i = 5; i >= 0; i--)
		if (row->argument[i] == ARG_FD)
			c->fd_argument = (int8_t)i;
	for (const struct fd_rule *r = os->fd_rules; r->call; r++)
		if (!strcmp(r->call, row->name))
			c->rule = r;
	for (const struct fd_hint *h = os->fd_hints; h->call; h++)
		if (!strcmp(h->call, row->name))
			c->hint = h->kind;
}

static const struct call *call_of(struct fdtable *t, unsigned id)
{
	while (t->calls.n <= id)
		vec_push(&t->calls, (struct call){ 0 });
	if (!t->calls.v[id].prepared)
		prepare_call(t->os, &t->calls.v[id], syscall_get(id));
	return &t->calls.v[id];
}

void fdtable_set_abi(struct fdtable *t, enum abi abi)
{
	t->abi = abi;
}

struct fdtable *fdtable_new(const struct os *os, enum abi abi, fdtable_resolve *resolve, void *arg)
{
	struct fdtable *t = xcalloc(1, sizeof(*t));

	t->os = os;
	t->abi = abi;
	t->resolve = resolve;
	t->arg = arg;
	return t;
}

static struct files *files_new(void)
{
	struct files *f = xcalloc(1, sizeof(*f));

	f->references = 1;
	return f;
}

static void files_drop(struct fdtable *t, struct files *f)
{
	if (--f->references)
		return;
	fdtree_free(&f->open, &t->objects);
	free(f);
}

static struct files *files_copy(const struct files *from)
{
	struct files *f = files_new();

	f->open = fdtree_share(&from->open);
	return f;
}

/* The descriptors of a process, known or not yet. */
static struct files *files_of(struct fdtable *t, uint32_t pid)
{
	if (t->last && t->last_pid == pid)
		return t->last;
	uint64_t *at = map_at(&t->processes, pid);
	if (!*at)
		*at = (uintptr_t)files_new();
	t->last = (struct files *)(uintptr_t)*at;
	t->last_pid = pid;
	return t->last;
}

/* Gives a process other descriptors than it had; NULL: it ends. */
static void replace_files(struct fdtable *t, uint32_t pid, struct files *f)
{
	uint64_t *at = map_at(&t->processes, pid);
	struct files *old = (struct files *)(uintptr_t)*at;

	t->last = NULL;
	if (f)
		*at = (uintptr_t)f;
	else
		map_remove(&t->processes, pid);
	if (old)
		files_drop(t, old);
}

/* Ends the sharing of descriptors with other processes. */
static struct files *own_files(struct fdtable *t, uint32_t pid)
{
	struct files *f = files_of(t, pid);

	if (f->references > 1) {
		replace_files(t, pid, files_copy(f));
		f = files_of(t, pid);
	}
	return f;
}

/* What fd refers to; 0: it is not open, as far as we know. */
static uint64_t value_of(const struct files *f, int fd)
{
	return fd < 0 ? 0 : fdtree_get(&f->open, (uint32_t)fd);
}

/* Closes fd if it is open. */
static void forget(struct fdtable *t, struct files *f, int fd)
{
	fdtree_set(&f->open, &t->objects, (uint32_t)fd, 0);
}

/* Lets fd refer to object, whatever it referred to before. */
static void refer(struct fdtable *t, struct files *f, int fd, uint32_t object, bool cloexec)
{
	fdtree_set(&f->open, &t->objects, (uint32_t)fd, object | (cloexec ? FDTREE_CLOEXEC : 0));
}

/* Lets fd refer to the object of another descriptor.  A file of unknown path may have been closed
 * there before the source could look. */
static void duplicate(struct fdtable *t, struct files *f, int fd, uint32_t object, bool cloexec)
{
	const struct object *o = objects_get(&t->objects, object);
	enum fd_kind kind = o->kind;
	const char *name = o->name;

	refer(t, f, fd, object, cloexec);
	if (t->resolve && kind == FD_FILE && !name) {
		t->resolve(t->arg, t->now.pid, fd, &kind, &name);
		objects_change(&t->objects, object, kind, name, name != NULL);
	}
}

static uint32_t make(struct fdtable *t, struct files *f, int fd, enum fd_kind kind,
		     const char *name, bool cloexec)
{
	uint32_t object = objects_add(&t->objects, kind, name, false);

	refer(t, f, fd, object, cloexec);
	return object;
}

/* An object whose creation was not seen or whose kind is a guess: the source may know more.  0: not
 * even its kind, which it may know at the next call. */
static uint32_t make_guessed(struct fdtable *t, struct files *f, int fd, enum fd_kind kind,
			     const char *name, bool cloexec)
{
	enum fd_kind guess = kind;
	const char *guessed_name = name;

	if (t->resolve)
		t->resolve(t->arg, t->now.pid, fd, &kind, &name);
	if (t->resolve && kind == FD_UNKNOWN && !name) {
		forget(t, f, fd);
		return 0;
	}
	uint32_t object =
	    objects_add(&t->objects, kind, name, kind != guess || name != guessed_name);
	refer(t, f, fd, object, cloexec);
	return object;
}

/* The object of fd.  An unknown one is made, if wanted, of the kind that the call hints at. */
static uint32_t object_of(struct fdtable *t, int fd, enum fd_kind hint, bool make_it)
{
	struct files *f = files_of(t, t->now.pid);
	uint32_t object = fdtree_object(value_of(f, fd));

	if (object) {
		if (hint && objects_get(&t->objects, object)->kind == FD_UNKNOWN)
			objects_change(&t->objects, object, hint,
				       objects_get(&t->objects, object)->name, false);
		return object;
	}
	return fd >= 0 && make_it ? make_guessed(t, f, fd, hint, NULL, false) : 0;
}

/* Both ends, named so that one finds the other. */
static uint32_t make_pair(struct fdtable *t, struct files *f, const struct event *e,
			  enum fd_kind kind, bool cloexec)
{
	char name[2][64];
	uint64_t a = ++t->pairs, b = kind == FD_PIPE ? a : ++t->pairs;
	int fds[2] = { (int)e->call.args[4], (int)e->call.args[5] };

	if (fds[0] < 0 || fds[1] < 0 || fds[0] == fds[1])
		return 0;
	for (int i = 0; i < 2; i++)
		if (kind == FD_PIPE)
			snprintf(name[i], sizeof(name[i]), "pipe:#%" PRIu64, a);
		else
			snprintf(name[i], sizeof(name[i]), "%s:#%" PRIu64 "->#%" PRIu64,
				 fd_kind_name(kind), i ? b : a, i ? a : b);
	make(t, f, fds[1], kind, name[1], cloexec);
	return make(t, f, fds[0], kind, name[0], cloexec);
}

static enum fd_kind kind_of_open(const struct fdtable *t, const char *path, uint64_t flags)
{
	if (flags & t->os->o_tmpfile)
		return FD_FILE;
	return flags & t->os->o_by_abi[0][t->abi] ? FD_DIRECTORY : fd_kind_of_path(path);
}

static enum fd_kind kind_of_socket(const struct os *os, const uint64_t *args)
{
	return os_socket_kind(os, (unsigned)args[0], (unsigned)args[1], (unsigned)args[2]);
}

static void set_cloexec(struct fdtable *t, struct files *f, int fd, bool on)
{
	uint32_t object = fdtree_object(value_of(f, fd));

	if (object)
		refer(t, f, fd, object, on);
}

static void close_range_of(struct fdtable *t, struct files *f, const uint64_t *args)
{
	uint32_t first = (uint32_t)args[0], last = (uint32_t)args[1];
	uint64_t value;

	if (args[2] & t->os->close_range_unshare)
		f = own_files(t, t->now.pid);
	for (uint64_t fd = first; fdtree_next(&f->open, &fd, &value) && fd <= last; fd++)
		if (args[2] & t->os->close_range_cloexec)
			set_cloexec(t, f, (int)fd, true);
		else
			forget(t, f, (int)fd);
}

static void control(struct fdtable *t, struct files *f, const struct event *e, uint32_t object)
{
	int command = (int)e->call.args[1];
	enum { CLOEXEC = 1 }; /* FD_CLOEXEC of all systems */

	if (command == t->os->f_setfd)
		set_cloexec(t, f, (int)e->call.args[0], e->call.args[2] & CLOEXEC);
	else if (object && (command == t->os->f_dupfd || command == t->os->f_dupfd_cloexec))
		duplicate(t, f, (int)e->call.result, object, command == t->os->f_dupfd_cloexec);
}

/* Applies the rule of a call that succeeded; returns the object that the call works on or makes. */
static uint32_t apply(struct fdtable *t, const struct fd_rule *rule, const struct event *e,
		      uint32_t object)
{
	struct files *f = files_of(t, e->pid);
	const uint64_t *args = e->call.args;
	int fd = (int)e->call.result;
	bool cloexec = rule->cloexec >= 0 ? (args[rule->cloexec] & rule->bit) != 0
					  : rule->cloexec == FD_ALWAYS;
	enum fd_kind kind = rule->kind;

	switch (rule->action) {
	case FD_MAKES:
		/* signalfd of a descriptor that there is changes that one. */
		if (object && fd == (int)args[0])
			return object;
		return make(t, f, fd, kind, NULL, cloexec);
	case FD_RECEIVES: return make_guessed(t, f, fd, kind, NULL, cloexec);
	case FD_OPENS:
		kind = kind_of_open(t, e->call.path, rule->cloexec < 0 ? 0 : args[rule->cloexec]);
		return make_guessed(t, f, fd, kind, e->call.path, cloexec);
	case FD_MAKES_SOCKET: return make(t, f, fd, kind_of_socket(t->os, args), NULL, cloexec);
	case FD_MAKES_PAIR:
		if (kind != FD_PIPE)
			kind = kind_of_socket(t->os, args);
		return make_pair(t, f, e, kind, cloexec);
	case FD_ACCEPTS:
		if (object)
			kind = objects_get(&t->objects, object)->kind;
		make_guessed(t, f, fd, kind, NULL, cloexec);
		break;
	case FD_DUPLICATES:
		if (object && fd != (int)args[0])
			duplicate(t, f, fd, object, cloexec);
		break;
	case FD_CONTROLS: control(t, f, e, object); break;
	case FD_CLOSES: forget(t, f, (int)args[0]); break;
	case FD_CLOSES_RANGE: close_range_of(t, f, args); break;
	case FD_SETS_CLOEXEC:
		if ((uint32_t)args[1] == t->os->fioclex || (uint32_t)args[1] == t->os->fionclex)
			set_cloexec(t, f, (int)args[0], (uint32_t)args[1] == t->os->fioclex);
		break;
	case FD_UNSHARES:
		if (args[0] & t->os->unshare_files)
			own_files(t, e->pid);
		break;
	}
	return object;
}

/* The descriptor that a call works on, or -1. */
static int descriptor(const struct call *call, const struct event *e)
{
	if (call->fd_argument >= 0)
		return (int)e->call.args[call->fd_argument];
	/* fstat is an fstatat of an empty path. */
	if (call->at && (e->call.path ? !*e->call.path : !e->call.args[1]))
		return (int)e->call.args[0];
	return -1;
}

static void follow_call(struct fdtable *t, struct event *e)
{
	const struct call *call = call_of(t, e->call.id);
	bool ended = !(e->call.flags & (CALL_UNFINISHED | CALL_NO_RESULT));
	bool failed = event_failed(e);
	int fd = e->call.flags & CALL_ORPHAN ? -1 : descriptor(call, e);
	uint32_t object = 0;

	if (fd >= 0)
		object = object_of(t, fd, ended && !failed ? call->hint : FD_UNKNOWN,
				   !failed || e->call.result != -EBADF);
	e->call.object = object;
	e->call.kind = object ? objects_get(&t->objects, object)->kind : FD_UNKNOWN;
	if (!call->rule || !ended || e->call.flags & CALL_ORPHAN)
		return;
	/* A close that fails has closed the descriptor all the same. */
	if (failed && (call->rule->action != FD_CLOSES || e->call.result == -EBADF))
		return;
	uint32_t about = apply(t, call->rule, e, object);
	if (about != object) {
		e->call.object = about;
		e->call.kind = objects_get(&t->objects, about)->kind;
	}
}

static void follow_fork(struct fdtable *t, const struct event *e)
{
	struct files *f;

	if (e->fork.child_pid == e->pid)
		return;
	f = files_of(t, e->pid);
	if (e->fork.shares_files)
		f->references++;
	else
		f = files_copy(f);
	replace_files(t, e->fork.child_pid, f);
}

static void follow_exec(struct fdtable *t, uint32_t pid)
{
	struct files *f = own_files(t, pid);
	uint64_t value;

	for (uint64_t fd = 0; fdtree_next(&f->open, &fd, &value); fd++)
		if (value & FDTREE_CLOEXEC)
			forget(t, f, (int)fd);
}

void fdtable_event(struct fdtable *t, struct event *e)
{
	t->now = (struct event){ .type = EVENT_FD, .pid = e->pid, .tid = e->tid, .time = e->time };
	if (e->type == EVENT_SYSCALL) {
		follow_call(t, e);
	} else if (e->type == EVENT_FORK) {
		follow_fork(t, e);
	} else if (e->type == EVENT_EXEC) {
		follow_exec(t, e->pid);
	} else if (e->type == EVENT_EXIT && e->exit.last) {
		replace_files(t, e->pid, NULL);
	}
}

/* A socket's name changes when it is connected; anything else of another name is another object. */
static bool is_same(const struct object *o, enum fd_kind kind, const char *name)
{
	return !o->named || !o->name || (name && !strcmp(o->name, name)) ||
	       (o->kind == kind && fd_kind_is_socket(kind));
}

void fdtable_set(struct fdtable *t, uint32_t pid, int fd, enum fd_kind kind, const char *name)
{
	if (fd < 0)
		return;
	struct files *f = files_of(t, pid);
	uint64_t value = value_of(f, fd);
	uint32_t object = fdtree_object(value);
	if (object && is_same(objects_get(&t->objects, object), kind, name))
		objects_change(&t->objects, object, kind, name, true);
	else
		refer(t, f, fd, objects_add(&t->objects, kind, name, true), value & FDTREE_CLOEXEC);
}

uint32_t fdtable_find(struct fdtable *t, uint32_t pid, int fd, enum fd_kind *kind)
{
	uint32_t object = fdtree_object(value_of(files_of(t, pid), fd));

	*kind = object ? objects_get(&t->objects, object)->kind : FD_UNKNOWN;
	return object;
}

bool fdtable_next(struct fdtable *t, struct event *out)
{
	uint32_t id = objects_next_changed(&t->objects);

	if (!id)
		return false;
	const struct object *object = objects_get(&t->objects, id);
	*out = t->now;
	out->fd.object = id;
	out->fd.kind = object->kind;
	out->fd.name = object->name ? object->name : "";
	return true;
}

void fdtable_free(struct fdtable *t)
{
	uint64_t pid, files;

	if (!t)
		return;
	for (size_t at = 0; map_next(&t->processes, &at, &pid, &files);)
		files_drop(t, (struct files *)(uintptr_t)files);
	map_free(&t->processes);
	objects_free(&t->objects);
	vec_free(&t->calls);
	free(t);
}
