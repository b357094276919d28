/* SPDX-License-Identifier: MIT */
/*
 * follower.h - knows the processes that are followed, and turns the records of them (records.h), in
 * order of time, into events in a sink.
 */
#ifndef FOLLOWER_H
#define FOLLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/stream/tallies.h"
#include "record/stream/fd_descriptions.h"
#include "record/stream/records.h"
#include "record/accounting.h"
#include "record/sink.h"
#include "trace/pairing.h"
#include "util/map.h"

struct follower {
	struct sink *sink;
	const char *const *only; /* programs; see struct record_target */
	size_t nonly;
	pid_t launching; /* the command before its execve: what it does is our own code; or 0 */
	uint64_t calls;	 /* records of calls so far, of all programs */
	bool sees_operations;	   /* those of io_uring have records */
	bool sees_switches;	   /* a thread that is attached has a state */
	bool misses_begun;	   /* of a call that it is in then no record comes */
	const char *const *events; /* names of what is counted, by number */
	struct accounting accounting;
	struct tallies tallies;

	/* Private. */
	struct pairing pairing;
	struct pairing_thread *dying; /* the calls that pairing gives are the last of it; or NULL */
	struct map unwanted;	      /* pids of processes of other programs */
	struct map leaders; /* pid -> status of its first thread, which ended before others */
	struct map missing; /* tid -> pid of those that did not exist any more the last time */
	struct map running; /* tid -> whether its last switch was to a CPU */
	struct fd_descriptions descriptions;
	struct {
		uint32_t tid;
		uint64_t time;
	} counted; /* the last reading of counters */
	struct {
		uint64_t lost, time, unseen; /* the last: switches of all CPUs so far */
	} * cpus;			     /* what was last heard of each */
	size_t ncpus;
};

/* The thread of a record; NULL: its program is not wanted. */
struct pairing_thread *follower_thread(struct follower *v, const struct record *r);
/* The time of the trace at that time of CLOCK_MONOTONIC, in ns. */
int64_t follower_time(const struct follower *v, uint64_t ns);
/* An event of the thread and the time of a record. */
struct event follower_event(const struct follower *v, const struct record *r, enum event_type type);

/* Starts with no process. */
void follower_begin(struct follower *v, struct sink *sink, const char *const *only, size_t nonly,
		    size_t ncpus);
/* The command, which has not called execve yet, is followed. */
void follower_launch(struct follower *v, pid_t pid);
/* Whether that thread is followed, or its process is known not to be wanted. */
bool follower_knows(const struct follower *v, pid_t pid, pid_t tid);
/* Whether the program of process pid is wanted. */
bool follower_wants(const struct follower *v, pid_t pid);
/* Thread tid of process pid, which was there before, is followed; its process comes first. */
void follower_attach(struct follower *v, pid_t pid, pid_t tid);
/* What the threads of its process that had ended by then used. */
void follower_past(struct follower *v, const struct record_exit *r);
/* Stores the events that a record stands for. */
void follower_handle(struct follower *v, const struct record *r);
/* The number of threads, and of processes of other programs, that are not known to be dead. */
size_t follower_alive(const struct follower *v);
/* Forgets the threads and processes that were dead the last time, too: to be called now and then
 * when nothing happens, since the record of a death may be lost. */
void follower_bury(struct follower *v);
/* Stores the calls that were only counted so far, of all threads.  more: others may follow. */
void follower_store_counted(struct follower *v, bool more);
/* Hands take the calls that are known not to have ended, see pairing_show_open(). */
void follower_show_open(const struct follower *v, pairing_emit *take, void *arg);
/* The recording is over: ends the calls of all threads, stores what living processes used, and
 * frees all. */
void follower_end(struct follower *v);

#endif
