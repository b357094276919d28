/* SPDX-License-Identifier: MIT */
/*
 * osvec-mark.h - tells critpath(1) what the threads of a program are at: states, and queues between
 * them.  See osvec-mark(3).
 *
 *	osvec_state("parse");			this thread is in that state from now on
 *	osvec_enqueue("jobs", 1);		it has put a unit into the queue
 *	osvec_wait_empty("jobs");		it waits for one, until its next
 *	osvec_dequeue("jobs", 1);		... which it has got
 *
 * Nothing is written unless the variable OSVEC_MARKS of the environment names a directory when the
 * process begins.  Then each thread has a file there, and a mark takes little more than to read
 * the clock: `tests/bench/marked` measures it.
 *
 * Names must live, and stay the same, as long as the process does: string literals do.  All
 * functions may be called by any thread, and not by handlers of signals.  They keep errno.
 */
#ifndef OSVEC_MARK_H
#define OSVEC_MARK_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The numbers are those of MARK records in ktr(5). */
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

/* A mark of any kind; what a verb does not need is 0. */
void osvec_mark(enum osvec_verb verb, const char *name, uint64_t amount, uint64_t tag);

/* This thread is in the state from now on. */
static inline void osvec_state(const char *name)
{
	osvec_mark(OSVEC_STATE, name, 0, 0);
}

/* It has put n units into the queue, or has taken them out. */
static inline void osvec_enqueue(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_ENQUEUE, queue, n, 0);
}

static inline void osvec_dequeue(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_DEQUEUE, queue, n, 0);
}

/* It waits until its next osvec_dequeue of this queue, because that is empty; or until its next
 * osvec_enqueue, because it is full. */
static inline void osvec_wait_empty(const char *queue)
{
	osvec_mark(OSVEC_WAIT_EMPTY, queue, 0, 0);
}

static inline void osvec_wait_full(const char *queue)
{
	osvec_mark(OSVEC_WAIT_FULL, queue, 0, 0);
}

/* It looks at n units, which stay there; that, too, ends what osvec_wait_empty began. */
static inline void osvec_peek(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_PEEK, queue, n, 0);
}

/* It has got room for n units, which it will put there; that ends what osvec_wait_full began. */
static inline void osvec_reserve(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_RESERVE, queue, n, 0);
}

/* The queue has room for n units. */
static inline void osvec_capacity(const char *queue, uint64_t n)
{
	osvec_mark(OSVEC_CAPACITY, queue, n, 0);
}

/* It goes on for that connection or request (0: for none): the queues that it names from now on are
 * those of this one alone. */
static inline void osvec_identify(uint64_t key)
{
	osvec_mark(OSVEC_IDENTIFY, "", 0, key);
}

/* What it does now was caused by the last mark with that tag, of whichever thread; tag is not 0. */
static inline void osvec_link(uint64_t tag)
{
	osvec_mark(OSVEC_LINK, "", 0, tag);
}

#ifdef __cplusplus
}
#endif

#endif
