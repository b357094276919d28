/* SPDX-License-Identifier: MIT */
#include "vector/scan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum {
	SHORT = 18,	/* characters of a number whose mantissa fits 64 bits */
	FAR = 250,	/* a power of ten that a double holds with any short mantissa */
	DEEPEST = 64,	/* levels of nesting */
};

bool scan_null(struct scan *s)
{
	if (!scan_accept(s, 'n'))
		return false;
	if (strncmp(s->p, "ull", 3))
		s->odd = true;
	else
		s->p += 3;
	return true;
}

static bool is_visible(char x)
{
	return (unsigned char)(x - ' ') < 0x7f - ' ';
}

struct scan_word scan_string(struct scan *s)
{
	scan_expect(s, '"');
	const char *start = s->p, *p = start;
	while (is_visible(*p) && *p != '"' && *p != '\\')
		p++;
	if (*p != '"')
		s->odd = true;
	else
		s->p = p + 1;
	return (struct scan_word){ start, (size_t)(p - start) };
}

struct scan_word scan_string_or_null(struct scan *s)
{
	return scan_null(s) ? (struct scan_word){ 0 } : scan_string(s);
}

void scan_skip_string(struct scan *s)
{
	scan_expect(s, '"');
	const char *p = s->p;
	for (; is_visible(*p) && *p != '"'; p++)
		if (*p == '\\' && !(p[1] && strchr("\"\\/bfnrt", *++p)))
			break;
	if (*p != '"')
		s->odd = true;
	else
		s->p = p + 1;
}

void scan_skip_string_or_null(struct scan *s)
{
	if (!scan_null(s))
		scan_skip_string(s);
}

struct scan_word scan_key(struct scan *s)
{
	struct scan_word w = scan_string(s);

	scan_expect(s, ':');
	return w;
}

static unsigned digit(char c)
{
	return (unsigned)c - '0';
}

/* The first character from p on that is no digit.  *any: whether one of them is not 0. */
static inline const char *skip_digits(const char *p, unsigned *any)
{
	for (; digit(*p) < 10; p++)
		*any |= digit(*p);
	return p;
}

/* Passes a number that starts here; false when it is 0.  *exponent: the one written. */
static inline bool skip_number(struct scan *s, int *exponent)
{
	unsigned any = 0;
	const char *start = s->p, *p = skip_digits(start, &any);
	bool wrong = p == start || (p > start + 1 && *start == '0');

	*exponent = 0;
	if (*p == '.') {
		start = ++p;
		p = skip_digits(p, &any);
		wrong = wrong || p == start;
	}
	if (*p == 'e' || *p == 'E') {
		bool negative = *++p == '-';

		p += *p == '-' || *p == '+';
		start = p;
		for (; digit(*p) < 10 && p - start < 3; p++)
			*exponent = 10 * *exponent + (int)digit(*p);
		wrong = wrong || p == start;
		*exponent = negative ? -*exponent : *exponent;
	}
	s->odd = s->odd || wrong;
	s->p = p;
	return any;
}

double scan_number(struct scan *s)
{
	static const double power[] = { 1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };
	int exponent;
	uint64_t mantissa = 0;

	scan_peek(s);
	const char *start = s->p, *p = start;
	skip_number(s, &exponent);
	if (s->odd)
		return NAN;
	for (; digit(*p) < 10; p++)
		mantissa = 10 * mantissa + digit(*p);
	bool integer = p == s->p, fits = s->p - start <= SHORT;
	if (*p == '.')
		for (p++; digit(*p) < 10; p++, exponent--)
			mantissa = 10 * mantissa + digit(*p);
	/* Up to 2^53 and 10^22 the arithmetic rounds once and so is exact (Clinger 1990). */
	double v = !fits || mantissa > 1ull << 53 || abs(exponent) > 22 ? strtod(start, NULL) :
		   exponent < 0 ? (double)mantissa / power[-exponent] :
				  (double)mantissa * power[exponent];
	if (!isfinite(v) || (integer && !fits))
		s->odd = true;
	return v;
}

size_t scan_count_positive(struct scan *s)
{
	bool first = true;
	int exponent;
	size_t n = 0;

	scan_expect(s, '[');
	for (; scan_more(s, ']', &first); n++) {
		scan_peek(s);
		const char *start = s->p;
		bool positive = skip_number(s, &exponent);
		if (!positive || s->p - start > SHORT || abs(exponent) > FAR)
			s->odd = true;
	}
	return n;
}

size_t scan_count_integers(struct scan *s)
{
	bool first = true;
	size_t n = 0;

	scan_expect(s, '[');
	for (; scan_more(s, ']', &first); n++) {
		unsigned any = 0;

		scan_peek(s);
		const char *end = skip_digits(s->p, &any);
		if (end == s->p || end - s->p > 9 || (*s->p == '0' && end - s->p > 1))
			s->odd = true;
		s->p = end;
	}
	return n;
}

static bool skip_word(struct scan *s, const char *word)
{
	size_t n = strlen(word);

	if (strncmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static void skip_value(struct scan *s, int depth)
{
	bool first = true;

	char next = scan_peek(s);

	if (depth > DEEPEST) {
		s->odd = true;
	} else if (next == '"') {
		scan_skip_string(s);
	} else if (scan_accept(s, '{')) {
		while (scan_more(s, '}', &first)) {
			scan_key(s);
			skip_value(s, depth + 1);
		}
	} else if (scan_accept(s, '[')) {
		while (scan_more(s, ']', &first))
			skip_value(s, depth + 1);
	} else if (!skip_word(s, "true") && !skip_word(s, "false") && !skip_word(s, "null")) {
		scan_number(s);
	}
}

void scan_skip(struct scan *s)
{
	skip_value(s, 0);
}

/* Faster than strncmp for words as short as these. */
bool scan_is(struct scan_word w, const char *text)
{
	size_t i = 0;

	while (i < w.n && w.v[i] == text[i])
		i++;
	return i == w.n && !text[i];
}

char *scan_copy(struct scan_word w)
{
	return w.v ? xstrndup(w.v, w.n) : NULL;
}
