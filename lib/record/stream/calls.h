/* SPDX-License-Identifier: MIT */
/* calls.h - turns the records of calls into events: the part of follower.h that is about calls. */
#ifndef STREAM_CALLS_H
#define STREAM_CALLS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/stream/follower.h"

/* Looks up the calls that mean more than others.  Call it before the other functions. */
void calls_prepare(void);

/* Handles the record of a call from its entry to its return. */
void calls_whole(struct follower *v, const struct record *head);
/* Handles the record of the first call of a kind, whose further calls are only counted. */
void calls_first(struct follower *v, const struct record *head);
/* Handles the record of the entry into a call. */
void calls_entry(struct follower *v, const struct record *head);
/* Handles the record of the call that a thread is in when it is attached: notes what its
 * descriptors are, and if the kernel will not say when the call ends, that it has begun. */
void calls_begun(struct follower *v, const struct record *head);
/* Handles the record of the return from a call. */
void calls_return(struct follower *v, const struct record *head);
/* Stores in *e the unfinished call that a record is about, with the duration that it has by now.
 * Returns false if its program is not wanted. */
bool calls_open(const struct follower *v, const struct record_call *r, struct event *e);
/* Handles the record of an operation of io_uring. */
void calls_operation(struct follower *v, const struct record *head);

/* Returns whether the record is about a call of execve or execveat. */
bool calls_is_execve(const struct record_call *r);
/* Stores the execve that the record of a new program proves to have succeeded, if entries and
 * returns have records of their own.  It is a call of the former program, made by thread `former`,
 * or by any thread of the process that is in an execve if that is 0. */
void calls_end_execve(struct follower *v, const struct record *head, uint32_t former);
/* Counts what call e did that is not in the trace.  unreadable: memory that it read could not be
 * read; polled: it set up an io_uring that the kernel polls. */
void calls_count_losses(struct follower *v, const struct event *e, bool unreadable, bool polled);
/* Stores the calls of thread tid that were only counted, at the time of the record.  Call it when
 * the thread or its program ends. */
void calls_store_counted(struct follower *v, const struct record *head, uint32_t tid);

#endif
