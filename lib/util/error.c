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
	char head[sizeof(e->text)];
	va_list ap;

	if (!e)
		return -1;
	va_start(ap, fmt);
	vsnprintf(head, sizeof(head), fmt, ap);
	va_end(ap);
	make_printable(head);

	size_t used = strlen(head), kept = strlen(e->text);
	if (used > sizeof(e->text) - 3)
		used = sizeof(e->text) - 3;
	if (kept > sizeof(e->text) - 3 - used)
		kept = sizeof(e->text) - 3 - used;
	memmove(e->text + used + 2, e->text, kept);
	memcpy(e->text, head, used);
	memcpy(e->text + used, ": ", 2);
	e->text[used + 2 + kept] = '\0';
	return -1;
}
