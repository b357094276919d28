/* SPDX-License-Identifier: MIT */
#include "record/ptrace/thread.h"

#include <stdlib.h>

#include "util/vec.h"

/* How the kernel tells itself that an interrupted call is to be restarted; programs never see these. */
enum {
	ERESTARTSYS = 512,
	ERESTARTNOINTR = 513,
	ERESTARTNOHAND = 514,
	ERESTART_RESTARTBLOCK = 516,
};

struct thread *thread_new(struct threads *set, pid_t pid, pid_t tid)
{
	struct thread *t = xcalloc(1, sizeof(*t));

	t->pid = pid;
	t->tid = tid;
	t->index = set->n;
	vec_push(set, t);
	return t;
}

void thread_free(struct threads *set, struct thread *t)
{
	struct thread *last = set->v[--set->n];

	set->v[t->index] = last;
	last->index = t->index;
	free(t->call.path);
	free(t->broken.path);
	free(t);
}

void threads_free(struct threads *set)
{
	while (set->n)
		thread_free(set, set->v[set->n - 1]);
	vec_free(set);
}

struct event thread_event(const struct thread *t, enum event_type type, int64_t time)
{
	return (struct event){
		.type = type, .pid = (uint32_t)t->pid, .tid = (uint32_t)t->tid, .time = time
	};
}

void thread_swap_calls(struct thread *t)
{
	struct call c = t->call;

	t->call = t->broken;
	t->broken = c;
}

bool thread_restarts(const struct thread *t, unsigned id, unsigned restart,
		     const struct callstop *stop)
{
	const struct call *b = &t->broken;

	return b->open && b->ip == stop->ip && b->sp == stop->sp &&
	       (id == b->event.call.id || id == restart);
}

bool thread_will_restart(int64_t result)
{
	return result == -ERESTARTSYS || result == -ERESTARTNOINTR || result == -ERESTARTNOHAND ||
	       result == -ERESTART_RESTARTBLOCK;
}

void thread_take_call(struct thread *t, struct thread *former)
{
	struct call c = t->call;

	c.open = false;
	t->call = former->call;
	t->call.event.tid = (uint32_t)t->tid;
	former->call = c;
}
