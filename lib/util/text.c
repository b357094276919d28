/* SPDX-License-Identifier: MIT */
#include "util/text.h"

void text_put_number(struct text *t, uint64_t v, unsigned base)
{
	char digits[24], *p = digits + sizeof(digits);

	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
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
	uint64_t v = ns < 0 ? -(uint64_t)ns : (uint64_t)ns;
	const char fraction[] = { '.', (char)('0' + v / 100 % 10), (char)('0' + v / 10 % 10),
				  (char)('0' + v % 10) };

	if (ns < 0)
		text_put_n(t, "-", 1);
	text_put_number(t, v / 1000, 10);
	text_put_n(t, fraction, sizeof(fraction));
}

void text_free(struct text *t)
{
	vec_free(t);
}
