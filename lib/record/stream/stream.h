/* SPDX-License-Identifier: MIT */
/*
 * stream.h - what the backends have in common for which the kernel writes records while the threads
 * run on: starting and attaching, reading the rings, noticing the end.
 */
#ifndef STREAM_H
#define STREAM_H

#include "record/program.h"
#include "record/record.h"
#include "record/stream/follower.h"
#include "record/stream/rings.h"

struct stream {
	struct rings rings;
	struct follower follower;
	struct held_child child; /* the command */
	unsigned idle;		 /* polls without a record */
	bool empty;		 /* the last one was such */
};

/* Makes the kernel write records of a thread.  0, or -1 and *e. */
typedef int stream_follow(void *arg, pid_t tid, struct error *e);

/* Starts the command of t and follows it from its execve on.  0, or -1, *e and errno. */
int stream_launch(struct stream *s, struct recording *r, const struct record_target *t,
		  stream_follow *follow, void *arg, struct error *e);
/* Follows all threads of the running process that thread pid belongs to.  0, or -1, *e and errno.
 */
int stream_attach(struct stream *s, pid_t pid, stream_follow *follow, void *arg, struct error *e);
/* Takes the records that there are; all: those of this moment too.  True: there were any. */
bool stream_drain(struct stream *s, bool all);
/* The `poll` of a backend. */
int stream_poll(struct stream *s, struct recording *r, struct error *e);
/* At the end of the recording: stores that records are missing, lost[i] of CPU i in all, as the
 * kernel knows. */
void stream_end_losses(struct stream *s, const uint64_t *lost);
/* Ends the calls of all threads and frees all. */
void stream_end(struct stream *s);

#endif
