/* SPDX-License-Identifier: MIT */
#include "view/serving.h"

#include <errno.h>
#include <string.h>

#include "trace/syscalls.h"
#include "view/waiting.h"

/* Flag: the writer works for the subtree, on whatever host. */
#define FOR_SUBTREE ((uint64_t)1 << 63)

void serving_begin(struct serving *v)
{
	connections_begin(&v->connections);
	map_free(&v->threads);
	map_free(&v->writers);
	map_free(&v->connected);
}

static uint64_t value(const struct map *m, uint64_t key)
{
	const uint64_t *at = map_find(m, key);

	return at ? *at : 0;
}

/* Returns whether the thread serves the subtree from another host; *serves: whether it serves
 * anybody. */
static bool is_for_subtree(const struct serving *v, const struct processes *p, size_t process,
			   uint32_t tid, bool *serves)
{
	uint64_t direction = value(&v->threads, tid);
	uint64_t writer = direction ? value(&v->writers, direction - 1) : 0;

	*serves = writer;
	if (!writer || writer & FOR_SUBTREE)
		return writer;
	const struct process *by = &p->v[writer - 1];
	return by->within && by->host != p->v[process].host;
}

static void follow_transfer(struct serving *v, const struct processes *p, size_t process,
			    const struct event *e, size_t direction)
{
	enum transfer way = transfer_of(e);
	bool serves;

	if (way == TRANSFER_READS && e->call.result > 0 && !value(&v->connected, direction)) {
		*map_at(&v->threads, e->tid) = connections_back(direction) + 1;
	} else if (way == TRANSFER_WRITES) {
		uint64_t by = is_for_subtree(v, p, process, e->tid, &serves) ? FOR_SUBTREE : 0;

		*map_at(&v->writers, direction) = by | (process + 1);
	}
}

static bool follow_call(struct serving *v, const struct processes *p, size_t process,
			const struct event *e)
{
	size_t direction = connections_from(&v->connections, e->call.object);
	bool serves;

	if (direction != SIZE_MAX && !strcmp(syscall_get(e->call.id)->name, "connect") &&
	    (!event_failed(e) || e->call.result == -EINPROGRESS)) {
		*map_at(&v->connected, direction) = 1;
		*map_at(&v->writers, direction) = process + 1;
	} else if (direction != SIZE_MAX) {
		follow_transfer(v, p, process, e, direction);
	}
	/* A thread that waits for work works for nobody. */
	if (waiting_for(e) == WAITS_WORK)
		return false;
	bool within = is_for_subtree(v, p, process, e->tid, &serves) && !p->v[process].within;
	while (v->processes.n <= process)
		vec_push(&v->processes, (struct served){ 0 });
	v->processes.v[process].within += within;
	v->processes.v[process].others += serves && !within && !p->v[process].within;
	return within;
}

bool serving_event(struct serving *v, const struct processes *p, size_t process,
		   const struct event *e)
{
	connections_event(&v->connections, e);
	if (process == SIZE_MAX)
		return false;
	if (e->type == EVENT_FORK) {
		uint64_t serves = value(&v->threads, e->tid);

		*map_at(&v->threads, e->fork.child_tid) = serves;
	}
	return e->type == EVENT_SYSCALL && follow_call(v, p, process, e);
}

bool serving_works(const struct serving *v, const struct processes *p, size_t process, uint32_t tid)
{
	bool serves;

	return !p->v[process].within && is_for_subtree(v, p, process, tid, &serves);
}

bool serving_is_request(const struct serving *v, const struct event *e)
{
	size_t direction = connections_from(&v->connections, e->call.object);

	return direction != SIZE_MAX && transfer_of(e) == TRANSFER_READS &&
	       !value(&v->connected, direction);
}

void serving_free(struct serving *v)
{
	vec_free(&v->processes);
	connections_free(&v->connections);
	map_free(&v->threads);
	map_free(&v->writers);
	map_free(&v->connected);
}
