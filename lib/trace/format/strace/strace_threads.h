/* SPDX-License-Identifier: MIT */
/* strace_threads.h - the threads of a log, each with the call it is in. */
#ifndef STRACE_THREADS_H
#define STRACE_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/event.h"
#include "util/map.h"

struct strace_text {
	char *v;
	size_t n, cap;
};

struct strace_thread {
	uint32_t tid, pid;
	/* A call whose end is still to come: what was written of it, and when. */
	bool pending;
	int64_t time;
	struct strace_text text;
	bool forks;	/* it is one that makes a thread or process */
	uint32_t child; /* ... which has been seen already; 0: not */
	/* A call that was interrupted and may go on; its strings are in piece_text. */
	bool interrupted;
	struct event piece;
	struct strace_text piece_text;
};

/* Zeroed is valid and empty. */
struct strace_threads {
	struct map by_tid;    /* -> struct strace_thread * */
	struct map processes; /* pid -> how many threads it has */
	struct strace_thread *last;
};

/* The thread, or NULL. */
struct strace_thread *strace_threads_find(struct strace_threads *t, uint32_t tid);
/* A new thread of process pid. */
struct strace_thread *strace_threads_add(struct strace_threads *t, uint32_t tid, uint32_t pid);
/* Forgets a thread; true when it was the last of its process. */
bool strace_threads_remove(struct strace_threads *t, struct strace_thread *thread);
/* Gives a thread another id and makes it alone its process, as execve does. */
void strace_threads_rename(struct strace_threads *t, struct strace_thread *thread, uint32_t tid);
/* Walks all of them: start with *at = 0; NULL at the end. */
struct strace_thread *strace_threads_next(const struct strace_threads *t, size_t *at);
/* Returns the memory of all of them. */
void strace_threads_free(struct strace_threads *t);

/* Replaces the text by n bytes at p and a NUL. */
void strace_text_set(struct strace_text *text, const char *p, size_t n);
/* Keeps an interrupted call with its strings. */
void strace_thread_keep(struct strace_thread *thread, const struct event *call);

#endif
