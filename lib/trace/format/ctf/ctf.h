/* SPDX-License-Identifier: MIT */
/*
 * ctf.h - the reader of CTF 1.8 as LTTng writes it for the Linux kernel: ctf_metadata.c parses the
 * description of the trace, ctf_stream.c its files, ctf.c merges them by time, ctf_events.c makes
 * hits of tracepoints of them, with the arguments of calls as ctf_calls.c finds them.
 *
 * Without a context tid an event is about the thread that runs on its CPU, which is known from the
 * first sched_switch there on.
 */
#ifndef CTF_CTF_H
#define CTF_CTF_H

#include "trace/format.h"
#include "trace/format/ctf/ctf_stream.h"
#include "trace/reorder.h"
#include "trace/tracepoint.h"

struct ctf {
	struct ctf_metadata m;
	uint8_t *field; /* enum field, by number in m.names */
	VEC(struct ctf_stream *) streams;
	struct reorder waiting; /* streams by the time of their next event */
	struct ctf_stream *current;
	bool ended;
	struct kernel kernel;
	bool begun;
	uint64_t origin; /* ns of the first event */
};

/* Converts ticks of the clock of the trace to ns. */
int64_t ctf_time(const struct ctf *k, uint64_t ticks);
/* Gives every kind of event its meaning, after k->m was set. */
void ctf_begin(struct ctf *k);
/* Puts the events that the event at hand in s stands for into the queue. */
void ctf_take(struct ctf *k, struct ctf_stream *s);
/* Puts an EVENT_LOST into the queue for what is missing in front of the packet at hand in s. */
void ctf_take_packet(struct ctf *k, const struct ctf_stream *s);

/* ---- for ctf_events.c and ctf_calls.c ---- */

/* Sets a field of the hit to a value. */
void ctf_take_value(struct tracepoint_hit *p, enum field field, const struct ctf_value *v);
/* Sets the arguments of the call that the event at hand in s enters. */
void ctf_take_arguments(const struct ctf *k, const struct ctf_stream *s, struct tracepoint_hit *p);

#endif
