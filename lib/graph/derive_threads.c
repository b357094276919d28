/* SPDX-License-Identifier: MIT */
/* The threads of a trace, and the names of their states. */
#include <stdlib.h>

#include "graph/derive_parts.h"
#include "trace/syscalls.h"

uint16_t derived_state(struct derive *d, uint32_t thread, const char *word, enum activity activity)
{
	struct graph *g = d->graph;

	return graph_state(g, g->threads.v[thread].program, (uint32_t)names_add(&g->words, word),
			   activity);
}

uint16_t derived_activity(struct derive *d, uint32_t thread, enum activity activity)
{
	uint32_t program = d->graph->threads.v[thread].program;
	uint64_t key = (uint64_t)program << 32 | 1u << 31 | activity;
	uint64_t state = derived_known(d, KNOWN_CALL, &d->by_call, key);

	if (!state) {
		activity = activity == RUNS_CALL ? WAITS_OTHER : activity;
		state = derived_state(d, thread, activity_name(activity), activity) + 1u;
		*map_at(&d->by_call, key) = state;
	}
	return (uint16_t)(state - 1);
}

uint16_t derived_call_state(struct derive *d, uint32_t thread, const struct event *e)
{
	uint32_t program = d->graph->threads.v[thread].program;
	uint64_t key = (uint64_t)program << 32 | e->call.id << 8 | (e->call.kind & 0xff);
	uint64_t state = derived_known(d, KNOWN_CALL, &d->by_call, key);

	if (!state) {
		const char *name = syscall_get(e->call.id)->name;
		bool plain = e->call.kind == FD_UNKNOWN || e->call.kind == FD_FILE;
		char *word =
		    plain ? xstrdup(name) : xasprintf("%s %s", name, fd_kind_name(e->call.kind));

		state = derived_state(d, thread, word, RUNS_CALL) + 1u;
		*map_at(&d->by_call, key) = state;
		free(word);
	}
	return graph_state_at(d->graph, (uint16_t)(state - 1), d->threads.v[thread].place);
}

uint32_t derived_find(struct derive *d, uint32_t tid)
{
	uint64_t known = derived_known(d, KNOWN_THREAD, &d->by_tid, tid);

	return known ? (uint32_t)known - 1 : GRAPH_NOBODY;
}

/* From now on this ID belongs to the thread `number` (plus 1; 0: none). */
static void name_thread(struct derive *d, uint32_t tid, uint32_t number)
{
	derived_known_at(d, (uint64_t)tid << 2 | KNOWN_THREAD)->value = 0;
	if (number)
		*map_at(&d->by_tid, tid) = number;
	else
		map_remove(&d->by_tid, tid);
}

void derived_set_program(struct derive *d, uint32_t thread)
{
	struct graph_thread *t = &d->graph->threads.v[thread];
	size_t process = processes_find(&d->processes, t->pid);
	const char *name = process == SIZE_MAX ? "" : processes_name(&d->processes, process);

	t->program = (uint32_t)names_add(&d->graph->programs, name);
	d->threads.v[thread].user = derived_state(d, thread, "user", RUNS_USER);
	d->threads.v[thread].runnable = derived_activity(d, thread, RUNNABLE);
}

void derived_end_thread(struct derive *d, uint32_t thread)
{
	struct derived_thread *t = &d->threads.v[thread];

	vec_free(&t->open);
	vec_free(&t->passed);
	vec_free(&t->claimed);
	vec_free(&t->submitted);
	t->nsubmitted = 0;
	name_thread(d, d->graph->threads.v[thread].tid, 0);
}

uint32_t derived_begin_thread(struct derive *d, uint32_t pid, uint32_t tid, int64_t time,
			      uint64_t by)
{
	uint32_t former = derived_find(d, tid), number;

	/* The exit of the thread that had this ID before is missing. */
	if (former != GRAPH_NOBODY)
		derived_end_thread(d, former);
	number = graph_thread(d->graph, pid, tid, time, by);
	vec_push(&d->threads, (struct derived_thread){ .signalled = INT64_MIN });
	d->threads.v[number].born = by;
	name_thread(d, tid, number + 1);
	derived_set_program(d, number);
	if (by) {
		/* It is runnable from its birth on. */
		d->threads.v[number].out = d->scheduled;
		if (d->scheduled)
			graph_block(d->graph, number, d->threads.v[number].user);
		graph_wake(d->graph, number, time, 0, 0);
	}
	return number;
}

struct derived_thread *derived_thread(struct derive *d, const struct event *e, uint32_t *number)
{
	bool names = e->type == EVENT_FORK || e->type == EVENT_EXEC || e->type == EVENT_COMM ||
		     e->type == EVENT_ATTACH;

	*number = derived_find(d, e->tid);
	if (names || *number == GRAPH_NOBODY) /* other events say nothing new of their process */
		processes_event(&d->processes, e);
	if (*number == GRAPH_NOBODY)
		*number = derived_begin_thread(d, e->pid, e->tid, e->time, 0);
	return &d->threads.v[*number];
}
