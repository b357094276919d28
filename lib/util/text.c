/* SPDX-License-Identifier: MIT */
#include "util/text.h"

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
