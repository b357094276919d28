/* SPDX-License-Identifier: MIT */
/*
 * ctf_stream.h - reads one file of a CTF trace: packets, and the events in them.
 *
 * A packet is read as a whole, so that memory depends on the number of files and the size of
 * packets.  A packet that cannot be read is skipped by its size; if that is damaged, too, the file
 * ends there.
 */
#ifndef CTF_CTF_STREAM_H
#define CTF_CTF_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/format.h"
#include "trace/format/ctf/ctf_types.h"

enum {
	CTF_VALUES = 256,	    /* fields of an event that are kept; further ones are skipped */
	CTF_ELEMENTS = 6,	    /* of an array that are kept, behind its own value */
	CTF_PACKET_MAX = 256 << 20, /* bytes */
};

/* A field of the event at hand. */
struct ctf_value {
	unsigned name;
	const struct ctf_type *type;
	uint64_t number;  /* the value; of an array the number of its elements */
	const char *text; /* of a string or an array of characters, or NULL */
	size_t length;	  /* of text, without a NUL */
};

/* What the headers of packets say; fields that they lack are 0. */
struct ctf_packet {
	uint64_t begin, end; /* ticks of the clock */
	uint64_t discarded;  /* events, up to the end of the packet, since tracing began */
	uint64_t sequence;
	bool has_sequence;
	uint32_t cpu;
};

struct ctf_stream {
	const struct ctf_metadata *m;
	char *file; /* its name in the folder */
	int fd;
	size_t index;	       /* of the file among those of the trace */
	uint64_t offset, size; /* bytes: of the packet at hand, of the file */
	const struct ctf_stream_class *class;
	unsigned char *data; /* the packet at hand, and INPUT_PAD */
	size_t cap;
	uint64_t at, limit; /* bits: the next event, the end of events */
	uint64_t budget;    /* steps that are left, so that fields without a size end */
	uint64_t length;    /* bytes of the packet at hand */
	uint64_t now;	    /* ticks */
	struct ctf_packet packet, before;
	uint64_t packets; /* read so far */
	struct ctf_value values[CTF_VALUES];
	size_t n, context, own; /* of values; the first of the contexts, and of the event itself */
	const struct ctf_event_class *event;
};

/* What ctf_stream_next() found. */
enum ctf_step {
	CTF_END = 0,   /* the end of the file */
	CTF_EVENT = 1, /* the fields of *event are in values */
	CTF_PACKET =
	    2, /* the first event of a packet comes next; `before` is the packet before it */
};

/* Goes on to the next event or packet, and counts in *losses what is damaged.  Returns an enum
 * ctf_step, or -1 and sets *e if the file cannot be read. */
int ctf_stream_next(struct ctf_stream *s, struct source_losses *losses, struct error *e);

#endif
