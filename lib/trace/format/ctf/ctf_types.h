/* SPDX-License-Identifier: MIT */
/*
 * ctf_types.h - parses the metadata of a CTF 1.8 trace: types, and what is written in them.
 *
 * It reads as much of the language TSDL as LTTng and babeltrace write: integers, floating-point
 * numbers, strings, enumerations, structures, variants, arrays, sequences, and names for them.
 */
#ifndef CTF_CTF_TYPES_H
#define CTF_CTF_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "trace/tracepoint.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/map.h"
#include "util/vec.h"

enum ctf_kind {
	CTF_INTEGER, /* also floating-point numbers, of which only the size is used */
	CTF_ENUM,
	CTF_STRING,
	CTF_STRUCT,
	CTF_VARIANT,
	CTF_ARRAY, /* its length is fixed, or the value of an earlier field */
};

/* Names are numbers of ctf_metadata.names: leading underscores, which escape keywords, are gone. */
struct ctf_member {
	unsigned name;
	const struct ctf_type *type;
	int64_t low, high; /* of an enumeration: the values that have this name */
};

struct ctf_type {
	enum ctf_kind kind;
	unsigned size, align; /* bits; only integers and enumerations have a size */
	bool is_signed, big, is_text, is_clock;
	unsigned tag; /* of a variant: the enumeration; of a sequence: the length */
	bool has_tag;
	uint64_t length; /* of an array */
	const struct ctf_type *element;
	struct ctf_member *members;
	size_t n;
};

struct ctf_event_class {
	uint64_t id, stream;
	const char *name;
	const struct ctf_type *context, *fields; /* or NULL */
	struct meaning meaning;			 /* for ctf_events.c */
};

struct ctf_stream_class {
	uint64_t id;
	const struct ctf_type *packet_context, *header, *context; /* or NULL */
};

struct ctf_metadata {
	struct arena arena;
	struct names names;		    /* of fields */
	struct names aliases;		    /* of types */
	VEC(const struct ctf_type *) types; /* by number in aliases */
	const struct ctf_type *packet_header;
	VEC(struct ctf_stream_class) streams;
	VEC(struct ctf_event_class) events;
	struct map by_id; /* stream << 32 | id -> number in events, plus 1 */
	unsigned id;	  /* the name of the field that says which event it is */
	bool big;
	uint64_t frequency; /* of the clock */
	uint64_t offset, offset_seconds;
	char clock_uuid[37], clock_name[32];
	char hostname[64], kernel[64], tracer[64];
};

/* Parses text[n], which must be followed by a NUL; `name` stands for it in messages.  Returns 0, or
 * -1 and sets *e, which names the line.  Free *m in both cases. */
int ctf_metadata_parse(struct ctf_metadata *m, const char *text, size_t n, const char *name,
		       struct error *e);
/* Frees everything. */
void ctf_metadata_free(struct ctf_metadata *m);
/* Returns the number of the name of a field, which is added if it is new. */
unsigned ctf_name(struct ctf_metadata *m, const char *name);

/* Returns the class of streams with that id, or NULL. */
static inline const struct ctf_stream_class *ctf_stream_class(const struct ctf_metadata *m,
							      uint64_t id)
{
	for (size_t i = 0; i < m->streams.n; i++)
		if (m->streams.v[i].id == id)
			return &m->streams.v[i];
	return NULL;
}

#endif
