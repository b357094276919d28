/* SPDX-License-Identifier: MIT */
/*
 * follower.h - keeps track of the processes that are followed, and turns the records about them
 * (records.h), which come in order of time, into events in a sink.
 */
#ifndef STREAM_FOLLOWER_H
#define STREAM_FOLLOWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/stream/tallies.h"
#include "record/stream/fd_descriptions.h"
#include "record/stream/records.h"
#include "record/stream/stacks.h"
#include "record/accounting.h"
#include "record/sink.h"
#include "trace/pairing.h"
#include "util/map.h"

struct follower {
	struct sink *sink;
	const char *const *only; /* nonly names of programs; see struct record_target */
	size_t nonly;
	pid_t launching; /* the command until its execve, while it runs our own code; else 0 */
	uint64_t calls;	 /* of all programs, wanted or not, that records told of so far */

	/* What the kernel gives records of. */
	bool sees_operations;	   /* of operations of io_uring */
	bool sees_switches;	   /* of context switches */
	bool misses_begun;	   /* not of the call that a thread is in when it is attached */
	const char *const *events; /* names of the counted events, by their number in records */
	struct accounting accounting;
	struct tallies tallies;
	struct stacks *stacks; /* freed here; NULL: they are not recorded */

	/* Private. */
	struct pairing pairing;
	struct pairing_thread *dying; /* thread whose last calls `pairing` emits now; or NULL */
	struct map unwanted;	      /* pids of processes of other programs */
	struct map leaders; /* pid -> exit status of a first thread that ended before others */
	struct map missing; /* tid -> pid of threads that follower_bury() did not find last time */
	struct map running; /* tid -> whether its last switch was to a CPU */
	struct fd_descriptions descriptions;
	struct {
		uint32_t tid;
		uint64_t time;
	} counted; /* the last reading of counters */
	struct {
		uint64_t lost, time; /* of the last record: losses so far, ns */
		uint64_t unseen;     /* switches of all CPUs that were unseen by then */
	} * cpus;
	size_t ncpus;
};

/* Returns the thread of a record, which is added if it is new, or NULL if its program is not
 * wanted.
 */
struct pairing_thread *follower_thread(struct follower *v, const struct record *r);
/* Converts a time of CLOCK_MONOTONIC to a time of the trace; both in ns. */
int64_t follower_time(const struct follower *v, uint64_t ns);
/* Returns an event that has the type and the thread and time of a record, and nothing else. */
struct event follower_event(const struct follower *v, const struct record *r, enum event_type type);

/* Makes *v follow nothing yet.  The sink and the names stay the caller's; ncpus is above the number
 * of any CPU. */
void follower_begin(struct follower *v, struct sink *sink, const char *const *only, size_t nonly,
		    size_t ncpus);
/* Follows the command, process pid, which has not called execve yet. */
void follower_launch(struct follower *v, pid_t pid);
/* Returns whether that thread is followed, or its process is known to be unwanted. */
bool follower_knows(const struct follower *v, pid_t pid, pid_t tid);
/* Returns whether the program of process pid is wanted, as far as is known. */
bool follower_wants(const struct follower *v, pid_t pid);
/* Follows thread tid of process pid, which existed before the recording, if its program is wanted.
 * The first thread of a process must come first. */
void follower_attach(struct follower *v, pid_t pid, pid_t tid);
/* Learns from a record what those threads of its process used that had ended before the recording.
 */
void follower_past(struct follower *v, const struct record_exit *r);
/* Takes how often a thread that is alive at the end woke others: its usage has nothing else.  Call
 * it for each before follower_end(). */
void follower_woke(struct follower *v, const struct record_exit *r);
/* Stores the events that a record stands for. */
void follower_handle(struct follower *v, const struct record *r);
/* Returns the number of threads, and of unwanted processes, that may be alive. */
size_t follower_alive(const struct follower *v);
/* Forgets the threads and processes that do not exist now and did not at the last call either. Call
 * it now and then when no records come, since that of a death may be lost. */
void follower_bury(struct follower *v);
/* Stores the calls of all threads that were only counted so far.  more: they are counted further.
 */
void follower_store_counted(struct follower *v, bool more);
/* Passes the calls that are known not to have ended to `take`, with arg; see pairing_show_open().
 */
void follower_show_open(const struct follower *v, pairing_emit *take, void *arg);
/* Ends the calls of all threads, stores what living processes used, and frees everything except the
 * sink. */
void follower_end(struct follower *v);

#endif
