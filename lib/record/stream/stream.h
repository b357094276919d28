/* SPDX-License-Identifier: MIT */
/*
 * stream.h - does what is common to the backends for which the kernel writes records while the
 * threads run on: starting and attaching, reading the rings, noticing the end.
 */
#ifndef STREAM_STREAM_H
#define STREAM_STREAM_H

#include "record/child.h"
#include "record/record.h"
#include "record/stream/follower.h"
#include "record/stream/rings.h"

struct stream {
	struct rings rings;
	struct follower follower;
	struct held_child child; /* the command */
	unsigned idle;		 /* polls without a record so far */
	bool empty;		 /* the last poll found no record */
	bool rare;		 /* records are of births and deaths alone */
	long pause;		 /* nanoseconds before the next look; 0: the least */
};

/* Makes the kernel write records of thread tid.  Returns 0, or -1 and sets *e and errno. */
typedef int stream_follow(void *arg, pid_t tid, struct error *e);

/* Starts the command of t, follows it from its execve on, and sets r->command.  Returns 0, or -1
 * and sets *e and errno. */
int stream_launch(struct stream *s, struct recording *r, const struct record_target *t,
		  stream_follow *follow, void *arg, struct error *e);
/* Follows all threads of the running process that thread pid belongs to.  Returns 0, or -1 and sets
 * *e and errno. */
int stream_attach(struct stream *s, pid_t pid, stream_follow *follow, void *arg, struct error *e);
/* Stores the events of the records that are due or, with `all`, of all that are written now.
 * Returns whether there were any. */
bool stream_drain(struct stream *s, bool all);
/* Does what `poll` of struct backend says. */
int stream_poll(struct stream *s, struct recording *r, struct error *e);
/* Stores at the end of the recording what is missing by the counts of the kernel since its
 * beginning: records, of which CPU i lost lost[i], and calls, of which that many ended (0: it does
 * not count them).  A call is missing when neither a record nor a tally tells of it, so each whose
 * record was lost is. */
void stream_end_losses(struct stream *s, const uint64_t *lost, uint64_t calls);
/* Ends the calls of all threads and frees everything. */
void stream_end(struct stream *s);

#endif
