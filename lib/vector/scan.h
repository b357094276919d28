/* SPDX-License-Identifier: MIT */
/*
 * scan.h - walks JSON text token by token, without a tree; private to skim.
 *
 * It knows the plain part of JSON: strings of ASCII, those that are kept without escapes, and
 * numbers that are not negative.  Anything else, right or wrong, is "odd", and the caller reads the
 * text another way; after that every function is harmless and what it returns means nothing.
 */
#ifndef SCAN_H
#define SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* A place in a text with a NUL at its end, which no token contains. */
struct scan {
	const char *p, *end;
	bool odd;
};

/* A string as it stands in the text; v NULL: null. */
struct scan_word {
	const char *v;
	size_t n;
};

/* Passes white space; the character behind it. */
static inline char scan_peek(struct scan *s)
{
	while (*s->p == ' ' || *s->p == '\n' || *s->p == '\t' || *s->p == '\r')
		s->p++;
	return *s->p;
}

/* Passes x, after white space, when it is next. */
static inline bool scan_accept(struct scan *s, char x)
{
	if (scan_peek(s) != x)
		return false;
	s->p++;
	return true;
}

static inline void scan_expect(struct scan *s, char x)
{
	if (!scan_accept(s, x))
		s->odd = true;
}

/*
 * Whether another element or member follows; passes the comma before it, or else the closing
 * bracket.  *first is true at the beginning.
 */
static inline bool scan_more(struct scan *s, char close, bool *first)
{
	char next = scan_peek(s);

	if (s->odd)
		return false;
	if (next == close || (!*first && next == ',')) {
		s->p++;
		return next == ',';
	}
	s->odd = !*first;
	*first = false;
	return !s->odd;
}

/* Passes text[n] when it is next as it stands. */
static inline bool scan_text(struct scan *s, const char *text, size_t n)
{
	if ((size_t)(s->end - s->p) < n || memcmp(s->p, text, n))
		return false;
	s->p += n;
	return true;
}

/* Passes null when it is next. */
bool scan_null(struct scan *s);
/* The string that is next, which stays in the text. */
struct scan_word scan_string(struct scan *s);
/* The same, or null. */
struct scan_word scan_string_or_null(struct scan *s);
/* Pass a string without keeping it. */
void scan_skip_string(struct scan *s);
void scan_skip_string_or_null(struct scan *s);
/* A string and the colon behind it. */
struct scan_word scan_key(struct scan *s);
/* The number, as strtod reads it; NaN when odd. */
double scan_number(struct scan *s);
/* Count the elements of an array, without reading them: of numbers above 0, of integers of at
 * most nine digits. */
size_t scan_count_positive(struct scan *s);
size_t scan_count_integers(struct scan *s);
/* Passes a value of any kind. */
void scan_skip(struct scan *s);

/* Is the word that text? */
bool scan_is(struct scan_word w, const char *text);
/* A copy that the caller frees; NULL for null. */
char *scan_copy(struct scan_word w);

#endif
