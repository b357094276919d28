/* SPDX-License-Identifier: MIT */
/*
 * ctf.h - the reader of CTF 1.8 as LTTng writes it for the Linux kernel: ctf_metadata.c parses the
 * description of the trace, ctf_stream.c its files, ctf.c merges them by time, ctf_events.c makes
 * events of what LTTng's instrumentation says.
 *
 * Without a context tid an event is about the thread that runs on its CPU, which is known from the
 * first sched_switch there on.
 */
#ifndef CTF_H
#define CTF_H

#include "trace/format.h"
#include "trace/format/ctf/ctf_stream.h"
#include "trace/kernel.h"
#include "trace/reorder.h"

/* Fields that mean something here. */
enum ctf_known {
	CTF_RET,
	CTF_TID,
	CTF_VTID,
	CTF_PID,
	CTF_VPID,
	CTF_PPID,
	CTF_NAME,
	CTF_COMM,
	CTF_FILENAME,
	CTF_PATHNAME,
	CTF_PREV_TID,
	CTF_PREV_STATE,
	CTF_PREV_COMM,
	CTF_NEXT_TID,
	CTF_NEXT_COMM,
	CTF_TARGET_CPU,
	CTF_PARENT_TID,
	CTF_PARENT_PID,
	CTF_CHILD_TID,
	CTF_CHILD_PID,
	CTF_VEC,
	CTF_IRQ,
	CTF_FD,
	CTF_FILDES,
	CTF_ARGS,
	CTF_ID,
	CTF_ADDRESS,
	CTF_ERROR_CODE,
	CTF_FILES,
	CTF_KNOWN,
};

struct ctf {
	struct ctf_metadata m;
	unsigned name[CTF_KNOWN];
	VEC(struct ctf_stream *) streams;
	struct reorder waiting; /* streams by the time of their next event */
	struct ctf_stream *current;
	bool ended;
	struct kernel kernel;
	struct map files; /* address of a table of descriptors -> pid, as of the start */
	bool begun;
	uint64_t origin; /* ns of the first event */
};

/* ns on the clock of the trace. */
int64_t ctf_time(const struct ctf *k, uint64_t ticks);
/* Gives every kind of event its meaning; k->m is set. */
void ctf_begin(struct ctf *k);
/* Puts the events that the event at hand in s means into the queue. */
void ctf_take(struct ctf *k, struct ctf_stream *s);
/* The same for what is missing in front of the packet at hand. */
void ctf_take_packet(struct ctf *k, const struct ctf_stream *s);

/* ---- for ctf_events.c and ctf_calls.c ---- */

/* A field of the event at hand: NULL, 0, NULL if there is none.  The text lives as long as the
 * queue. */
const struct ctf_value *ctf_known_field(const struct ctf *k, const struct ctf_stream *s,
					enum ctf_known name);
int64_t ctf_number(const struct ctf *k, const struct ctf_stream *s, enum ctf_known name);
const char *ctf_text(struct ctf *k, const struct ctf_value *v);
/* The thread that the event at hand is about; 0: the idle loop, or unknown. */
uint32_t ctf_tid_of(struct ctf *k, const struct ctf_stream *s);

/* A call begins, or ends. */
void ctf_take_entry(struct ctf *k, const struct ctf_stream *s);
void ctf_take_exit(struct ctf *k, const struct ctf_stream *s);

#endif
