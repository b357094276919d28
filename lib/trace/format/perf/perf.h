/* SPDX-License-Identifier: MIT */
/*
 * perf.h - the readers of what perf(1) writes: perf_data.c reads perf.data, whose records
 * perf_record.c takes apart and whose tracepoints perf_format.c describes; perf_text.c reads the
 * output of perf script.  Both fill in passes of tracepoints, of which perf_events.c makes events.
 */
#ifndef PERF_H
#define PERF_H

#include <linux/perf_event.h>

#include "trace/format.h"
#include "trace/tracepoint.h"

/* ---- perf_events.c ---- */

struct perf {
	struct kernel kernel;
	bool begun;
	uint64_t origin; /* ns of the first sample */
};

/* The ABI of a machine as uname(2) calls it; ABI_OTHER: one whose calls have no names here. */
enum abi perf_abi(const char *machine);
/* Goes to that time. */
void perf_go_to(struct perf *p, uint64_t time);
/* The kernel had no room for so many records (0: an unknown number) up to that time. */
void perf_lose(struct perf *p, uint64_t count, uint64_t time);
/* Puts the events of a sample into the queue. */
void perf_take(struct perf *p, const struct pass *s);

/* ---- perf_format.c ---- */

/* How the samples of a tracepoint look. */
struct perf_format {
	struct meaning meaning;
	bool switches, execs, exits;
	struct perf_place {
		uint16_t at, bytes;
		uint8_t field; /* FIELDS: the next of a call's arguments */
		bool is_signed, is_text;
		bool elsewhere; /* the place has the offset of the text */
	} places[24];
	unsigned n;
};

struct perf_formats {
	bool swapped;	   /* against this machine */
	struct map number; /* of a tracepoint -> its place in v, plus 1 */
	VEC(struct perf_format) v;
};

/*
 * Parses data[n], the feature TRACING_DATA, as far as it reaches.  The formats without a meaning
 * are left out.
 */
void perf_formats_parse(struct perf_formats *f, const unsigned char *data, size_t n);
/* Fills in what raw[n] says, which is the data of a tracepoint; false: nothing of interest. */
bool perf_formats_read(const struct perf_formats *f, const unsigned char *raw, size_t n,
		       struct pass *out);
/* Returns all memory. */
void perf_formats_free(struct perf_formats *f);

/* ---- perf_record.c ---- */

/* Those that perf writes, besides the kernel's. */
enum perf_type {
	PERF_ATTR = 64, /* the first of them */
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
	size_t before, behind; /* bytes of a sample before its time; of a stamp from its time on */
};

struct perf_attrs {
	bool swapped;
	VEC(struct perf_attr) v;
	bool differ;	/* their types do */
	struct map ids; /* of events -> place in v, plus 1 */
};

/* Adds one, whose n bytes are at p, with the ids of its events. */
void perf_attrs_add(struct perf_attrs *a, const unsigned char *p, size_t n,
		    const unsigned char *ids, size_t nids);
/* Returns all memory. */
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

/* When the record of `size` bytes at p was made; 0: unknown. */
uint64_t perf_time(const struct perf_attrs *a, const unsigned char *p, size_t size);
/* Takes the record of `size` bytes at p apart; false: it is not as its event says. */
bool perf_parse(const struct perf_attrs *a, const unsigned char *p, size_t size,
		struct perf_record *out);

#endif
