/* SPDX-License-Identifier: MIT */
#include "json/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

void fields_fail(struct fields *f, const char *key, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	if (f->failed)
		return;
	f->failed = true;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	error_set(f->error, "%s: %s%s%s%s%s", f->name, f->where, *f->where && *key ? "." : "", key,
		  *f->where || *key ? ": " : "", text);
}

/* False for a binary file, such as a trace. */
static bool is_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n && i < 16; i++)
		if ((unsigned char)text[i] < ' ' && !strchr("\t\n\r", text[i] ? text[i] : 'x'))
			return false;
	return true;
}

/* The version in found, when that is schema or an earlier version of it; else 0. */
static unsigned version_of(const char *found, const char *schema)
{
	const char *slash = strrchr(schema, '/');
	unsigned newest = (unsigned)strtoul(slash + 1, NULL, 10);
	char known[64];

	for (unsigned v = newest; v > 0; v--) {
		snprintf(known, sizeof(known), "%.*s/%u", (int)(slash - schema), schema, v);
		if (!strcmp(found, known))
			return v;
	}
	return 0;
}

bool fields_has_schema(struct fields *f, const json_t *root, const char *schema)
{
	const char *found = json_string_value(json_object_get(root, "schema"));

	f->version = found ? version_of(found, schema) : 0;
	return f->version;
}

json_t *fields_load(struct fields *f, const char *text, size_t n, const char *schema)
{
	json_error_t why;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);
	const char *found = json_string_value(json_object_get(root, "schema"));

	if (fields_has_schema(f, root, schema))
		return root;
	if (!root && !n)
		fields_fail(f, "", "is empty, not a file of schema %s", schema);
	else if (!root && !is_text(text, n))
		fields_fail(f, "", "is not text, and so not a file of schema %s", schema);
	else if (!root)
		fields_fail(f, "", "line %d: not JSON: %s", why.line, why.text);
	else if (!found)
		fields_fail(f, "", "no \"schema\" member: not a file of schema %s", schema);
	else
		fields_fail(f, "", "schema is '%.40s', this program reads '%s'", found, schema);
	json_decref(root);
	return NULL;
}

double field_maybe_number(struct fields *f, const json_t *o, const char *key, double low,
			  double high)
{
	const json_t *member = json_object_get(o, key);
	double v = json_number_value(member);

	if (!member || json_is_null(member))
		return NAN;
	if (json_is_number(member) && v >= low && v <= high && isfinite(v))
		return v;
	if (!json_is_number(member))
		fields_fail(f, key, "not a number");
	else
		fields_fail(f, key, "%g is outside %g ... %g", v, low, high);
	return NAN;
}

double field_number(struct fields *f, const json_t *o, const char *key, double low, double high)
{
	const json_t *member = json_object_get(o, key);

	if (!member || json_is_null(member))
		fields_fail(f, key, "missing");
	return field_maybe_number(f, o, key, low, high);
}

char *field_string(struct fields *f, const json_t *o, const char *key, bool required)
{
	const json_t *member = json_object_get(o, key);

	if (json_is_string(member))
		return xstrdup(json_string_value(member));
	if (member && !json_is_null(member))
		fields_fail(f, key, "not a string");
	else if (required)
		fields_fail(f, key, "missing");
	return NULL;
}

bool field_bool(struct fields *f, const json_t *o, const char *key)
{
	const json_t *member = json_object_get(o, key);

	if (member && !json_is_boolean(member))
		fields_fail(f, key, "neither true nor false");
	return json_is_true(member);
}

const json_t *field_array(struct fields *f, const json_t *o, const char *key, bool required)
{
	const json_t *member = json_object_get(o, key);

	if (json_is_array(member))
		return member;
	if (member || required)
		fields_fail(f, key, member ? "not an array" : "missing");
	return NULL;
}

const json_t *field_object(struct fields *f, const json_t *o, const char *key)
{
	const json_t *member = json_object_get(o, key);

	if (member && !json_is_object(member))
		fields_fail(f, key, "not an object");
	return json_is_object(member) ? member : NULL;
}

void fields_read(struct fields *f, const json_t *o, const struct field *table, void *into)
{
	for (; table->key; table++) {
		void *at = (char *)into + table->offset;
		double low = table->kind == FIELD_SIGNED ? -FIELD_MOST : 0;
		char *text;

		switch (table->kind) {
		case FIELD_NUMBER:
		case FIELD_SIGNED:
			*(double *)at = field_number(f, o, table->key, low, FIELD_MOST);
			break;
		case FIELD_MAYBE_NUMBER:
			*(double *)at = field_maybe_number(f, o, table->key, low, FIELD_MOST);
			break;
		case FIELD_TEXT:
		case FIELD_MAYBE_TEXT:
			text = field_string(f, o, table->key, table->kind == FIELD_TEXT);
			if (text) {
				free(*(char **)at);
				*(char **)at = text;
			}
			break;
		case FIELD_BOOL: *(bool *)at = field_bool(f, o, table->key); break;
		}
	}
}

void fields_write(json_t *o, const struct field *table, const void *from)
{
	for (; table->key; table++) {
		const void *at = (const char *)from + table->offset;
		json_t *value;

		if (table->kind == FIELD_TEXT || table->kind == FIELD_MAYBE_TEXT)
			value = json_text(*(char *const *)at);
		else if (table->kind == FIELD_BOOL)
			value = json_boolean(*(const bool *)at);
		else
			value = json_double(*(const double *)at);
		json_object_set_new(o, table->key, value);
	}
}

void fields_free(const struct field *table, void *of)
{
	for (; table->key; table++)
		if (table->kind == FIELD_TEXT || table->kind == FIELD_MAYBE_TEXT)
			free(*(char **)((char *)of + table->offset));
}

/* Each byte becomes the character of that number. */
static char *latin1_to_utf8(const char *s)
{
	char *out = xmalloc(2 * strlen(s) + 1), *p = out;

	for (; *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x80)
			*p++ = (char)(0xc0 | c >> 6);
		*p++ = (char)(c < 0x80 ? c : 0x80 | (c & 0x3f));
	}
	*p = '\0';
	return out;
}

json_t *json_text(const char *s)
{
	json_t *v = s ? json_string(s) : json_null();

	if (v)
		return v;
	char *utf8 = latin1_to_utf8(s);
	v = json_string(utf8);
	free(utf8);
	return v;
}

json_t *json_double(double v)
{
	if (!isfinite(v))
		return json_null(); /* JSON has no other word */
	if (v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_real(v);
}

/* ---- writing ---- */

struct writer {
	FILE *file;
	int digits;
	unsigned depth; /* of what is written in several lines */
};

static bool holds_object(const json_t *v)
{
	for (size_t i = 0; i < json_array_size(v); i++)
		if (json_is_object(json_array_get(v, i)) || holds_object(json_array_get(v, i)))
			return true;
	for (void *at = json_object_iter((json_t *)v); at;
	     at = json_object_iter_next((json_t *)v, at))
		if (json_is_object(json_object_iter_value(at)) ||
		    holds_object(json_object_iter_value(at)))
			return true;
	return false;
}

/* Whether the elements are arrays that begin with a string: the rows of a table. */
static bool holds_rows(const json_t *array)
{
	return json_is_string(json_array_get(json_array_get(array, 0), 0));
}

static void put_real(const struct writer *w, double v)
{
	char text[40];
	int digits = w->digits < 15 ? w->digits : 15;

	do
		snprintf(text, sizeof(text), "%.*g", digits, v);
	while (strtod(text, NULL) != v && digits++ < w->digits);
	fputs(text, w->file);
}

/* What stands before a member and before the closing bracket. */
static void separate(const struct writer *w, bool comma, bool lines)
{
	if (comma)
		fputs(lines ? "," : ", ", w->file);
	if (lines)
		fprintf(w->file, "\n%*s", (int)w->depth, "");
}

static void put(struct writer *w, const json_t *v, bool in_array);

static void put_array(struct writer *w, const json_t *array)
{
	bool lines = holds_object(array) || holds_rows(array);

	putc('[', w->file);
	w->depth++;
	for (size_t i = 0; i < json_array_size(array); i++) {
		separate(w, i > 0, lines);
		put(w, json_array_get(array, i), true);
	}
	w->depth--;
	separate(w, false, lines);
	putc(']', w->file);
}

static void put_object(struct writer *w, json_t *object, bool in_array)
{
	bool lines = json_object_size(object) && (!in_array || holds_object(object));
	bool comma = false;

	putc('{', w->file);
	w->depth++;
	for (void *at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		json_t *key = json_string(json_object_iter_key(at));

		separate(w, comma, lines);
		json_dumpf(key, w->file, JSON_ENCODE_ANY);
		fputs(": ", w->file);
		put(w, json_object_iter_value(at), false);
		json_decref(key);
		comma = true;
	}
	w->depth--;
	separate(w, false, lines);
	putc('}', w->file);
}

static void put(struct writer *w, const json_t *v, bool in_array)
{
	if (json_is_array(v))
		put_array(w, v);
	else if (json_is_object(v))
		put_object(w, (json_t *)v, in_array);
	else if (json_is_real(v))
		put_real(w, json_real_value(v));
	else
		json_dumpf(v, w->file, JSON_ENCODE_ANY);
}

char *json_format(const json_t *document, int digits)
{
	char *text = NULL;
	size_t n;
	struct writer w = { .file = open_memstream(&text, &n), .digits = digits };

	if (!w.file)
		return xstrdup("");
	put(&w, document, false);
	putc('\n', w.file);
	fclose(w.file);
	return text;
}
