/* SPDX-License-Identifier: MIT */
#include "vector/scan.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

enum {
	SHORT = 18,   /* characters of a number whose mantissa fits 64 bits */
	FAR = 250,    /* a power of ten that a double holds with any short mantissa */
	DEEPEST = 64, /* levels of nesting */
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

/* Appends the eight digits at p, or as many as there are, to *mantissa; how many. */
static inline unsigned take_eight(const char *p, uint64_t *mantissa)
{
	static const uint32_t power[] = { 1,	  10,	   100,	     1000,     10000,
					  100000, 1000000, 10000000, 100000000 };
	unsigned n = 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	uint64_t x;

	memcpy(&x, p, sizeof(x));
	x ^= 0x3030303030303030u; /* a digit is now its value, anything else is above 9 */
	uint64_t others = ((x + 0x7676767676767676u) | x) & 0x8080808080808080u;
	n = others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
	if (!n)
		return 0;
	x <<= 64 - 8 * n;      /* zeros in front; the last digit is the highest byte */
	x = 10 * x + (x >> 8); /* pairs, then fours, then all */
	x = (x & 0x000000ff000000ffu) * (1000000ull << 32 | 100) +
	    (x >> 16 & 0x000000ff000000ffu) * (10000ull << 32 | 1);
	*mantissa = *mantissa * power[n] + (x >> 32);
#else
	for (; n < 8 && digit(p[n]) < 10; n++)
		*mantissa = 10 * *mantissa + digit(p[n]);
#endif
	return n;
}

/* Appends the digits from p on to *mantissa; the first character that is none. */
static inline const char *take_digits(const char *p, const char *end, uint64_t *mantissa)
{
	while (end - p >= 8) {
		unsigned n = take_eight(p, mantissa);

		p += n;
		if (n < 8)
			return p;
	}
	for (; digit(*p) < 10; p++)
		*mantissa = 10 * *mantissa + digit(*p);
	return p;
}

/* A number is mantissa times ten to the exponent; the mantissa only when it is short. */
struct decimal {
	uint64_t mantissa;
	int exponent, written; /* all in all; behind an e */
	bool is_short, is_integer;
};

/* Passes a number that starts here.  Half of a vector's file is numbers: a call for each shows. */
static inline __attribute__((always_inline)) struct decimal pass_number(struct scan *s)
{
	struct decimal d = { .is_integer = true };
	const char *first = s->p, *p = first;

	for (; digit(*p) < 10; p++)
		d.mantissa = 10 * d.mantissa + digit(*p);
	bool wrong = p == first || (p > first + 1 && *first == '0');
	if (*p == '.') {
		const char *start = ++p;

		p = take_digits(p, s->end, &d.mantissa);
		wrong = wrong || p == start;
		d.exponent = -(int)(p - start);
		d.is_integer = false;
	}
	if (*p == 'e' || *p == 'E') {
		bool negative = *++p == '-';

		p += *p == '-' || *p == '+';
		const char *start = p;
		for (; digit(*p) < 10 && p - start < 3; p++)
			d.written = 10 * d.written + (int)digit(*p);
		wrong = wrong || p == start;
		d.written = negative ? -d.written : d.written;
		d.exponent += d.written;
		d.is_integer = false;
	}
	d.is_short = p - first <= SHORT;
	s->odd = s->odd || wrong;
	s->p = p;
	return d;
}

double scan_number(struct scan *s)
{
	static const double power[] = { 1e0,  1e1,  1e2,  1e3,	1e4,  1e5,  1e6,  1e7,
					1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
					1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

	scan_peek(s);
	const char *start = s->p;
	struct decimal d = pass_number(s);
	if (s->odd)
		return NAN;
	/* Up to 2^53 and 10^22 the arithmetic rounds once and so is exact (Clinger 1990). */
	double v = !d.is_short || d.mantissa > 1ull << 53 || abs(d.exponent) > 22
		       ? strtod(start, NULL)
		   : d.exponent < 0 ? (double)d.mantissa / power[-d.exponent]
				    : (double)d.mantissa * power[d.exponent];
	if (!isfinite(v) || (d.is_integer && !d.is_short))
		s->odd = true;
	return v;
}

size_t scan_count_positive(struct scan *s)
{
	bool first = true;
	size_t n = 0;

	scan_expect(s, '[');
	for (; scan_more(s, ']', &first); n++) {
		scan_peek(s);
		struct decimal d = pass_number(s);
		if (!d.is_short || !d.mantissa || abs(d.written) > FAR)
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
		scan_peek(s);
		const char *end = s->p;
		while (digit(*end) < 10)
			end++;
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
