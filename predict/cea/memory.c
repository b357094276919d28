/* SPDX-License-Identifier: MIT */
#include "memory.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "trace/syscalls.h"
#include "util/xalloc.h"

enum { WORD = 8, STACK = 0x20000 /* MAP_STACK of Linux */, DEPTH = 64 };

/* What mmap(2) gave to a process. */
struct memory_region {
	uint32_t pid;
	uint64_t from, until;
	const char *kind;
};

/* Returns how many regions are before that address or begin there. */
static size_t index_of(const struct memory *m, uint32_t pid, uint64_t address)
{
	const struct memory_region *v = m->regions.v;
	size_t i;

	vec_search(i, m->regions.n, v[i].pid > pid || (v[i].pid == pid && v[i].from > address));
	return i;
}

/* A region that begins where another one did replaces it. */
static void add(struct memory *m, const struct memory_region *r)
{
	size_t at = index_of(m, r->pid, r->from);

	if (at && m->regions.v[at - 1].pid == r->pid && m->regions.v[at - 1].from == r->from) {
		m->regions.v[at - 1] = *r;
		return;
	}
	vec_insert(&m->regions, at, *r);
}

static void take_call(struct memory *m, const struct event *e)
{
	uint64_t from = (uint64_t)e->call.result;
	const uint64_t *args = e->call.args;

	if (!m->mmap_id) {
		m->mmap_id = syscall_by_name("mmap");
		m->brk_id = syscall_by_name("brk");
	}
	if (e->call.id == m->mmap_id)
		add(m, &(struct memory_region){ e->pid, from, from + args[1],
						args[3] & STACK ? "stack" : "mmap" });
	else if (e->call.id == m->brk_id && !args[0])
		*map_at(&m->heaps, e->pid) = from & ~(uint64_t)4095;
}

/* Of regions within each other, the innermost; the heap has 4 GB at most.  What is left is the
 * program's static data or the stack of its first thread, in parts of 4 GB. */
static void take_write(const struct memory *m, struct names *names, const struct event *e,
		       struct extent *out)
{
	uint64_t address = e->fault.address & ~(uint64_t)(WORD - 1);
	const uint64_t *heap = map_find(&m->heaps, e->pid);
	bool in_heap = heap && address - *heap <= UINT32_MAX;
	uint64_t from = in_heap ? *heap : address & ~(uint64_t)UINT32_MAX;
	const char *kind = in_heap ? "heap" : "program";
	size_t at = index_of(m, e->pid, address);

	for (int i = 0; at-- && m->regions.v[at].pid == e->pid && i < DEPTH; i++)
		if (address < m->regions.v[at].until) {
			from = m->regions.v[at].from;
			kind = m->regions.v[at].kind;
			break;
		}
	char *name = xasprintf("%" PRIu32 " %s %" PRIx64, e->pid, kind, from);
	*out = (struct extent){ .file = names_add(names, name),
				.from = address - from,
				.until = address - from + WORD,
				.writes = true };
	free(name);
}

bool memory_event(struct memory *m, struct names *names, const struct event *e, struct extent *out)
{
	bool writes = e->type == EVENT_FAULT && e->fault.write;

	if (writes)
		take_write(m, names, e, out);
	else if (e->type == EVENT_SYSCALL && event_is_done(e))
		take_call(m, e);
	return writes;
}

void memory_free(struct memory *m)
{
	vec_free(&m->regions);
	map_free(&m->heaps);
}
