/* SPDX-License-Identifier: MIT */
/*
 * perf.h - reads what perf(1) writes: perf_data.c reads perf.data, whose records perf_record.c
 * takes apart and whose tracepoints perf_format.c describes; perf_text.c reads the output of perf
 * script. Both fill in hits of tracepoints, of which perf_events.c makes events.
 */
#ifndef PERF_PERF_H
#define PERF_PERF_H

#include <linux/perf_event.h>

#include "trace/format.h"
#include "trace/tracepoint.h"

/* ---- perf_events.c ---- */

struct perf {
	struct kernel kernel;
	bool begun;
	uint64_t origin; /* ns of the first sample */
};

/* Returns the ABI of a machine by the name that uname(2) gives it, or ABI_OTHER if the calls of
 * that machine have no names here. */
enum abi perf_abi(const char *machine);
/* Makes `time`, in ns on the clock of the trace, the time of what comes; 0: keeps the one before.
 */
void perf_go_to(struct perf *p, uint64_t time);
/* Reports that the kernel had no room for so many records, 0: an unknown number, up to that time.
 */
void perf_lose(struct perf *p, uint64_t count, uint64_t time);
/* Puts the events of a sample into the queue. */
void perf_take(struct perf *p, const struct tracepoint_hit *s);

/* ---- perf_format.c ---- */

/* How the samples of a tracepoint are laid out. */
struct perf_format {
	struct meaning meaning;
	bool switches, execs, exits;
	struct perf_place {
		uint16_t at, bytes;
		uint8_t field; /* FIELDS: the next of a call's arguments */
		bool is_signed, is_text;
		bool elsewhere; /* the place holds the offset of the text */
	} places[24];
	unsigned n;
};

struct perf_formats {
	bool swapped;	   /* not in the byte order of this machine */
	struct map number; /* of a tracepoint -> its place in v, plus 1 */
	VEC(struct perf_format) v;
};

/*
 * Parses data[n], the feature TRACING_DATA, as far as it reaches.  Formats without a meaning are
 * left out.
 */
void perf_formats_parse(struct perf_formats *f, const unsigned char *data, size_t n);
/* Sets in *out what raw[n] says, the data of a tracepoint.  Returns false if that means nothing
 * here. */
bool perf_formats_read(const struct perf_formats *f, const unsigned char *raw, size_t n,
		       struct tracepoint_hit *out);
/* Frees everything. */
void perf_formats_free(struct perf_formats *f);

/* ---- perf_record.c ---- */

/* The types of records that perf writes, besides those of the kernel. */
enum perf_type {
	PERF_ATTR = 64, /* the first of these */
	PERF_TRACING_DATA = 66,
	PERF_ROUND = 68,
	PERF_AUXTRACE = 71,
	PERF_FEATURE = 80,
	PERF_COMPRESSED = 81,
	PERF_COMPRESSED2 = 83,
};

enum { PERF_HEADER = 8 }; /* bytes of the header of a record */

struct perf_attr {
	bool tracepoint, stamps_all;
	uint64_t config, type, read; /* which tracepoint; sample_type; read_format */
	size_t before,
	    behind; /* bytes of a sample before its time; from the time of a stamp to its end */
};

struct perf_attrs {
	bool swapped;
	VEC(struct perf_attr) v;
	bool differ;	/* their types differ */
	struct map ids; /* id of an event -> place in v, plus 1 */
};

/* Adds the attribute whose n bytes are at p, with the ids of its events. */
void perf_attrs_add(struct perf_attrs *a, const unsigned char *p, size_t n,
		    const unsigned char *ids, size_t nids);
/* Frees everything. */
void perf_attrs_free(struct perf_attrs *a);

/* A record of `size` bytes taken apart. */
struct perf_record {
	unsigned type, misc;
	const unsigned char *body; /* n bytes behind the header */
	size_t n;
	uint32_t pid, tid, cpu;
	uint64_t time;
	const unsigned char *raw; /* of a sample: raw_n bytes; or NULL */
	size_t raw_n;
};

/* Returns when the record of `size` bytes at p was made, or 0 if that is unknown. */
uint64_t perf_time(const struct perf_attrs *a, const unsigned char *p, size_t size);
/* Takes the record of `size` bytes at p apart.  Returns false if it is not as its event says. */
bool perf_parse(const struct perf_attrs *a, const unsigned char *p, size_t size,
		struct perf_record *out);

#endif
