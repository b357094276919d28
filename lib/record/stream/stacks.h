/* SPDX-License-Identifier: MIT */
/*
 * stacks.h - finds out where in its program a thread made a call, from a copy of the top of its
 * stack.
 *
 * Functions of the C library keep no frame pointers, so the callers are found by what the compiler
 * has written for exceptions (.eh_frame), as elfutils reads it: once for each address of a file.
 * Where a file has none of that, frame pointers are followed.  A stack ends where neither goes on,
 * or where the copy does.
 */
#ifndef STREAM_STACKS_H
#define STREAM_STACKS_H

#include <sys/types.h>

#include "record/stream/records.h"

struct stacks;

/* Returns NULL if this program was built without elfutils. */
struct stacks *stacks_new(void);
/* Returns the frames as in event.h, or NULL if none is known: what the process had mapped is read
 * while it runs.  Lives as long as s. */
const char *stacks_find(struct stacks *s, const struct record_stack *r);
/* The process waits: a record may follow, perhaps when it has ended. */
void stacks_expect(struct stacks *s, pid_t pid);
/* The process has mapped other code, or ended. */
void stacks_forget(struct stacks *s, pid_t pid);
/* Frees everything; NULL is fine. */
void stacks_free(struct stacks *s);

#endif
