/* SPDX-License-Identifier: MIT */
/*
 * osvec-mark.h - marks with which the threads of a program tell critpath(1) about their states and
 * the queues between them.  See osvec-mark(3).
 *
 * 	osvec_state("parse");			this thread is in that state from now on
 * 	osvec_enqueue("jobs", 1);		it has put a unit into the queue
 * 	osvec_wait_empty("jobs");		it waits for a unit until its next mark
 * 	osvec_dequeue("jobs", 1);		it has taken a unit out of the queue
 *
 * Nothing is written unless the environment variable OSVEC_MARKS names a directory at the first
 * mark of the process.  Each thread then writes a file there, and a mark takes little longer than
 * reading the clock (measured by `build/tests/bench/marked`).
 *
 * Names must stay valid and unchanged as long as the process lives, as string literals do.  All
 * functions are thread-safe but not async-signal-safe.  They preserve errno.
 */
#ifndef MARK_OSVEC_MARK_H
#define MARK_OSVEC_MARK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The values are those of MARK records in ktr(5). */
enum osvec_verb {
	OSVEC_STATE = 1,
	OSVEC_ENQUEUE,
	OSVEC_DEQUEUE,
	OSVEC_WAIT_EMPTY,
	OSVEC_WAIT_FULL,
	OSVEC_LINK,
	OSVEC_PEEK,
	OSVEC_RESERVE,
	OSVEC_CAPACITY,
	OSVEC_IDENTIFY,
};

/* Writes a mark of any kind; pass 0 or NULL for what the verb does not use. */
void osvec_mark(enum osvec_verb verb, const char *name, uint64_t amount, uint64_t tag);

/* This thread is in the state from now on. */
static inline void osvec_state(const char *name)
{
	osvec_mark(OSVEC_STATE, name, 0, 0);
}

/* It has put n units into the queue, or taken n units out. */
static inline void osvec_enqueue(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_ENQUEUE, queue, n, 0);
}

static inline void osvec_dequeue(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_DEQUEUE, queue, n, 0);
}

/* It waits until its next mark, because the queue is empty; that mark should be osvec_dequeue or
 * osvec_peek of the queue.  Or because it is full: osvec_enqueue or osvec_reserve. */
static inline void osvec_wait_empty(const char *queue)
{
	osvec_mark(OSVEC_WAIT_EMPTY, queue, 0, 0);
}

static inline void osvec_wait_full(const char *queue)
{
	osvec_mark(OSVEC_WAIT_FULL, queue, 0, 0);
}

/* It looks at n units, which stay in the queue; this, too, ends a wait for an empty queue. */
static inline void osvec_peek(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_PEEK, queue, n, 0);
}

/* It has got room for n units, which it will put there later; this, too, ends a wait for a full
 * queue. */
static inline void osvec_reserve(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_RESERVE, queue, n, 0);
}

/* The queue has room for n units. */
static inline void osvec_capacity(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_CAPACITY, queue, n, 0);
}

/* From now on it works for that connection or request (0: none); queues that it names are separate
 * for each of them. */
static inline void osvec_identify(uint64_t key)
{
	osvec_mark(OSVEC_IDENTIFY, "", 0, key);
}

/* What it does now was caused by the last mark with that tag, of any thread; tag must not be 0. */
static inline void osvec_link(uint64_t tag)
{
	osvec_mark(OSVEC_LINK, "", 0, tag);
}

#ifdef __cplusplus
}
#endif

#endif
