/* SPDX-License-Identifier: MIT */
#include "util/text.h"

#include <stdio.h>

#include "util/number.h"

void text_put_number(struct text *t, uint64_t v, unsigned base)
{
	char digits[24], *p = digits + sizeof(digits);

	if (base == 10) { /* a division by a constant is several times as fast */
		do
			*--p = (char)('0' + v % 10);
		while (v /= 10);
	} else {
		do
			*--p = "0123456789abcdef"[v & (base - 1)];
		while (v >>= base == 16 ? 4 : 3);
	}
	text_put_n(t, p, (size_t)(digits + sizeof(digits) - p));
}

void text_put_signed(struct text *t, int64_t v)
{
	if (v < 0)
		text_put_n(t, "-", 1);
	text_put_number(t, v < 0 ? -(uint64_t)v : (uint64_t)v, 10);
}

/* Decodes the UTF-8 character at s (RFC 3629), or one byte as Latin-1.  Returns its bytes. */
static size_t decode(const char *s, unsigned *character)
{
	static const unsigned least[] = { 0, 0x80, 0x800, 0x10000 };
	const unsigned char *p = (const unsigned char *)s;
	const size_t more = *p >= 0xf5 ? 0 : *p >= 0xf0 ? 3 : *p >= 0xe0 ? 2 : *p >= 0xc0;
	unsigned v = *p & (0xff >> (more ? more + 2 : 0));

	*character = *p;
	for (size_t i = 1; i <= more; i++) {
		if ((p[i] & 0xc0) != 0x80)
			return 1;
		v = v << 6 | (p[i] & 0x3f);
	}
	if (v < least[more] || v > 0x10ffff || (v >= 0xd800 && v < 0xe000))
		return 1;
	*character = v;
	return more + 1;
}

void text_put_json(struct text *t, const char *s)
{
	text_put_n(t, "\"", 1);
	for (;;) {
		char escaped[16];
		size_t n = 0;
		unsigned c;

		while (s[n] >= ' ' && s[n] <= '~' && s[n] != '"' && s[n] != '\\')
			n++;
		text_put_n(t, s, n);
		s += n;
		if (!*s)
			break;
		s += decode(s, &c);
		if (c == '"' || c == '\\')
			snprintf(escaped, sizeof(escaped), "\\%c", c);
		else if (c < 0x10000)
			snprintf(escaped, sizeof(escaped), "\\u%04x", c);
		else /* two surrogates */
			snprintf(escaped, sizeof(escaped), "\\u%04x\\u%04x", 0xd7c0 + (c >> 10),
				 0xdc00 + (c & 0x3ff));
		text_put(t, escaped);
	}
	text_put_n(t, "\"", 1);
}

void text_put_micro(struct text *t, int64_t ns)
{
	char out[NUMBER_MAX];

	text_put(t, number_format_fixed(out, ns, 3));
}

void text_free(struct text *t)
{
	vec_free(t);
}

char *text_make_printable(char *s)
{
	for (unsigned char *p = (unsigned char *)s; *p; p++)
		if (*p < ' ' || *p == 0x7f)
			*p = '?';
		else if (*p == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0) /* U+0080 to U+009F */
			*p = p[1] = '?';
	return s;
}

char *text_line(char **text)
{
	char *line = strsep(text, "\n");
	const size_t n = line ? strlen(line) : 0;

	if (n && line[n - 1] == '\r')
		line[n - 1] = '\0';
	return line;
}
