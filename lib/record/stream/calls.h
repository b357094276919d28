/* SPDX-License-Identifier: MIT */
/* calls.h - the records of calls, as events: the part of follower.h that is about calls. */
#ifndef CALLS_H
#define CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/stream/follower.h"

/* To be called before the others. */
void calls_prepare(void);

/* Takes the record of a call from entry to return. */
void calls_whole(struct follower *v, const struct record *head);
/* Takes that of the first call of its kind. */
void calls_first(struct follower *v, const struct record *head);
/* Takes that of an entry into a call. */
void calls_entry(struct follower *v, const struct record *head);
/* The same of a call that a thread is in when it is attached: notes its descriptors, and the call
 * if no other record of it comes. */
void calls_begun(struct follower *v, const struct record *head);
/* Takes that of a return from a call. */
void calls_return(struct follower *v, const struct record *head);
/* Makes *e the call of such a record that has not ended, with the duration that it has now; false:
 * its program is not wanted. */
bool calls_open(const struct follower *v, const struct record_call *r, struct event *e);
/* Takes that of an operation of io_uring. */
void calls_operation(struct follower *v, const struct record *head);

/* Whether the record is of a call of execve or execveat. */
bool calls_is_execve(const struct record_call *r);
/* Where calls have an entry and a return, the execve is stored now: it was a call of the former
 * program, by the thread `former`; 0: by any of the process. */
void calls_end_execve(struct follower *v, const struct record *head, uint32_t former);
/* Counts what a call did that is not in the trace: it has read memory that we have not, or has set
 * up an io_uring that the kernel polls. */
void calls_count_losses(struct follower *v, const struct event *e, bool unreadable, bool polled);
/* Thread tid ends, or its program does: stores those of its calls that were only counted. */
void calls_store_counted(struct follower *v, const struct record *head, uint32_t tid);

#endif
