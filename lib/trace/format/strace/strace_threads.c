/* SPDX-License-Identifier: MIT */
#include "trace/format/strace/strace_threads.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"

struct strace_thread *strace_threads_find(struct strace_threads *t, uint32_t tid)
{
	if (t->last && t->last->tid == tid)
		return t->last;
	uint64_t *at = map_find(&t->by_tid, tid);
	if (at)
		t->last = (struct strace_thread *)(uintptr_t)*at;
	return at ? t->last : NULL;
}

struct strace_thread *strace_threads_add(struct strace_threads *t, uint32_t tid, uint32_t pid)
{
	struct strace_thread *thread = xcalloc(1, sizeof(*thread));

	thread->tid = tid;
	thread->pid = pid;
	*map_at(&t->by_tid, tid) = (uintptr_t)thread;
	++*map_at(&t->processes, pid);
	return thread;
}

static void thread_free(struct strace_thread *thread)
{
	vec_free(&thread->text);
	vec_free(&thread->piece_text);
	free(thread);
}

/* Counts a thread of pid out; true when it was the last. */
static bool leave(struct strace_threads *t, uint32_t pid)
{
	if (--*map_at(&t->processes, pid))
		return false;
	map_remove(&t->processes, pid);
	return true;
}

bool strace_threads_remove(struct strace_threads *t, struct strace_thread *thread)
{
	bool last = leave(t, thread->pid);

	map_remove(&t->by_tid, thread->tid);
	t->last = NULL;
	thread_free(thread);
	return last;
}

void strace_threads_rename(struct strace_threads *t, struct strace_thread *thread, uint32_t tid)
{
	leave(t, thread->pid);
	map_remove(&t->by_tid, thread->tid);
	thread->tid = thread->pid = tid;
	*map_at(&t->by_tid, tid) = (uintptr_t)thread;
	++*map_at(&t->processes, tid);
	t->last = NULL;
}

struct strace_thread *strace_threads_next(const struct strace_threads *t, size_t *at)
{
	uint64_t tid, thread;

	return map_next(&t->by_tid, at, &tid, &thread) ? (struct strace_thread *)(uintptr_t)thread
						       : NULL;
}

void strace_threads_free(struct strace_threads *t)
{
	struct strace_thread *thread;

	for (size_t at = 0; (thread = strace_threads_next(t, &at));)
		thread_free(thread);
	map_free(&t->by_tid);
	map_free(&t->processes);
	*t = (struct strace_threads){ 0 };
}

void strace_text_set(struct strace_text *text, const char *p, size_t n)
{
	text->n = 0;
	vec_reserve(text, n + 1);
	memcpy(text->v, p, n);
	text->v[n] = '\0';
	text->n = n;
}

void strace_thread_keep(struct strace_thread *thread, const struct event *call)
{
	const char *path = call->call.path ? call->call.path : "", *text = call->call.text;
	size_t path_size = strlen(path) + 1, text_size = strlen(text) + 1;
	struct strace_text *kept = &thread->piece_text;

	kept->n = 0;
	vec_reserve(kept, path_size + text_size);
	memcpy(kept->v, path, path_size);
	memcpy(kept->v + path_size, text, text_size);
	thread->piece = *call;
	thread->piece.call.path = call->call.path ? kept->v : NULL;
	thread->piece.call.text = kept->v + path_size;
	thread->interrupted = true;
}
