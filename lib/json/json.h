/* SPDX-License-Identifier: MIT */
/*
 * json.h - reading and writing the JSON files of osvec, on top of jansson.
 *
 * Reads are checked, and errors name the place:
 *
 *	struct fields f = { .name = "app.json", .error = e };
 *	json_t *root = fields_load(&f, text, n, "osvec-application/1");
 *	double units = field_number(&f, root, "units", 1, INFINITY);
 *	...
 *	if (f.failed) ...
 *
 * The first failure is kept and later reads are harmless, so a reader need not check each one.
 */
#ifndef JSON_JSON_H
#define JSON_JSON_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "util/error.h"

struct fields {
	const char *name; /* of the document, for messages */
	struct error *error;
	bool failed;
	unsigned version; /* of the schema, set by fields_load() */
	char where[64];	  /* "runs[0].items[3]", "" at the top */
};

/* Parses n bytes of text that must be an object with a member "schema".  schema is the newest one
 * that the caller reads: "osvec-time/2" also accepts osvec-time/1.  The caller drops the reference;
 * NULL and f->failed when it is something else. */
json_t *fields_load(struct fields *f, const char *text, size_t n, const char *schema);
/* Whether root, which may be NULL, has such a schema; sets f->version, and is no failure. */
bool fields_has_schema(struct fields *f, const json_t *root, const char *schema);
/* Records the first failure: "app.json: runs[0].units: message". */
void fields_fail(struct fields *f, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* A number in [low, high]; NaN and a failure when it is missing or outside. */
double field_number(struct fields *f, const json_t *o, const char *key, double low, double high);
/* The same, but missing and null are NaN: "unknown". */
double field_maybe_number(struct fields *f, const json_t *o, const char *key, double low,
			  double high);
/* A copy of a string that the caller frees; missing or null: NULL, and a failure when required. */
char *field_string(struct fields *f, const json_t *o, const char *key, bool required);
/* false when missing. */
bool field_bool(struct fields *f, const json_t *o, const char *key);
/* An array, NULL when missing; a failure when it is something else or missing though required. */
const json_t *field_array(struct fields *f, const json_t *o, const char *key, bool required);
/* An object, or NULL when missing. */
const json_t *field_object(struct fields *f, const json_t *o, const char *key);

/*
 * Members of an object that are members of a struct: the same table reads and writes them.
 *
 *	static const struct field fields[] = { FIELD(TEXT, run, host), FIELD(NUMBER, run, user), { 0
 *} };
 */
struct field {
	const char *key; /* NULL ends the table */
	enum field_kind {
		FIELD_NUMBER,	    /* double, 0 ... FIELD_MOST */
		FIELD_SIGNED,	    /* double, -FIELD_MOST ... FIELD_MOST */
		FIELD_MAYBE_NUMBER, /* double, 0 ... FIELD_MOST; NaN: missing or null */
		FIELD_TEXT,	    /* char * */
		FIELD_MAYBE_TEXT,   /* char *; what was there stays when it is missing or null */
		FIELD_BOOL,	    /* bool; false when missing */
	} kind;
	size_t offset;
};
#define FIELD_AS(kind, type, member, key) \
	{ \
		key, FIELD_##kind, offsetof(struct type, member) \
	}
#define FIELD(kind, type, member) FIELD_AS(kind, type, member, #member)
#define FIELD_MOST 1e18 /* no count, number of bytes or time is larger */

/* Reads the members of table into a struct, whose texts must be NULL or on the heap. */
void fields_read(struct fields *f, const json_t *o, const struct field *table, void *into);
/* Adds them to an object. */
void fields_write(json_t *o, const struct field *table, const void *from);
/* Frees the texts. */
void fields_free(const struct field *table, void *of);

/* s as a JSON string, its bytes taken as Latin-1 when they are not UTF-8; NULL as null. */
json_t *json_text(const char *s);
/* v as an integer where it is one, null when it is not finite. */
json_t *json_double(double v);

/*
 * The document as text that people can read and grep and diff can work on: one member a line, but
 * arrays of numbers, and rows (objects in an array that hold no object, arrays that begin with a
 * string) on a line of their own.
 * Numbers have the fewest digits that read back the same, and at most that many (17: exact).  The
 * caller frees.
 */
char *json_format(const json_t *document, int digits);

#endif
