/* SPDX-License-Identifier: MIT */
/* Who a record is about, and whose child it is. */
#include "trace/format/ktrace/ktrace.h"

#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"

enum { RFORK_FILES = 1 << 2 | 1 << 12 }; /* RFFDG, RFCFDG: the child has descriptors of its own */

static void free_process(struct ktrace_process *p)
{
	vec_free(&p->others);
	vec_free(&p->arguments);
	free(p);
}

/* The call of the thread that is longest inside of a fork whose child is unknown, or NULL. */
static struct pairing_thread *oldest_fork(const struct ktrace *k)
{
	struct pairing_thread *t, *oldest = NULL;

	for (size_t at = 0; (t = pairing_next(&k->im.calls, &at));) {
		const struct event *e = pairing_inside(t);

		if (e && syscall_role(e->call.id) == ROLE_FORK && !e->call.result &&
		    (!oldest || e->time < pairing_inside(oldest)->time))
			oldest = t;
	}
	return oldest;
}

static bool shares_files(const struct event *call)
{
	return !strcmp(syscall_get(call->call.id)->name, "rfork") &&
	       !(call->call.args[0] & RFORK_FILES);
}

struct ktrace_process *ktrace_born(struct ktrace *k, uint32_t pid, struct pairing_thread *parent,
				   const struct event *call)
{
	const struct ktrace_process *of = parent ? map_pointer(&k->processes, parent->pid) : NULL;
	struct ktrace_process *p = xcalloc(1, sizeof(*p));

	p->pid = pid;
	p->os = of ? of->os : k->form.layout->os;
	p->abi = of ? of->abi : ABI_OTHER;
	*map_at(&k->processes, pid) = (uintptr_t)p;
	if (parent)
		importer_fork(&k->im, parent, pid, pid, shares_files(call), k->now);
	return p;
}

struct ktrace_process *ktrace_process_of(struct ktrace *k, uint32_t pid)
{
	struct ktrace_process *p = map_pointer(&k->processes, pid);

	if (p)
		return p;
	struct pairing_thread *parent = oldest_fork(k);
	struct event *call = parent ? pairing_inside(parent) : NULL;
	if (call)
		call->call.result = pid;
	return ktrace_born(k, pid, parent, call);
}

static uint64_t thread_key(uint32_t pid, uint32_t number)
{
	return (uint64_t)pid << 32 | number;
}

/* The first thread of a process is called as the process; others keep their numbers if they can. */
uint32_t ktrace_tid_of(struct ktrace *k, struct ktrace_process *p, uint32_t number)
{
	if (!p->seen) {
		p->seen = true;
		p->first = number;
	}
	if (number == p->first)
		return p->pid;
	uint64_t *at = map_at(&k->threads, thread_key(p->pid, number));
	if (!*at) {
		bool taken = pairing_find(&k->im.calls, number) || map_find(&k->processes, number);

		*at = taken ? KTRACE_FRESH_TIDS + k->next_tid++ : number;
		vec_push(&p->others, number);
	}
	return (uint32_t)*at;
}

struct pairing_thread *ktrace_thread_of(struct ktrace *k, struct ktrace_process *p,
					const struct ktrace_record *r)
{
	uint32_t tid = ktrace_tid_of(k, p, r->tid);
	struct pairing_thread *t = pairing_find(&k->im.calls, tid);

	if (t && t->pid == p->pid)
		return t;
	if (tid == p->pid)
		return importer_thread(&k->im, p->pid, tid);
	return importer_fork(&k->im, importer_thread(&k->im, p->pid, p->pid), p->pid, tid, false,
			     k->now);
}

static void forget_process(struct ktrace *k, struct ktrace_process *p)
{
	for (size_t i = 0; i < p->others.n; i++)
		map_remove(&k->threads, thread_key(p->pid, p->others.v[i]));
	map_remove(&k->processes, p->pid);
	free_process(p);
}

void ktrace_end_process(struct ktrace *k, struct ktrace_process *p, int status)
{
	for (size_t i = 0; i < p->others.n; i++) {
		uint64_t *tid = map_find(&k->threads, thread_key(p->pid, p->others.v[i]));
		struct pairing_thread *t = tid ? pairing_find(&k->im.calls, (uint32_t)*tid) : NULL;

		if (t && t->pid == p->pid)
			importer_exit(&k->im, t, status, k->now);
	}
	struct pairing_thread *first = pairing_find(&k->im.calls, p->pid);
	if (first && first->pid == p->pid)
		importer_exit(&k->im, first, status, k->now);
	forget_process(k, p);
}

void ktrace_free_processes(struct ktrace *k)
{
	struct ktrace_process *p;

	for (size_t at = 0; (p = map_next_pointer(&k->processes, &at));)
		free_process(p);
	map_free(&k->processes);
	map_free(&k->threads);
}
