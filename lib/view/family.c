/* SPDX-License-Identifier: MIT */
#include "view/family.h"

#include <math.h>
#include <string.h>

#include "trace/connections.h"
#include "trace/syscalls.h"
#include "view/reading.h"

void family_begin(struct family *f)
{
	map_free(&f->by_tid);
	map_free(&f->objects);
	map_free(&f->datagrams);
}

static struct creator *creator_of(struct family *f, uint32_t tid)
{
	uint64_t *at = map_at(&f->by_tid, tid);

	if (!*at) {
		vec_push(&f->creators, (struct creator){ 0 });
		*at = f->creators.n;
	}
	return &f->creators.v[*at - 1];
}

static struct life *life_of(struct family *f, size_t number, int64_t time)
{
	while (f->lives.n <= number)
		vec_push(&f->lives, (struct life){ .start = time, .end = time, .threads = 1 });
	return &f->lives.v[number];
}

static void set_command(struct life *l, const char *command)
{
	free(l->command);
	l->command = command ? xstrdup(command) : NULL;
}

/* ---- channels ---- */

static bool is_channel(enum fd_kind kind)
{
	return kind == FD_PIPE || fd_kind_is_socket(kind);
}

/* "unix:[2->1]" and "unix:[1->2]" are the two ends of one connection; the smaller number comes
 * first.  Both ends of a pipe have the same name. */
static char *channel_name(const struct event *e)
{
	const char *name = e->fd.name, *kind = fd_kind_name(e->fd.kind);
	char *a, *b;

	if (!name || !*name)
		return xasprintf("%s:@%u", kind, e->fd.object);
	if (!connection_ends(name, &a, &b))
		return xstrdup(name);
	bool swapped = strcmp(a, b) > 0;
	char *both = xasprintf("%s:%s-%s", kind, swapped ? b : a, swapped ? a : b);
	free(a);
	free(b);
	return both;
}

static void follow_object(struct family *f, const struct event *e)
{
	uint64_t *at = map_at(&f->objects, e->fd.object);

	*at = 0;
	if (e->fd.kind != FD_TTY && !is_channel(e->fd.kind))
		return;
	char *name = channel_name(e);
	*at = names_add(&f->channels, name) + 1;
	free(name);
}

/* If the source does not name a socket that way, its addresses do. */
static void follow_address(struct family *f, const struct event *e)
{
	enum fd_kind kind = connection_kind(&f->datagrams, e->address.object);
	char *name = connection_name(kind, e);

	if (name)
		follow_object(f, &(struct event){ .fd = { e->address.object, kind, name } });
	free(name);
}

static void use_channel(struct family *f, size_t number, const struct event *e)
{
	const struct syscall *call = syscall_get(e->call.id);
	const uint64_t *at = e->call.object ? map_find(&f->objects, e->call.object) : NULL;
	enum transfer way = at && *at ? transfer_of(e) : TRANSFER_NONE;
	unsigned use = way == TRANSFER_READS	? FAMILY_READS
		       : way == TRANSFER_WRITES ? FAMILY_WRITES
						: 0;
	bool accepts = !strncmp(call->name, "accept", 6);

	if (!at || !*at || event_failed(e) || !(use || accepts))
		return;
	if (accepts || (use & FAMILY_READS && e->call.result > 0))
		creator_of(f, e->tid)->after = *at;
	if (!use || !is_channel(e->call.kind))
		return;
	size_t channel = *at - 1;
	uint64_t *uses = map_at(&f->uses, (uint64_t)number << 32 | channel);
	while (f->users.n <= channel)
		vec_push(&f->users, 0);
	if (!*uses) {
		f->users.v[channel]++;
		vec_push(&f->lives.v[number].channels, channel);
	}
	*uses |= use;
}

unsigned family_uses(const struct family *f, size_t number, size_t channel)
{
	const uint64_t *at = map_find(&f->uses, (uint64_t)number << 32 | channel);

	return at ? (unsigned)*at : 0;
}

/* ---- births ---- */

/* The fork event may come before or after the end of the call that created the process. */
static void follow_fork(struct family *f, const struct processes *p, size_t number,
			const struct event *e)
{
	/* A copy, for finding another creator may move this one. */
	const struct creator creator = *creator_of(f, e->tid);

	if (e->fork.child_pid == e->pid) {
		f->lives.v[number].threads++;
		creator_of(f, e->fork.child_tid)->after = creator.after;
		return;
	}
	struct life *child = life_of(f, processes_find(p, e->fork.child_pid), e->time);
	child->start = e->time;
	child->born = true;
	child->after = creator.after;
	child->how = creator.child == e->fork.child_pid ? creator.how : NULL;
	set_command(child, f->lives.v[number].command);
	*creator_of(f, e->fork.child_tid) = (struct creator){ .after = creator.after };
}

static void follow_call(struct family *f, const struct processes *p, size_t number,
			const struct event *e)
{
	f->lives.v[number].own.calls += event_is_return(e);
	if (e->call.flags & CALL_UNFINISHED)
		return;
	use_channel(f, number, e);
	if (syscall_get(e->call.id)->returns != RETURNS_PID || e->call.result <= 0)
		return;
	const char *how = syscall_variant(e);
	uint32_t pid = host_same(e->pid, (uint32_t)e->call.result);
	size_t child = processes_find(p, pid);
	if (!how || (strcmp(how, "process") && strcmp(how, "vfork")))
		return;
	struct creator *creator = creator_of(f, e->tid);
	creator->how = how;
	creator->child = pid;
	if (child < f->lives.n && p->v[child].parent == number + 1)
		f->lives.v[child].how = how;
}

/* A process that calls exit_group() ends, which not all traces say. */
static void follow_exit(struct life *l, const struct event *e)
{
	if (l->ended || !syscall_ends_process(e, &l->status))
		return;
	l->ended = true;
	l->end = e->time;
}

static void follow_counter(struct life *l, const struct event *e)
{
	bool user = !strcmp(e->counter.name, "user");

	if (!user && strcmp(e->counter.name, "system"))
		return;
	l->counted = true;
	*(user ? &l->own.user : &l->own.system) += e->counter.value;
}

void family_event(struct family *f, const struct processes *p, size_t number, const struct event *e)
{
	struct life *l = life_of(f, number, e->time);

	if (event_end(e) > f->end)
		f->end = event_end(e);
	switch (e->type) {
	case EVENT_SYSCALL:
		follow_call(f, p, number, e);
		follow_exit(l, e);
		break;
	case EVENT_FORK: follow_fork(f, p, number, e); break;
	case EVENT_EXEC: set_command(l, e->exec.command); break;
	case EVENT_FD:
		datagrams_learn(&f->datagrams, e);
		follow_object(f, e);
		break;
	case EVENT_ADDRESS: follow_address(f, e); break;
	case EVENT_COUNTER: follow_counter(l, e); break;
	case EVENT_EXIT:
		if (e->exit.last) {
			l->ended = true;
			l->end = e->time;
			l->status = e->exit.status;
		}
		break;
	default: break;
	}
}

/* Finds which processes write to each channel; at most two are stored. */
static void find_writers(struct family *f)
{
	while (f->writers.n < f->channels.n)
		vec_push(&f->writers, (struct writers){ 0 });
	for (size_t i = 0; i < f->lives.n; i++)
		for (size_t k = 0; k < f->lives.v[i].channels.n; k++) {
			size_t channel = f->lives.v[i].channels.v[k];
			struct writers *w = &f->writers.v[channel];

			if (!(family_uses(f, i, channel) & FAMILY_WRITES))
				continue;
			w->more |= w->v[1] != 0;
			w->v[w->v[0] != 0] = i + 1;
		}
}

void family_sum(struct family *f, const struct processes *p)
{
	find_writers(f);
	for (size_t i = 0; i < f->lives.n; i++) {
		struct life *l = &f->lives.v[i];

		if (!l->counted)
			l->own.user = l->own.system = NAN;
		if (!l->ended)
			l->end = f->end;
		l->all = l->own;
	}
	/* Children have higher numbers than their parents. */
	for (size_t i = f->lives.n; i-- > 0;) {
		const struct family_use *from = &f->lives.v[i].all;
		size_t parent = p->v[i].parent;

		if (!parent)
			continue;
		struct family_use *sum = &f->lives.v[parent - 1].all;
		sum->calls += from->calls;
		sum->user += from->user;
		sum->system += from->system;
	}
}

static bool is_above(const struct processes *p, size_t ancestor, size_t number)
{
	for (size_t at = p->v[number].parent; at; at = p->v[at - 1].parent)
		if (at == ancestor)
			return true;
	return false;
}

size_t family_cause(const struct family *f, const struct processes *p, size_t number)
{
	const struct life *l = &f->lives.v[number];
	size_t cause = 0;

	if (!l->after || l->after > f->writers.n || f->writers.v[l->after - 1].more)
		return SIZE_MAX;
	for (int i = 0; i < 2; i++) {
		size_t writer = f->writers.v[l->after - 1].v[i];

		/* Its ancestors read from the channel, and write answers to it. */
		if (!writer || writer == number + 1 || is_above(p, writer, number))
			continue;
		if (cause)
			return SIZE_MAX;
		cause = writer;
	}
	return cause - 1;
}

void family_free(struct family *f)
{
	for (size_t i = 0; i < f->lives.n; i++) {
		free(f->lives.v[i].command);
		vec_free(&f->lives.v[i].channels);
	}
	vec_free(&f->lives);
	names_free(&f->channels);
	vec_free(&f->users);
	vec_free(&f->writers);
	vec_free(&f->creators);
	map_free(&f->by_tid);
	map_free(&f->objects);
	map_free(&f->datagrams);
	map_free(&f->uses);
}
