/* SPDX-License-Identifier: MIT */
/*
 * text.h - a string that grows, for what is printed millions of times: several times faster than
 * stdio.
 */
#ifndef TEXT_H
#define TEXT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "util/vec.h"

/* Zeroed is valid and empty; v[n] is NUL once something was put. */
struct text {
	char *v;
	size_t n, cap;
};

/* Puts n bytes, or a string, behind what there is. */
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

/* A number in that base, 8, 10 or 16, without a prefix. */
void text_put_number(struct text *t, uint64_t v, unsigned base);
/* A signed decimal number. */
void text_put_signed(struct text *t, int64_t v);
/* Nanoseconds as microseconds: "-1.500". */
void text_put_micro(struct text *t, int64_t ns);
/* Returns the memory; empty and usable again. */
void text_free(struct text *t);

/* Puts a '?' for each control character of s, which would reach the terminal, and returns s. */
char *text_make_printable(char *s);

#endif
