/* SPDX-License-Identifier: MIT */
/* text.h - a growing string, for output of millions of small parts: several times as fast as
 * stdio. */
#ifndef UTIL_TEXT_H
#define UTIL_TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

/* A zeroed struct is valid and empty; v[n] is NUL as soon as something was appended. */
struct text {
	char *v;
	size_t n, cap;
};

/* Append n bytes, or a string. */
static inline void text_put_n(struct text *t, const char *s, size_t n)
{
	vec_reserve(t, n + 1);
	memcpy(t->v + t->n, s, n);
	t->n += n;
	t->v[t->n] = '\0';
}

static inline void text_put(struct text *t, const char *s)
{
	text_put_n(t, s, strlen(s));
}

/* Appends a number in base 8, 10 or 16, without a prefix. */
void text_put_number(struct text *t, uint64_t v, unsigned base);
/* Appends a signed decimal number. */
void text_put_signed(struct text *t, int64_t v);
/* Appends s as a JSON string of ASCII characters alone.  What is not UTF-8 is taken as Latin-1, so
 * that any file name is valid. */
void text_put_json(struct text *t, const char *s);
/* Appends nanoseconds as microseconds: "-1.500". */
void text_put_micro(struct text *t, int64_t ns);
/* Frees the memory; empty and usable again. */
void text_free(struct text *t);

/* Replaces each control character of s, which could affect a terminal, by '?' and returns s. */
char *text_make_printable(char *s);
/* The next line of *text without its end, LF or CR LF, and NULL after the last one; moves *text
 * behind it, as strsep(). */
char *text_line(char **text);

#endif
