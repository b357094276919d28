/* SPDX-License-Identifier: MIT */
/* graph_derived.h - for tests of graphs: one graph that is derived from events. */
#ifndef UNIT_GRAPH_DERIVED_H
#define UNIT_GRAPH_DERIVED_H

#include "graph/derive.h"
#include "graph/path.h"
#include "trace/syscalls.h"

static struct graph graph;
static struct derive derive;

static inline void start(void)
{
	derive_free(&derive);
	graph_free(&graph);
	graph = (struct graph){ 0 };
	derive = (struct derive){ .graph = &graph, .shortest = 50 };
	derive_begin(&derive, &(struct source_info){ .command = "demo" });
}

static inline void take(struct event e)
{
	derive_event(&derive, &e);
}

static inline void define(uint32_t object, enum fd_kind kind, const char *name)
{
	take(
	    (struct event){ .type = EVENT_FD, .pid = 10, .tid = 10, .fd = { object, kind, name } });
}

/* With a pipe: 1 and 2 are its ends. */
static inline void start_pipe(void)
{
	start();
	define(1, FD_PIPE, "pipe:[7]");
	define(2, FD_PIPE, "pipe:[7]");
}

/* By thread 10, 11, ..., each a process of its own; epoll has no time limit. */
static inline void call(uint32_t tid, const char *name, int64_t time, int64_t until,
			enum fd_kind kind, uint32_t object, int64_t result)
{
	take((struct event){ .type = EVENT_SYSCALL,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .call = { .id = syscall_by_name(name),
				       .duration = (int64_t)((uint64_t)until - (uint64_t)time),
				       .result = result,
				       .kind = kind,
				       .object = object,
				       .args = { 0, 0, 0, kind == FD_EPOLL ? UINT64_MAX : 0 } } });
}

static inline void leave(uint32_t tid, int64_t time, enum thread_state state, uint32_t next)
{
	take((struct event){ .type = EVENT_SWITCH,
			     .pid = tid,
			     .tid = tid,
			     .time = time,
			     .change = { .out = true,
					 .preempted = state == STATE_RUNNABLE,
					 .state = (uint8_t)state,
					 .next = next } });
}

static inline void come(uint32_t tid, int64_t time)
{
	take((struct event){ .type = EVENT_SWITCH, .pid = tid, .tid = tid, .time = time });
}

static inline void wake(uint32_t tid, int64_t time, enum wake_context context, uint32_t target)
{
	take(
	    (struct event){ .type = EVENT_WAKE,
			    .pid = tid,
			    .tid = tid,
			    .time = time,
			    .wake = { .target = target, .context = (uint8_t)context, .from = 1 } });
}

/* The new thread may be of its parent's process or of another. */
static inline void fork_thread(uint32_t parent, int64_t time, uint32_t process, uint32_t tid)
{
	take((struct event){ .type = EVENT_FORK,
			     .pid = parent,
			     .tid = parent,
			     .time = time,
			     .fork = { process, tid, false } });
}

static inline void fork_one(uint32_t parent, int64_t time, uint32_t child)
{
	fork_thread(parent, time, child, child);
}

/* 10 forks 11, and both have a CPU. */
static inline void start_two(void)
{
	start();
	come(10, 0);
	fork_one(10, 10, 11);
	come(11, 20);
}

/* 11, forked by 10, has one end of a connection, and 10 the other. */
static inline void start_connection(void)
{
	start_two();
	define(1, FD_TCP, "socket:[1]");
	define(2, FD_TCP, "socket:[2]");
}

static inline void end_thread(uint32_t process, uint32_t tid, int64_t time)
{
	take((struct event){ .type = EVENT_EXIT, .pid = process, .tid = tid, .time = time });
}

/* ---- the path as words: "10 user 100-300, ..." from the first step on ---- */

static char text[4096];

static inline void take_step(void *arg, const struct path_step *s)
{
	char later[sizeof(text)], one[128];

	(void)arg;
	snprintf(one, sizeof(one), "%u %s%s%s %d-%d", graph.threads.v[s->thread].tid,
		 s->kind == STEP_UNKNOWN ? "?" : graph.words.v[graph.states.v[s->state].word],
		 s->kind == STEP_EDGE ? " edge" : "", s->flags & PIECE_GUESS ? " guess" : "",
		 (int)s->from, (int)s->to);
	memcpy(later, text, sizeof(later));
	snprintf(text, sizeof(text), "%.200s%s%.3000s", one, *later ? ", " : "", later);
}

/* The same for the time of one thread, by its number. */
static inline void is_anchored(uint32_t thread, const char *want, const char *what)
{
	const struct graph_thread *t = &graph.threads.v[thread];

	*text = '\0';
	int64_t sum = path_anchored(&graph, thread, t->begin, t->at, take_step, NULL);
	is_string(text, want, "%s", what);
	cmp_int(sum, t->at - t->begin, "which is all of its time");
}

static inline void is_path(const char *want, const char *what)
{
	derive_end(&derive);
	*text = '\0';
	int64_t sum = path_global(&graph, graph.last, graph.begin, take_step, NULL);
	is_string(text, want, "%s", what);
	cmp_int(sum, graph.end - graph.begin, "which is all of the time");
}

/* The state of a thread at that time, as "nanosleep at /b", "timer", ... */
static inline const char *state_at(uint32_t thread, int64_t time)
{
	static char out[64];

	for (uint64_t i = 0; i < graph.tape.n; i++) {
		const struct piece *p = tape_read(&graph.tape, i);
		const struct graph_state *s = &graph.states.v[p->state];

		if (p->thread == thread && p->start < time && time <= p->end)
			snprintf(out, sizeof(out), "%s%s%s", graph.words.v[s->word],
				 s->place ? " at " : "",
				 s->place ? graph.words.v[s->place - 1] : "");
	}
	return out;
}

#endif
