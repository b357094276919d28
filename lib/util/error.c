/* SPDX-License-Identifier: MIT */
#include "util/error.h"

#include <stdio.h>
#include <string.h>

/* Messages quote what files hold: control characters would reach the terminal. */
static void make_printable(char *s)
{
	for (; *s; s++)
		if ((unsigned char)*s < ' ' || *s == 0x7f)
			*s = '?';
}

int error_set(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	make_printable(e->text);
	return -1;
}

int error_prefix(struct error *e, const char *fmt, ...)
{
	va_list ap;

	if (!e)
		return -1;
	struct error kept = *e;
	va_start(ap, fmt);
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	va_end(ap);
	size_t n = strlen(e->text);
	snprintf(e->text + n, sizeof(e->text) - n, ": %s", kept.text);
	make_printable(e->text);
	return -1;
}
