/* SPDX-License-Identifier: MIT */
/*
 * field.h - checked reads of the members of a JSON document, with errors that name the place.
 *
 *	struct fields f = { .name = "app.json", .error = e };
 *	double units = field_number(&f, root, "units", 1, INFINITY);
 *	...
 *	if (f.failed) ...
 *
 * The first failure is kept and later reads are harmless, so a reader need not check each one.
 */
#ifndef FIELD_H
#define FIELD_H

#include <stdbool.h>
#include <stddef.h>

#include <jansson.h>

#include "util/error.h"

struct fields {
	const char *name; /* of the document, for messages */
	struct error *error;
	bool failed;
	char where[64]; /* "runs[0].items[3]", "" at the top */
};

/* Parses n bytes of text; NULL and f->failed when it is no JSON object of this schema.  The caller
 * drops the reference. */
json_t *fields_load(struct fields *f, const char *text, size_t n, const char *schema);
/* The same for a schema of which versions 1 ... newest can be read: "osvec-time" and 2; *version: which. */
json_t *fields_load_version(struct fields *f, const char *text, size_t n, const char *family,
			    unsigned newest, unsigned *version);
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

/* For writers: s as a JSON string, its bytes taken as Latin-1 when they are not UTF-8; NULL as null. */
json_t *json_text(const char *s);
/* v as an integer where it is one, null when NaN. */
json_t *json_double(double v);

#endif
