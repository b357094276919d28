/* SPDX-License-Identifier: MIT */
#include "json/rows.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The text ends with a NUL, which no token contains: it stops every scan. */
struct scan {
	const char *p, *end;
	struct rows *rows;
};

static char next(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
		s->p++;
	return *s->p;
}

static bool take(struct scan *s, char c)
{
	if (next(s) != c)
		return false;
	s->p++;
	return true;
}

static bool take_null(struct scan *s)
{
	if (strncmp(s->p, "null", 4) != 0)
		return false;
	s->p += 4;
	return true;
}

/* A string without escapes, of ASCII alone. */
static bool take_plain_text(struct scan *s, struct cell *c)
{
	const char *from = s->p + 1, *p = from;

	while (*p >= ' ' && *p < '\x7f' && *p != '"' && *p != '\\')
		p++;
	if (*p != '"')
		return false;
	*c = (struct cell){ .kind = CELL_TEXT, .text = from, .n = (uint32_t)(p - from) };
	s->p = p + 1;
	return true;
}

/* Any value, by jansson but for plain strings. */
static json_t *take_value(struct scan *s)
{
	const size_t flags = JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK | JSON_REJECT_DUPLICATES;
	json_error_t read;
	struct cell c;

	if (next(s) == '"' && take_plain_text(s, &c))
		return json_stringn_nocheck(c.text, c.n);
	json_t *v = json_loadb(s->p, (size_t)(s->end - s->p), flags, &read);
	if (v)
		s->p += read.position;
	return v;
}

/* An array of such strings. */
static bool take_plain_words(struct scan *s, struct cell *c)
{
	struct scan words = { s->p + 1, s->end, NULL };

	if (!take(&words, ']')) {
		do
			if (next(&words) != '"' || !take_plain_text(&words, c))
				return false;
		while (take(&words, ','));
		if (!take(&words, ']'))
			return false;
	}
	*c = (struct cell){ .kind = CELL_WORDS, .text = s->p };
	c->n = (uint32_t)(words.p - s->p);
	s->p = words.p;
	return true;
}

/* Digits at p; returns what follows them. */
static const char *take_digits(const char *p, uint64_t *v)
{
	for (; *p >= '0' && *p <= '9'; p++)
		*v = 10 * *v + (uint64_t)(*p - '0');
	return p;
}

/*
 * A number of so few digits that they do not overflow.  Up to 2^53 they and a power of ten up to 22
 * are exact, and so their quotient or product is what strtod() would return (Clinger 1990).
 */
static bool take_plain_number(struct scan *s, struct cell *c)
{
	static const double powers[] = { 1e0,  1e1,  1e2,  1e3,	 1e4,  1e5,  1e6,  1e7,
					 1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	enum { LONGEST = 19, LONGEST_POWER = 3 };
	const bool minus = *s->p == '-';
	const char *first = s->p + minus, *p;
	uint64_t digits = 0, power = 0;
	int exponent = 0;

	p = take_digits(first, &digits);
	if (p == first || (*first == '0' && p > first + 1))
		return false;
	if (*p == '.') {
		const char *fraction = p + 1;

		p = take_digits(fraction, &digits);
		exponent = (int)(fraction - p);
		if (!exponent)
			return false;
	}
	if (p > first + LONGEST || digits > 1ULL << 53)
		return false;
	if (*p == 'e' || *p == 'E') {
		const char sign = p[1];
		const char *from = p + 1 + (sign == '-' || sign == '+');

		p = take_digits(from, &power);
		if (p == from || p > from + LONGEST_POWER)
			return false;
		exponent += sign == '-' ? -(int)power : (int)power;
	}
	if (abs(exponent) > 22)
		return false;
	double v = (double)digits;
	v = exponent < 0 ? v / powers[-exponent] : v * powers[exponent];
	*c = (struct cell){ .kind = CELL_NUMBER, .number = minus ? -v : v };
	s->p = p;
	return true;
}

struct cell rows_cell(json_t *v)
{
	if (!v || json_is_null(v))
		return (struct cell){ .kind = CELL_NONE };
	if (json_is_number(v))
		return (struct cell){ .kind = CELL_NUMBER, .number = json_number_value(v) };
	if (json_is_string(v))
		return (struct cell){ .kind = CELL_TEXT,
				      .text = json_string_value(v),
				      .n = (uint32_t)json_string_length(v) };
	return (struct cell){ .kind = CELL_OTHER, .json = v };
}

static bool take_cell(struct scan *s)
{
	const char first = next(s);
	struct cell c = { 0 };
	bool plain = first == '"'   ? take_plain_text(s, &c)
		     : first == 'n' ? take_null(s)
		     : first == '[' ? take_plain_words(s, &c)
				    : take_plain_number(s, &c);

	if (!plain) {
		json_t *v = take_value(s);

		if (!v)
			return false;
		vec_push(&s->rows->values, v);
		c = rows_cell(v);
	}
	vec_push(&s->rows->cells, c);
	return true;
}

static bool take_row(struct scan *s)
{
	struct row row = { .first = s->rows->cells.n };

	if (!take(s, '[')) {
		row.other = take_value(s);
		if (!row.other)
			return false;
	} else if (!take(s, ']')) {
		do
			if (!take_cell(s))
				return false;
		while (take(s, ','));
		if (!take(s, ']'))
			return false;
	}
	row.n = s->rows->cells.n - row.first;
	vec_push(&s->rows->v, row);
	return true;
}

static bool take_rows(struct scan *s)
{
	take(s, '[');
	if (take(s, ']'))
		return true;
	do
		if (!take_row(s))
			return false;
	while (take(s, ','));
	return take(s, ']');
}

/* A member of the object top. */
static bool take_member(struct scan *s, json_t *top, const char *key)
{
	json_t *name = next(s) == '"' ? take_value(s) : NULL, *value = NULL;
	const char *word = json_string_value(name);

	if (word && !json_object_get(top, word) && take(s, ':')) {
		if (strcmp(word, key) || next(s) != '[')
			value = take_value(s);
		else if (take_rows(s))
			value = json_array();
	}
	bool done = value && !json_object_set_new(top, word, value);
	json_decref(name);
	return done;
}

json_t *rows_load(struct rows *r, const char *text, size_t n, const char *key)
{
	struct scan s = { text, text + n, r };
	json_t *top = json_object();
	bool good = n <= UINT32_MAX && take(&s, '{');

	if (good && !take(&s, '}')) {
		do
			good = take_member(&s, top, key);
		while (good && take(&s, ','));
		good = good && take(&s, '}');
	}
	if (good && !next(&s) && s.p == s.end)
		return top;
	json_decref(top);
	return NULL;
}

void rows_free(struct rows *r)
{
	for (size_t i = 0; i < r->values.n; i++)
		json_decref(r->values.v[i]);
	for (size_t i = 0; i < r->v.n; i++)
		json_decref(r->v.v[i].other);
	vec_free(&r->values);
	vec_free(&r->cells);
	vec_free(&r->v);
}
