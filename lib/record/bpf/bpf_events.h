/* SPDX-License-Identifier: MIT */
/* bpf_events.h - turns the records of recorder.bpf.c, in order of time, into events in a sink. */
#ifndef BPF_EVENTS_H
#define BPF_EVENTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/bpf/bpf_descriptors.h"
#include "record/bpf/records.h"
#include "record/sink.h"
#include "trace/pairing.h"
#include "util/map.h"

/* What is known of the processes that are followed. */
struct bpf_events {
	struct sink *sink;
	const char *const *only; /* programs; see struct record_target */
	size_t nonly;
	pid_t launching; /* the command before its execve: what it does is our own code; or 0 */
	uint64_t calls;	 /* records of calls so far, of all programs */

	/* Private. */
	struct pairing pairing;
	bool dying;	     /* the calls that pairing gives are the last of a thread */
	struct map usage;    /* pid -> struct process_usage * */
	struct map unwanted; /* pids of processes of other programs */
	struct map leaders;  /* pid -> status of its first thread, which ended before others */
	struct bpf_descriptors descriptors;
	struct {
		uint64_t lost, time;
	} * cpus; /* what was last heard of each */
	size_t ncpus;
};

/* Starts with no process; the sink asks *v for descriptors from now on. */
void bpf_events_begin(struct bpf_events *v, struct sink *sink, const char *const *only,
		      size_t nonly, size_t ncpus);
/* The command, which has not called execve yet, is followed. */
void bpf_events_launch(struct bpf_events *v, pid_t pid);
/* Thread tid of process pid, which was there before, is followed; its process comes first. */
void bpf_events_attach(struct bpf_events *v, pid_t pid, pid_t tid);
/* What the threads of its process that had ended by then used. */
void bpf_events_past(struct bpf_events *v, const struct record_exit *r);
/* Stores the events that a record stands for. */
void bpf_events_handle(struct bpf_events *v, const struct record *r);
/* The number of threads, and of processes of other programs, that are not known to be dead. */
size_t bpf_events_alive(const struct bpf_events *v);
/* Forgets the threads and processes that are dead: to be called now and then when nothing happens,
 * since the record of a death may be lost. */
void bpf_events_bury(struct bpf_events *v);
/* The recording is over: ends the calls of all threads, stores what living processes used, and
 * frees all. */
void bpf_events_end(struct bpf_events *v);

#endif
