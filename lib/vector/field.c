/* SPDX-License-Identifier: MIT */
#include "vector/field.h"

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

/* Whether it begins as no binary file does, such as a trace. */
static bool is_text(const char *text, size_t n)
{
	for (size_t i = 0; i < n && i < 16; i++)
		if ((unsigned char)text[i] < ' ' && !strchr("\t\n\r", text[i] ? text[i] : 'x'))
			return false;
	return true;
}

/* The document and its schema; NULL when there is none. */
static json_t *load(struct fields *f, const char *text, size_t n, const char *schema,
		    const char **found)
{
	json_error_t why;
	json_t *root = json_loadb(text, n, JSON_REJECT_DUPLICATES, &why);

	if (!root && !n)
		fields_fail(f, "", "is empty, not a file of schema %s", schema);
	else if (!root && !is_text(text, n))
		fields_fail(f, "", "is no text, and so not a file of schema %s", schema);
	else if (!root)
		fields_fail(f, "", "line %d: no JSON: %s", why.line, why.text);
	if (!root)
		return NULL;
	*found = json_string_value(json_object_get(root, "schema"));
	if (*found)
		return root;
	fields_fail(f, "", "no \"schema\" member: not a file of schema %s", schema);
	json_decref(root);
	return NULL;
}

static json_t *refuse(struct fields *f, json_t *root, const char *found, const char *schema)
{
	fields_fail(f, "", "schema is '%.40s', this program reads '%s'", found, schema);
	json_decref(root);
	return NULL;
}

json_t *fields_load(struct fields *f, const char *text, size_t n, const char *schema)
{
	const char *found;
	json_t *root = load(f, text, n, schema, &found);

	return !root || !strcmp(found, schema) ? root : refuse(f, root, found, schema);
}

json_t *fields_load_version(struct fields *f, const char *text, size_t n, const char *family,
			    unsigned newest, unsigned *version)
{
	const char *found;
	char schema[64];
	json_t *root = load(f, text, n, family, &found);

	for (*version = 1; root && *version <= newest; ++*version) {
		snprintf(schema, sizeof(schema), "%s/%u", family, *version);
		if (!strcmp(found, schema))
			return root;
	}
	return root ? refuse(f, root, found, schema) : NULL;
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
	if (isnan(v))
		return json_null();
	if (v == floor(v) && fabs(v) < 9e15)
		return json_integer((json_int_t)v);
	return json_real(v);
}
