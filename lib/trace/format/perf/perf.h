/* SPDX-License-Identifier: MIT */
/*
 * perf.h - the readers of what perf(1) writes: perf_data.c reads perf.data, whose records
 * perf_record.c takes apart and whose tracepoints perf_format.c describes; perf_text.c reads the
 * output of perf script.  Both fill in samples, of which perf_events.c makes events.
 */
#ifndef PERF_H
#define PERF_H

#include <linux/perf_event.h>

#include "trace/format.h"
#include "trace/kernel.h"

/* ---- perf_events.c ---- */

/* Fields of tracepoints that mean something here. */
enum perf_field {
	PERF_ID,
	PERF_RET,
	PERF_PREV_PID,
	PERF_PREV_STATE,
	PERF_PREV_COMM,
	PERF_NEXT_PID,
	PERF_NEXT_COMM,
	PERF_COMM,
	PERF_PID,
	PERF_TARGET_CPU,
	PERF_PARENT_PID,
	PERF_CHILD_PID,
	PERF_FILENAME,
	PERF_IRQ,
	PERF_VEC,
	PERF_ADDRESS,
	PERF_ERROR_CODE,
	PERF_FIELDS
};

/* The field of that name of n bytes, or PERF_FIELDS. */
enum perf_field perf_field_named(const char *name, size_t n);

/* What a tracepoint means. */
struct perf_meaning {
	unsigned number; /* 0: nothing here */
	unsigned call;	 /* of one that is about one system call; else UINT32_MAX */
};

/* The meaning of "system:name". */
struct perf_meaning perf_meaning_of(const char *name);

/* A pass of a tracepoint. */
struct perf_sample {
	uint32_t pid; /* 0: unknown */
	uint32_t tid, cpu;
	uint64_t time; /* ns on perf's clock; 0: unknown */
	struct perf_meaning meaning;
	enum wake_context context; /* that it was in, if that is known */
	uint32_t has;		   /* 1 << field: it has these */
	struct {
		int64_t number;
		const char *text; /* n bytes, or NULL */
		size_t n;
	} value[PERF_FIELDS];
	uint64_t args[6]; /* of a call */
};

struct perf {
	struct kernel kernel;
	enum abi abi; /* of the calls' numbers */
	bool begun, sees_switches, sees_exits, knows_births;
	uint64_t origin; /* ns of the first sample */
};

/* The ABI of a machine as uname(2) calls it; ABI_OTHER: one whose calls have no names here. */
enum abi perf_abi(const char *machine);
/* Goes to that time. */
void perf_go_to(struct perf *p, uint64_t time);
/* The kernel had no room for so many records (0: an unknown number) up to that time. */
void perf_lose(struct perf *p, uint64_t count, uint64_t time);
/* Puts the events of a sample into the queue. */
void perf_take(struct perf *p, const struct perf_sample *s);

/* ---- perf_format.c ---- */

/* How the samples of a tracepoint look. */
struct perf_format {
	struct perf_meaning meaning;
	bool switches, execs, exits;
	struct perf_place {
		uint16_t at, bytes;
		uint8_t field; /* PERF_FIELDS: the next of a call's arguments */
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
		       struct perf_sample *out);
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
